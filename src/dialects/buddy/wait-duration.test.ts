import { describe, expect, it } from "vitest";
import { fc } from "../../testing/property.fixture.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { parseWait, shortDuration } from "./wait-duration.js";

describe("parseWait", () => {
  verifies("BD-015", "reads every form of a duration", () => {
    const forms: [unknown, number][] = [
      ["30s", 30_000],
      ["10m", 600_000],
      ["1h", 3_600_000],
      ["1D", 86_400_000],
      ["250MS", 250],
      [" 7 s ", 7_000],
      ["45", 45_000],
      [500, 500_000],
    ];
    for (const [wait, timeoutMs] of forms) expect(parseWait(wait)).toEqual({ mode: "limit", timeoutMs });
  });

  it("waits until the exit by default", () => {
    expect([parseWait(undefined), parseWait(true), parseWait(false)]).toEqual([
      { mode: "until-exit" },
      { mode: "until-exit" },
      { mode: "dispatch" },
    ]);
  });

  it("refuses everything else and lists what it takes", () => {
    for (const wrong of [
      "",
      "soon",
      "1w",
      "-5s",
      "1.5h",
      "0s",
      0,
      -1,
      0.0001,
      Number.NaN,
      null,
      {},
      [],
      "9".repeat(13),
    ])
      expect(parseWait(wrong)).toEqual({ problem: expect.stringContaining("a number of seconds") });
  });

  it("answers for any value at all", () => {
    fc.assert(
      fc.property(fc.anything(), (wait) => {
        const parsed = parseWait(wait);
        expect("problem" in parsed || ["until-exit", "dispatch", "limit"].includes(parsed.mode)).toBe(true);
      }),
    );
  });
});

describe("shortDuration", () => {
  verifies("BD-017", "takes the largest unit that divides the time", () => {
    const table: [number, string][] = [
      [250, "250ms"],
      [7_000, "7s"],
      [120_000, "2m"],
      [7_200_000, "2h"],
      [1_250, "1.250s"],
      [90_000, "90s"],
    ];
    for (const [ms, text] of table) expect(shortDuration(ms)).toBe(text);
  });
});
