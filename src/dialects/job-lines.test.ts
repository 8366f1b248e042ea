import { expect, it } from "vitest";
import { inputRows } from "./job-lines.js";

it("reports nothing about input where none was written", () => {
  expect(inputRows({ action: "poll" })).toEqual([]);
});

it.each([
  [{ wroteBytes: 1 }, "wrote 1 byte to stdin"],
  [
    { wroteBytes: 6, waitingBytes: 6 },
    "wrote 6 bytes to stdin: they are buffered until it reads; do not send them again",
  ],
  [
    { wroteBytes: 100_000, waitingBytes: 34_464 },
    "wrote 100000 bytes to stdin: up to 34464 of them are buffered until it reads; do not send them again",
  ],
  [
    { wroteBytes: 131_072, waitingBytes: 65_536, unwritten: { bytes: 8, from: "rest\tof", why: "full" } },
    'stdin accepted 131072 of 131080 bytes and is full: the job is not reading, but will get the accepted bytes. Not written: 8 bytes, starting with "rest\\tof"; send that again once it reads',
  ],
  [
    { wroteBytes: 0, waitingBytes: 65_536, unwritten: { bytes: 1, from: "x", why: "full" } },
    'stdin accepted 0 of 1 byte and is full: the job is not reading, but will get what was written before. Not written: 1 byte, starting with "x"; send that again once it reads',
  ],
  [
    { wroteBytes: 65_536, unwritten: { bytes: 4, from: "rest", why: "closed" } },
    'stdin accepted 65536 of 65540 bytes: the job has ended or closed stdin. Not written, and do not send again: 4 bytes, starting with "rest"',
  ],
] as const)("reports the outcome of %j", (data, row) => {
  expect(inputRows({ action: "write", ...data })).toEqual([row]);
});
