import { expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { isAscii } from "./ascii.js";

it("says whether every byte is below 0x80, in any alignment and length", () => {
  fc.assert(
    fc.property(fc.uint8Array({ max: 0x7f, maxLength: 100 }), fc.nat(8), fc.option(fc.nat(99)), (values, shift, at) => {
      const bytes = new Uint8Array(values.length + shift);
      bytes.set(values, shift);
      const view = bytes.subarray(shift);
      const isBroken = at !== null && at < view.length;
      if (isBroken) view[at] = 0x80 | view[at]!;
      expect(isAscii(view)).toBe(!isBroken);
    }),
  );
});
