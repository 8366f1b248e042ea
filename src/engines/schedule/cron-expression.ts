/** Cron expressions of 5 or 6 fields: what is wrong with one, and its times. */
import { Cron } from "croner";

/** Characters of an expression. */
const MAX_CHARACTERS = 256;

interface Field {
  readonly name: string;
  readonly values: string;
}

const SECOND: Field = { name: "second", values: "0-59" };
const FIELDS: readonly Field[] = [
  { name: "minute", values: "0-59" },
  { name: "hour", values: "0-23" },
  { name: "day of month", values: "1-31" },
  { name: "month", values: "1-12 or JAN-DEC" },
  { name: "weekday", values: "0-7 or SUN-SAT, where 0 and 7 are Sunday" },
];
/** Names that other programs know for usual expressions. */
const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const FORM = "minute hour day-of-month month weekday, and a field of seconds before them if needed";

/** Why an expression is not one, as a clause that names the field; undefined for one that is due at some time. */
export function expressionProblem(expression: string, zone: string): string | undefined {
  const text = expression.trim();
  if (text.length > MAX_CHARACTERS) return `it has ${text.length} characters, at most ${MAX_CHARACTERS} are read`;
  const nickname = NICKNAMES[text.toLowerCase()];
  if (nickname !== undefined) return `names such as ${text} are not read; send "${nickname}"`;
  const parts = text === "" ? [] : text.split(/\s+/);
  if (parts.length < 5 || parts.length > 6)
    return `it has ${parts.length} ${parts.length === 1 ? "field" : "fields"}; a cron expression has 5 or 6: ${FORM}`;
  const fields = parts.length === 6 ? [SECOND, ...FIELDS] : FIELDS;
  const bad = fields.findIndex((_, index) => !isField(parts, index));
  if (bad !== -1) {
    const { name, values } = fields[bad]!;
    return `the field ${name} is ${JSON.stringify(parts[bad])}; it takes ${values}, lists (1,5), ranges (1-5), steps (*/5) and *`;
  }
  if (nextMatch(text, zone, 0) !== undefined) return undefined;
  const [, , day, month] = parts.slice(-5);
  return `it is never due: there is no day ${day} in month ${month}`;
}

/** `?` would be replaced with the time at which the expression is read. */
function isField(parts: readonly string[], at: number): boolean {
  if (parts[at]!.includes("?")) return false;
  try {
    cron(parts.map((part, index) => (index === at ? part : "*")).join(" "), "UTC");
    return true;
  } catch {
    return false;
  }
}

/** The first time after `afterMs`, to the second; undefined where there is none. */
export function nextMatch(expression: string, zone: string, afterMs: number): number | undefined {
  return cron(expression, zone).nextRun(new Date(afterMs))?.getTime();
}

/** The last `most` times before `beforeMs`, the oldest first. */
export function lastMatches(expression: string, zone: string, beforeMs: number, most: number): readonly number[] {
  const found = cron(expression, zone).previousRuns(most, new Date(beforeMs));
  return found.map((date) => date.getTime()).reverse();
}

/**
 * Times of day without `*` and steps are fixed: one that a change of daylight saving skips is due at the first time after the gap, and
 * one that occurs twice is due the first time only. All others follow the clock: twice in an hour that occurs twice.
 */
function cron(expression: string, timezone: string): Cron {
  return new Cron(expression, { timezone, mode: "5-or-6-parts", fixedTimeRule: "no-wildcard", paused: true });
}
