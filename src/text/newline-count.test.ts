import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { countNewlines } from "./newline-count.js";

describe("countNewlines", () => {
  const bytes = fc.uint8Array({ max: 14, maxLength: 200 });

  it("counts what a look at every byte counts, from any place in any alignment", () => {
    fc.assert(
      fc.property(bytes, fc.nat(8), fc.nat(40), (values, shift, from) => {
        const shifted = new Uint8Array(values.length + shift);
        shifted.set(values, shift);
        const view = shifted.subarray(shift);
        expect(countNewlines(view, from)).toBe(values.subarray(from).filter((byte) => byte === 10).length);
      }),
    );
  });

  it("counts many in a row, and none among bytes that differ from one by a bit", () => {
    expect(countNewlines(new Uint8Array(100_003).fill(10))).toBe(100_003);
    for (const byte of [0, 8, 11, 0x8a, 0x4a, 0x0e, 255])
      expect(countNewlines(new Uint8Array(1_000).fill(byte))).toBe(0);
    const mixed = Uint8Array.from({ length: 1_024 }, (_, index) => index % 256);
    expect(countNewlines(mixed)).toBe(4);
  });
});
