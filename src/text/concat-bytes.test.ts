import { describe, expect, it } from "vitest";
import { concatBytes } from "./concat-bytes.js";

describe("concatBytes", () => {
  it("joins parts in their order, empty ones too, and shares no buffer with them", () => {
    const part = Uint8Array.of(1, 2);
    const whole = concatBytes([part, new Uint8Array(), Uint8Array.of(3)]);
    part.fill(9);
    expect([...whole]).toEqual([1, 2, 3]);
    expect(concatBytes([])).toHaveLength(0);
  });
});
