import { expect, it } from "vitest";
import { inputRows } from "./job-lines.js";

it("says nothing of input where none was written", () => {
  expect(inputRows({ action: "poll" })).toEqual([]);
});

it.each([
  [{ wroteBytes: 1 }, "wrote 1 byte to its standard input"],
  [
    { wroteBytes: 6, waitingBytes: 6 },
    "wrote 6 bytes to its standard input: they wait until it reads on, and will reach it; do not send them again",
  ],
  [
    { wroteBytes: 100_000, waitingBytes: 34_464 },
    "wrote 100000 bytes to its standard input: up to 34464 of them wait until it reads on, and will reach it; do not send them again",
  ],
  [
    { wroteBytes: 131_072, waitingBytes: 65_536, unwritten: { bytes: 8, from: "rest\tof", why: "full" } },
    'its standard input took 131072 of 131080 bytes and is full: it reads no more at present, and will get what was taken. Not taken: 8 bytes, from "rest\\tof" on; send that again once it reads',
  ],
  [
    { wroteBytes: 0, waitingBytes: 65_536, unwritten: { bytes: 1, from: "x", why: "full" } },
    'its standard input took 0 of 1 byte and is full: it reads no more at present, and will get what was written before. Not taken: 1 byte, from "x" on; send that again once it reads',
  ],
  [
    { wroteBytes: 65_536, unwritten: { bytes: 4, from: "rest", why: "closed" } },
    'its standard input took 65536 of 65540 bytes: it has ended, or has closed it. Not taken, and nobody would read it: 4 bytes, from "rest" on',
  ],
] as const)("tells what became of %j", (data, row) => {
  expect(inputRows({ action: "write", ...data })).toEqual([row]);
});
