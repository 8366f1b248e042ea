import { describe, expect, it } from "vitest";
import { omitOverwritten } from "./overwritten-frames.js";

const of = (text: string) => {
  const { text: left, frames } = omitOverwritten(text);
  return [left, frames];
};

describe("omitOverwritten", () => {
  it("leaves the last frame of a progress bar, and the rest", () => {
    const bar = Array.from({ length: 500 }, (_, at) => `\r[${String(at).padStart(3)}/500] building`).join("");
    expect(of(`start\n${bar}\nbuilt\n`)).toEqual(["start\n[499/500] building\nbuilt\n", 499]);
    expect(of("Receiving:   1% (1/77)\rReceiving: 100% (77/77), 2 KiB, done.\nend")).toEqual([
      "Receiving: 100% (77/77), 2 KiB, done.\nend",
      1,
    ]);
  });

  it("leaves what a shorter frame does not cover, unless the rest is erased", () => {
    expect(of("downloading 10%\rdownloading ok\n")).toEqual(["downloading 10%\rdownloading ok\n", 0]);
    expect(of("downloading 10%\rok\x1b[K\n")).toEqual(["ok\x1b[K\n", 1]);
    expect(of("downloading 10%\r               \rdone\n")).toEqual(["done\n", 1]);
    expect(of("downloading 10%\x1b[2K\rdone\n")).toEqual(["done\n", 1]);
    expect(of("\x1b[2K\x1b[1Gone\x1b[2K\x1b[1Gtwo\n")).toEqual(["two\n", 1]);
  });

  it("takes line endings for what they are", () => {
    for (const text of ["a\r\nb\r\n", "a\r\r\nb", "plain\ntext", "", "\r", "\r\n", "only this\r"])
      expect(of(text)).toEqual([text, 0]);
    expect(of("10%\r20%\r\nend\r\n")).toEqual(["20%\r\nend\r\n", 1]);
    const old = "Dear reader,\rthis was written long ago on a machine\rwhose lines end so.\r\rFarewell";
    expect(of(old)).toEqual([old, 0]);
  });

  it("shows the last line that ends in a carriage return, and no line that was erased", () => {
    expect(of("10%\r20%\r")).toEqual(["20%\r", 1]);
    expect(of("working 3\r          \r")).toEqual(["\r", 1]);
  });

  it("leaves out what backspaces step over, in whole characters", () => {
    expect(of("wait |\b/\b-\b\\\b done\n")).toEqual(["wait  done\n", 4]);
    expect(of("⠋\b⠙\b⠹\n")).toEqual(["⠹\n", 2]);
    expect(of("😀\b😎\b\n")).toEqual(["😎\n", 1]);
    expect(of("50%\b\b\b75%\b\b\b100%\n")).toEqual(["100%\n", 2]);
    expect(of("end\b\n")).toEqual(["end\n", 0]);
  });

  it("leaves out lines that are drawn anew, but none that may still be seen", () => {
    const drawn = (a: number, b: number) => `\x1b[2Kone ${a}%\n\x1b[2Ktwo ${b}%\n`;
    expect(of(`log\n${drawn(1, 2)}\x1b[2A${drawn(3, 4)}\x1b[2A${drawn(5, 6)}`)).toEqual([`log\n${drawn(5, 6)}`, 2]);
    expect(of("log\nfirst\nsecond\n\x1b[2K\x1b[1A\x1b[2K\x1b[1A\x1b[2K\x1b[Gthird\n")[0]).toBe("log\nthird\n");
    expect(of("one\ntwo\n\x1b[2Aone!\x1b[2B\n")).toEqual(["one\ntwo\n\x1b[2Aone!\x1b[2B\n", 0]);
  });

  it("takes linear time", () => {
    const bar = (length: number) => Array.from({ length }, (_, at) => `\r${at}%`).join("");
    expect(of(bar(200_000))).toEqual(["199999%", 199_999]);
    expect(of("\b".repeat(200_000))).toEqual(["", 0]);
    expect(of("a\n".repeat(100_000) + "\x1b[1A\x1b[2K".repeat(200_000))[1]).toBe(100_000);
  });
});
