import { expect, it } from "vitest";
import { mapTexts } from "./redact-text.js";

const upper = (text: string) => text.toUpperCase();

it("copies plain data with every text changed", () => {
  const bytes = Uint8Array.of(1);
  const value = { a: "x", b: ["y", { c: "z" }], n: 1, none: null, bytes, at: new Date(0) };
  const copy = mapTexts(value, upper);
  expect(copy).toEqual({ a: "X", b: ["Y", { c: "Z" }], n: 1, none: null, bytes, at: "1970-01-01T00:00:00.000Z" });
  expect(copy).not.toBe(value);
});

it("keeps a property named __proto__ one of its own", () => {
  const copy = mapTexts(JSON.parse('{"__proto__":{"a":"x"},"b":"y"}'), upper);
  expect(JSON.stringify(copy)).toBe('{"__proto__":{"a":"X"},"b":"Y"}');
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

it("keeps apart properties whose names become one", () => {
  const names = mapTexts({ a: 1, A: 2, "a ": 3 }, upper, (name) => name.trim().toUpperCase());
  expect(names).toEqual({ A: 1, "A (2)": 2, "A (3)": 3 });
  expect(JSON.stringify(mapTexts({ a: "x", b: "y" }, upper, () => "__proto__"))).toBe(
    '{"__proto__":"X","__proto__ (2)":"Y"}',
  );
});
