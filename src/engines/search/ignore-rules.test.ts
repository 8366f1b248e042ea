import { describe, expect, it } from "vitest";
import { IgnoreRules } from "./ignore-rules.js";
import { PauseCheck } from "./source.js";

const pauseCheck = new PauseCheck({ signal: new AbortController().signal });

/** Verdicts in the order of the paths; one that ends in a slash is a directory. */
async function judged(text: string, ...paths: string[]) {
  const rules = await IgnoreRules.of(text, pauseCheck);
  return Promise.all(
    paths.map(
      async (path) => (await rules?.verdictFor(path.replace(/\/$/, ""), path.endsWith("/"), pauseCheck)) ?? "-",
    ),
  );
}

describe("IgnoreRules", () => {
  it("takes a rule that can match no path for none", async () => {
    for (const rule of ["//a", "a//b", "a\\", "a\\\\\\", "/", "!"])
      expect([rule, (await IgnoreRules.of(rule, pauseCheck))?.count]).toEqual([rule, 0]);
  });

  it("takes braces for alternatives and an escaped blank at the end for itself", async () => {
    const text = "{a,b}\nc\\ \nd  \ne\\\\";
    const verdicts = await judged(text, "a", "{a,b}", "c ", "c", "d", "e\\");
    expect(verdicts).toEqual(["ignored", "-", "ignored", "-", "ignored", "ignored"]);
  });

  it("lets the last rule win, be it a plain name, a path, for directories only or a wildcard", async () => {
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

  it("answers at once, however many rules there are, until others are due on the way", async () => {
    let isDue = false;
    let looks = 0;
    const control = new AbortController();
    const isPauseDue = () => {
      looks++;
      return isDue;
    };
    const asked = new PauseCheck({ signal: control.signal, isPauseDue });
    const many = Array.from({ length: 200 }, (_, at) => `*-${at}-*`).join("\n");
    const [few, dear] = [
      await IgnoreRules.of("*.a\n!b.a", pauseCheck),
      await IgnoreRules.of(`*.a\n${many}`, pauseCheck),
    ];
    expect([few?.verdictFor("1.a", false, asked), few?.verdictFor("b.a", false, asked), looks]).toEqual([
      "ignored",
      "kept",
      0,
    ]);
    expect([dear?.verdictFor("1.a", false, asked), looks]).toEqual(["ignored", 2]);
    isDue = true;
    const verdict = dear?.verdictFor("1.a", false, asked);
    expect(verdict).toBeInstanceOf(Promise);
    expect([await verdict, looks]).toEqual(["ignored", 4]);
    control.abort();
    expect([await dear?.verdictFor("1.a", false, asked), looks]).toEqual([undefined, 5]);
  });

  it("reads a very long rule once, and continues after it", async () => {
    const rules = await IgnoreRules.of(`*.a\n*${"x".repeat(2_000)}`, pauseCheck);
    expect(await rules?.verdictFor("1.a", false, pauseCheck)).toBe("ignored");
  });

  it("finds nothing by a dot as a name or a slash too many", async () => {
    expect(await judged("./a\nb/./c\n../d", "a", "b/c", "d")).toEqual(["-", "-", "-"]);
    expect(await judged("d//", "d/", "d", "z/d/")).toEqual(["-", "-", "-"]);
  });
});
