import { expect, it } from "vitest";
import { NotableLines } from "./notable-lines.js";

const bytes = (text: string) => new TextEncoder().encode(text);

function found(text: string, { head = 0, tail = 0, chunk = 7 } = {}) {
  const all = bytes(text);
  const lines = new NotableLines(head);
  for (let at = 0; at < all.length; at += chunk) lines.push(all.subarray(at, at + chunk));
  return lines.between(all.subarray(0, head), all.subarray(all.length - tail));
}

it("finds lines that look like errors, with their numbers, however the stream is split", () => {
  const text = "fine\nmain.c:3: error: x\nfine\nTypeError: y is not a function\n✗ one test\nTerror in the night\n";
  for (const chunk of [1, 7, 1_000])
    expect(found(text, { chunk })).toEqual([
      { line: 2, text: "main.c:3: error: x" },
      { line: 4, text: "TypeError: y is not a function" },
      { line: 5, text: "✗ one test" },
    ]);
});

it("omits what head and tail show, and the lines that they truncate", () => {
  const lines = ["error 1", "error 2", "error 3", "error 4", "error 5"];
  const text = `${lines.join("\n")}\n`;
  expect(found(text, { head: 10, tail: 10 }).map(({ line }) => line)).toEqual([3]);
  expect(found(text, { head: 16, tail: 0 }).map(({ line }) => line)).toEqual([4, 5]);
});

it("keeps at most twenty different lines, each truncated, and 4 KiB", () => {
  const many = Array.from({ length: 100 }, (_, index) => `error number ${index}\n`).join("");
  expect(found(many)).toHaveLength(20);
  expect(found(`start\n${"the same error\n".repeat(100)}`)).toEqual([{ line: 2, text: "the same error" }]);
  const long = found(`start\nerror ${"x".repeat(3_000)}\nerror after\n`);
  expect(long.map(({ text }) => text.length)).toEqual([400, 11]);
  const full = Array.from({ length: 30 }, (_, index) => `error ${index} ${"x".repeat(390)}\n`).join("");
  expect(found(full).reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(4_096);
});

it("is not used up by what the head shows", () => {
  const head = Array.from({ length: 400 }, (_, index) => `error ${index} of the head\n`).join("");
  expect(found(`${head}fine\nerror behind it\nfine\n`, { head: head.length })).toEqual([
    { line: 402, text: "error behind it" },
  ]);
});
