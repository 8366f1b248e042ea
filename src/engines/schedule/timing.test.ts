import { describe, expect, it } from "vitest";
import type { ScheduleTiming } from "../../kernel/index.js";
import { duesBetween, localText, nextDue, timingText } from "./timing.js";

const cron = (expression: string, zone = "UTC"): ScheduleTiming => ({ kind: "cron", expression, zone });

function nextTimes(timing: ScheduleTiming, from: string, count: number): string[] {
  const found: string[] = [];
  let ms: number | undefined = Date.parse(from);
  while (found.length < count && ms !== undefined) {
    ms = nextDue(timing, ms);
    if (ms !== undefined) found.push(new Date(ms).toISOString().replace(".000Z", "Z"));
  }
  return found;
}

/** Expression, zone, from, and the next times in UTC. */
const TABLE: readonly (readonly [string, string, string, string, readonly string[]])[] = [
  [
    "of two equal wall times the first",
    "30 1 * * *",
    "America/New_York",
    "2026-10-31T16:00:00Z",
    ["2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"],
  ],
  [
    "a wall time that does not exist at the first time after the gap",
    "30 2 * * *",
    "America/New_York",
    "2027-03-13T17:00:00Z",
    ["2027-03-14T07:00:00Z", "2027-03-15T06:30:00Z"],
  ],
  [
    "the same in Europe",
    "30 2 * * *",
    "Europe/Berlin",
    "2026-10-24T12:00:00Z",
    ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"],
  ],
  [
    "the same in Europe",
    "30 2 * * *",
    "Europe/Berlin",
    "2027-03-27T12:00:00Z",
    ["2027-03-28T01:00:00Z", "2027-03-29T00:30:00Z"],
  ],
  [
    "a change of half an hour",
    "45 1 * * *",
    "Australia/Lord_Howe",
    "2026-04-04T00:00:00Z",
    ["2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"],
  ],
  [
    "a change of half an hour",
    "15 2 * * *",
    "Australia/Lord_Howe",
    "2026-10-03T00:00:00Z",
    ["2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z"],
  ],
  [
    "a midnight that does not exist",
    "0 0 * * *",
    "America/Sao_Paulo",
    "2018-11-03T12:00:00Z",
    ["2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"],
  ],
  [
    "steps follow the clock, twice in the hour that occurs twice",
    "*/30 * * * *",
    "Europe/Berlin",
    "2026-10-24T23:40:00Z",
    ["2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z"],
  ],
  [
    "steps follow the clock over a gap",
    "0 * * * *",
    "Europe/Berlin",
    "2027-03-28T00:00:00Z",
    ["2027-03-28T01:00:00Z", "2027-03-28T02:00:00Z"],
  ],
  ["leap days", "0 0 29 2 *", "UTC", "2026-01-01T00:00:00Z", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]],
  ["no leap day in 2100", "0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", ["2104-02-29T00:00:00Z"]],
  [
    "day of month or weekday where both are given",
    "0 0 1,15 * 1",
    "UTC",
    "2026-06-01T12:00:00Z",
    [
      "2026-06-08T00:00:00Z",
      "2026-06-15T00:00:00Z",
      "2026-06-22T00:00:00Z",
      "2026-06-29T00:00:00Z",
      "2026-07-01T00:00:00Z",
    ],
  ],
  ["Sunday as 0", "0 0 * * 0", "UTC", "2026-06-01T00:00:00Z", ["2026-06-07T00:00:00Z"]],
  ["Sunday as 7", "0 0 * * 7", "UTC", "2026-06-01T00:00:00Z", ["2026-06-07T00:00:00Z"]],
  ["seconds first", "15 0 12 * * *", "UTC", "2026-06-01T00:00:00Z", ["2026-06-01T12:00:15Z"]],
  ["a time of that very moment is past", "0 12 * * *", "UTC", "2026-06-01T12:00:00Z", ["2026-06-02T12:00:00Z"]],
];

