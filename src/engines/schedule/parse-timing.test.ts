import { describe, expect, it } from "vitest";
import { durationOf, parseTiming, type TimingWords } from "./parse-timing.js";

const NOW_MS = Date.parse("2026-11-29T12:00:00Z");
const parse = (words: TimingWords) => parseTiming(words, { nowMs: NOW_MS, localZone: "Europe/Berlin" });
const problem = (words: TimingWords) => {
  const parsed = parse(words);
  return "problem" in parsed ? `\`${parsed.parameter}\` ${parsed.problem}` : undefined;
};

describe("a timing", () => {
  it("is a cron expression in a zone, one time, or an interval", () => {
    expect(parse({ schedule: " 0  9 * * 1-5 " })).toEqual({
      timing: { kind: "cron", expression: "0 9 * * 1-5", zone: "Europe/Berlin" },
    });
    expect(parse({ schedule: "0 0 29 2 *", tz: "asia/tokyo" })).toEqual({
      timing: { kind: "cron", expression: "0 0 29 2 *", zone: "Asia/Tokyo" },
    });
    const atMs = Date.parse("2026-12-24T17:00:00Z");
    expect(parse({ at: "2026-12-24T18:00+01:00" })).toEqual({ timing: { kind: "at", atMs } });
    expect(parse({ at: "2026-12-24 17:00:00z" })).toEqual({ timing: { kind: "at", atMs } });
    expect(parse({ after: "20m" })).toEqual({ timing: { kind: "at", atMs: NOW_MS + 1_200_000 } });
    expect(parse({ every: "1h30m" })).toEqual({
      timing: { kind: "every", everyMs: 5_400_000, fromMs: NOW_MS + 5_400_000 },
    });
  });

  it.each([
    [{}, "`schedule` needs exactly one of `schedule`, `at`, `after`, `every`; none is given"],
    [
      { at: "x", every: "1h" },
      "`every` needs exactly one of `schedule`, `at`, `after`, `every`; `at` and `every` are given",
    ],
    [{ every: "1h", tz: "UTC" }, "`tz` applies to `schedule` only; leave it out with `every`"],
    [{ every: "soon" }, '`every` was "soon"; send a duration such as "90s", "20m", "2h" or "1d"'],
    [{ every: "500" }, '`every` was "500"; send a duration such as "90s", "20m", "2h" or "1d"'],
    [{ after: "0s" }, '`after` was "0s"; send 1s to 3660d'],
    [{ every: "99999d" }, '`every` was "99999d"; send 1s to 3660d'],
    [
      { at: "2026-12-24T18:00" },
      '`at` was "2026-12-24T18:00"; send a date and time with its offset, such as "2030-01-31T09:00:00Z" or "2030-01-31T09:00:00+02:00"',
    ],
    [
      { at: "2026-11-29T12:00:00+01:00" },
      '`at` was "2026-11-29T12:00:00+01:00", which is 2026-11-29T11:00:00.000Z; that is past: it is 2026-11-29T12:00:00.000Z',
    ],
    [{ at: "2027-02-30T00:00:00Z" }, /send a date and time/],
    [{ at: "2027-02-03T25:00:00Z" }, /send a date and time/],
    [
      { schedule: "0 9 * * *", tz: "Europe/Berln" },
      /^`tz` "Europe\/Berln" is not a time zone; send an IANA name such as Europe\/Berlin, or UTC\. Did you mean Europe\/Berlin/,
    ],
    [{ schedule: "@daily" }, '`schedule` was "@daily": names such as @daily are not read; send "0 0 * * *"'],
    [{ schedule: "15 4 30 2 *" }, '`schedule` was "15 4 30 2 *": it is never due: there is no day 30 in month 2'],
    [{ schedule: "0 9 31 4,6 *" }, '`schedule` was "0 9 31 4,6 *": it is never due: there is no day 31 in month 4,6'],
  ] as const)("%j is refused with what was understood", (words, wanted) => {
    expect(problem(words)).toEqual(typeof wanted === "string" ? wanted : expect.stringMatching(wanted));
  });

  it.each([
    ["61 * * * *", 'the field minute is "61"; it takes 0-59'],
    ["* 24 * * *", 'the field hour is "24"; it takes 0-23'],
    ["* * 0 * *", 'the field day of month is "0"; it takes 1-31'],
    ["* * * 13 *", 'the field month is "13"; it takes 1-12 or JAN-DEC'],
    ["* * * * 8", 'the field weekday is "8"; it takes 0-7 or SUN-SAT, where 0 and 7 are Sunday'],
    ["60 * * * * *", 'the field second is "60"; it takes 0-59'],
    ["* * * *", "it has 4 fields; a cron expression has 5 or 6"],
    ["*/0 * * * *", 'the field minute is "*/0"'],
    ["5-1 * * * *", 'the field minute is "5-1"'],
    ["a b c d e", 'the field minute is "a"'],
    ["? * * * *", 'the field minute is "?"'],
    ["* * * * * * *", "it has 7 fields"],
    ["", "it has 0 fields"],
    ["@reboot", "it has 1 field;"],
    ["1,".repeat(300), "it has 600 characters, at most 256 are read"],
  ])("%s is refused, and the field named [CRON-06]", (schedule, wanted) => {
    expect(problem({ schedule })).toContain(wanted);
  });

  it("has durations in seconds, minutes, hours and days", () => {
    expect(["90s", "2 h", "1d 2h", "1H30M"].map(durationOf)).toEqual([90_000, 7_200_000, 93_600_000, 5_400_000]);
    expect(["", "h", "1.5h", "-1h", "1w", "1h x", "10"].map(durationOf)).toEqual(Array(7).fill(undefined));
  });
});
