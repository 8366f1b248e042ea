import { describe, expect, it } from "vitest";
import { IgnoreRules } from "./ignore-rules.js";
import { Turns } from "./turns.js";

const turns = new Turns({ signal: new AbortController().signal });

/** Verdicts in the order of the paths; one that ends in a slash is a folder. */
async function judged(text: string, ...paths: string[]) {
  const rules = await IgnoreRules.of(text, turns);
  return Promise.all(
    paths.map((path) => rules?.judge(path.replace(/\/$/, ""), path.endsWith("/"), turns).then((found) => found ?? "-")),
  );
}

describe("IgnoreRules", () => {
  it("takes a rule that can match no path for none", async () => {
    for (const rule of ["//a", "a//b", "a\\", "a\\\\\\", "/", "!"])
      expect([rule, await IgnoreRules.of(rule, turns)]).toEqual([rule, undefined]);
  });

  it("takes braces and an escaped blank at the end for themselves", async () => {
    const text = "{a,b}\nc\\ \nd  \ne\\\\";
    const verdicts = await judged(text, "{a,b}", "a", "c ", "c", "d", "e\\");
    expect(verdicts).toEqual(["ignored", "-", "ignored", "-", "ignored", "ignored"]);
  });

  it("lets the last rule win, be it a plain name, a path, for folders only or a wildcard", async () => {
    const text = "*.a\nkept.a\n!kept.a\nx\n!x/\n/top\nlow/x\n!low/*\nbin/\n!/bin\n*in";
    const verdicts = await judged(text, "1.a", "d/kept.a", "x", "x/", "d/x", "top", "d/top", "low/x", "bin/", "d/bin/");
    expect(verdicts).toEqual([
      "ignored",
      "kept",
      "ignored",
      "kept",
      "ignored",
      "ignored",
      "-",
      "kept",
      "ignored",
      "ignored",
    ]);
    expect(await judged("*\n!a\n!b/\n!/c\n!d/e", "a", "z/a", "b", "b/", "c", "z/c", "d/e", "e")).toEqual([
      "kept",
      "kept",
      "ignored",
      "kept",
      "kept",
      "ignored",
      "kept",
      "ignored",
    ]);
  });

  it("passes over a dot and a slash too many in a path without a wildcard", async () => {
    expect(await judged("./a\nb/./c", "a", "z/a", "b/c")).toEqual(["ignored", "-", "ignored"]);
    expect(await judged("d//", "d/", "d", "z/d/")).toEqual(["ignored", "-", "-"]);
  });
});
