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

  it("takes text whose lines end in a carriage return for lines, whatever their length and colour", () => {
    for (const text of [
      "id,v\raa,1\rbb,2\rcc,3\rdd,4\n",
      "apple=1\rberry=2\rcherry=\rdates=4\r",
      "Anna\rBert\rCarl\rDora",
    ])
      expect(of(text)).toEqual([text, 0]);
    const coloured = "\x1b[31mred\x1b[0m\rand blue\n";
    expect(of(coloured)).toEqual([coloured, 0]);
  });

  it("knows the states of a bar or spinner by what follows it", () => {
    expect(of("| building\r/ building\r- building\n")).toEqual(["- building\n", 2]);
    expect(of("[#   ]  9%\r[##  ] 10%\r[####] 100%\n")).toEqual(["[####] 100%\n", 2]);
    expect(of("⠋\r⠙\r⠹\n")).toEqual(["⠹\n", 2]);
  });

  it("leaves text between frames that is not a frame", () => {
    const frames = (from: number) => [0, 1, 2].map((at) => `copying file ${from + at}0% of all`).join("\r");
    const shown = ["error: disk full\rcopying file 60% of all\n", 5];
    expect(of(`${frames(1)}\rerror: disk full\r${frames(4)}\n`)).toEqual(shown);
    expect(of(`error: disk full\r${frames(1)}\r${frames(4)}\n`)).toEqual(shown);
    expect(of("\r\x1b[Kcopying 10%\rerror: disk full\r\x1b[Kcopying 20%\n")).toEqual([
      "error: disk full\r\x1b[Kcopying 20%\n",
      1,
    ]);
    expect(of("copy 10%\r        \rerror: disk full\rcopy 20%\rcopy 30%\n")).toEqual([
      "error: disk full\rcopy 30%\n",
      2,
    ]);
    expect(of("\x1b[Kcompile a\r\x1b[Klink b\r\x1b[Kpack c\n")).toEqual(["\x1b[Kpack c\n", 2]);
  });

  it("leaves lines above alone, for not all that a cursor passes is drawn anew", () => {
    for (const text of ["one\ntwo\n\x1b[2Aone!\x1b[2B\n", "ERROR one\nERROR two\n\x1b[2Aok\x1b[K\n"])
      expect(of(text)).toEqual([text, 0]);
  });

  it("takes linear time", () => {
    const bar = (length: number) => Array.from({ length }, (_, at) => `\r${at}%`).join("");
    expect(of(bar(200_000))).toEqual(["199999%", 199_999]);
    expect(of("\b".repeat(200_000))).toEqual(["", 0]);
    const returns = `a${"\r".repeat(2_000_000)}x`; // squared, this is hours
    expect(of(returns)[1]).toBe(0);
  });
});
