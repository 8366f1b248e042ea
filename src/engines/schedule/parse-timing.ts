/** Reads when something is to run, as a model or a user writes it. */
import type { ScheduleTiming } from "../../kernel/index.js";
import { knownZone, zoneProblem } from "../../text/index.js";
import { expressionProblem } from "./cron-expression.js";

/** Exactly one of the first four. */
export interface TimingWords {
  /** A cron expression of 5 or 6 fields. */
  readonly schedule?: string | undefined;
  /** A time of RFC 3339 with its offset. */
  readonly at?: string | undefined;
  /** A duration such as "20m": once, so long from now. */
  readonly after?: string | undefined;
  /** A duration of one second or more. */
  readonly every?: string | undefined;
  /** The zone of `schedule`. */
  readonly tz?: string | undefined;
}

export interface TimingProblem {
  readonly parameter: string;
  /** After the parameter, a clause. */
  readonly problem: string;
}

const ONE_OF = ["schedule", "at", "after", "every"] as const;
const MIN_MS = 1_000;
/** Ten years: a longer one is a mistake in the unit. */
const MAX_MS = 10 * 366 * 86_400_000;
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** The timing that the words mean at `nowMs`. @param localZone - Where `tz` is not given. */
export function parseTiming(
  words: TimingWords,
  { nowMs, localZone }: { readonly nowMs: number; readonly localZone: string },
): { readonly timing: ScheduleTiming } | TimingProblem {
  const given = ONE_OF.filter((name) => words[name] !== undefined);
  const [parameter] = given;
  if (parameter === undefined || given.length > 1) return notOne(given);
  if (words.tz !== undefined && parameter !== "schedule")
    return { parameter: "tz", problem: `applies to \`schedule\` only; leave it out with \`${parameter}\`` };
  const text = words[parameter]!;
  if (parameter === "schedule") return cronTiming(text, words.tz ?? localZone);
  if (parameter === "at") return atTiming(text, nowMs);
  const ms = durationOf(text);
  if (ms === undefined)
    return { parameter, problem: `was ${JSON.stringify(text)}; send a duration such as "90s", "20m", "2h" or "1d"` };
  if (ms < MIN_MS || ms > MAX_MS)
    return { parameter, problem: `was ${JSON.stringify(text)}; send 1s to ${MAX_MS / UNIT_MS.d}d` };
  return {
    timing:
      parameter === "after" ? { kind: "at", atMs: nowMs + ms } : { kind: "every", everyMs: ms, fromMs: nowMs + ms },
  };
}

function notOne(given: readonly string[]): TimingProblem {
  const list = ONE_OF.map((name) => `\`${name}\``).join(", ");
  const found = given.length === 0 ? "none is given" : `${given.map((name) => `\`${name}\``).join(" and ")} are given`;
  return { parameter: given[1] ?? "schedule", problem: `needs exactly one of ${list}; ${found}` };
}

function cronTiming(text: string, zone: string): { readonly timing: ScheduleTiming } | TimingProblem {
  const known = knownZone(zone);
  if (known === undefined)
    return { parameter: "tz", problem: `${JSON.stringify(zone)} ${zoneProblem(zone)}`.replace(/\.$/, "") };
  const expression = text.trim().split(/\s+/).join(" ");
  const problem = expressionProblem(expression, known);
  if (problem !== undefined) return { parameter: "schedule", problem: `was ${JSON.stringify(text)}: ${problem}` };
  return { timing: { kind: "cron", expression, zone: known } };
}

const RFC_3339 = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(:\d{2}(?:\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})$/;

function atTiming(text: string, nowMs: number): { readonly timing: ScheduleTiming } | TimingProblem {
  const parameter = "at";
  const [, date, minutes, seconds = ":00", offset] = RFC_3339.exec(text.trim()) ?? [];
  const atMs = Date.parse(`${date}T${minutes}${seconds}${offset?.toUpperCase()}`);
  const isDay = Number.isFinite(atMs) && new Date(`${date}T00:00:00Z`).toISOString().startsWith(date ?? " ");
  if (!isDay)
    return {
      parameter,
      problem: `was ${JSON.stringify(text)}; send a date and time with its offset, such as "2030-01-31T09:00:00Z" or "2030-01-31T09:00:00+02:00"`,
    };
  if (atMs > nowMs) return { timing: { kind: "at", atMs } };
  const [understood, now] = [atMs, nowMs].map((ms) => new Date(ms).toISOString());
  return { parameter, problem: `was ${JSON.stringify(text)}, which is ${understood}; that is past: it is ${now}` };
}

/** Milliseconds of "90s", "1h30m" or "2 h"; undefined for anything else. */
export function durationOf(text: string): number | undefined {
  const parts = [
    ...text
      .trim()
      .toLowerCase()
      .matchAll(/(\d{1,12})\s*(ms|[smhd])\s*/gy),
  ];
  const read = parts.reduce((length, [whole]) => length + whole.length, 0);
  if (parts.length === 0 || read !== text.trim().length) return undefined;
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS], 0);
}