describe("next times", () => {
  it.each(TABLE)("%s: %s, %s", (_title, expression, zone, from, wanted) => {
    expect(nextTimes(cron(expression, zone), from, wanted.length)).toEqual(wanted);
  });

  it("the latest times between two are those that follow each other, also over changes of daylight saving", () => {
    for (const zone of ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe"]) {
      for (const expression of ["30 1 * * *", "30 2 * * *", "15 2 * * *", "0 */2 * * *", "0 1-3 * * *"]) {
        for (const from of ["2026-03-25T00:00:00Z", "2026-10-20T00:00:00Z"]) {
          const timing = cron(expression, zone);
          const until = Date.parse(from) + 16 * 86_400_000;
          const forward: string[] = [];
          for (let ms = nextDue(timing, Date.parse(from)); ms !== undefined && ms <= until; ms = nextDue(timing, ms))
            forward.push(new Date(ms).toISOString().replace(".000Z", "Z"));
          const back = duesBetween(timing, Date.parse(from) + 1, until, 3_000).map((ms) =>
            new Date(ms).toISOString().replace(".000Z", "Z"),
          );
          expect([zone, expression, back]).toEqual([zone, expression, forward]);
          const last = duesBetween(timing, Date.parse(from), until, 3).length;
          expect(last).toBe(3);
        }
      }
    }
  });

  it("of an interval are on its grid, whatever the clock did", () => {
    const timing: ScheduleTiming = { kind: "every", everyMs: 60_000, fromMs: 1_000 };
    expect([0, 999, 1_000, 60_999, 61_000].map((ms) => nextDue(timing, ms))).toEqual([
      1_000, 1_000, 61_000, 61_000, 121_000,
    ]);
    expect(duesBetween(timing, 0, 200_000, 10)).toEqual([1_000, 61_000, 121_000, 181_000]);
    expect(duesBetween(timing, 61_001, 200_000, 10)).toEqual([121_000, 181_000]);
    expect(duesBetween(timing, 0, 200_000, 2)).toEqual([121_000, 181_000]);
    expect(duesBetween(timing, 1_001, 60_000, 2)).toEqual([]);
  });

  it("of a single time are that one", () => {
    const timing: ScheduleTiming = { kind: "at", atMs: 5_000 };
    expect([nextDue(timing, 4_999), nextDue(timing, 5_000)]).toEqual([5_000, undefined]);
    expect([duesBetween(timing, 0, 5_000, 9), duesBetween(timing, 0, 4_999, 9)]).toEqual([[5_000], []]);
  });
});

describe("a timing in words", () => {
  it.each([
    ["* * * * *", "every minute, UTC"],
    ["*/15 * * * *", "every 15 minutes, UTC"],
    ["*/7 * * * *", 'cron "*/7 * * * *", UTC'],
    ["5 * * * *", "every hour at minute 5, UTC"],
    ["0 9 * * *", "every day at 09:00, UTC"],
    ["30 17 * * 1-5", "every Monday to Friday at 17:30, UTC"],
    ["0 9 * * 0,3", "every Sunday, Wednesday at 09:00, UTC"],
    ["0 0 1 * *", "on day 1 of every month at 00:00, UTC"],
    ["0 0 29 2 *", 'cron "0 0 29 2 *", UTC'],
    ["0 0 9 * * *", 'cron "0 0 9 * * *", UTC'],
    ["0 9 * * MON", 'cron "0 9 * * MON", UTC'],
  ])("%s", (expression, words) => {
    expect(timingText(cron(expression), "UTC")).toBe(words);
  });

  it("has its zone and its offset", () => {
    const atMs = Date.parse("2026-11-30T08:00:00Z");
    expect(localText(atMs, "Europe/Berlin")).toBe("Monday 2026-11-30 09:00:00+01:00 Europe/Berlin");
    expect(timingText({ kind: "at", atMs }, "UTC")).toBe("once, Monday 2026-11-30 08:00:00+00:00 UTC");
    const every = (everyMs: number) => timingText({ kind: "every", everyMs, fromMs: 0 }, "UTC");
    expect([1_000, 5_400_000, 86_400_000, 90_061_000].map(every)).toEqual([
      "every second",
      "every 1 hour 30 minutes",
      "every day",
      "every 1 day 1 hour 1 minute 1 second",
    ]);
  });
});
