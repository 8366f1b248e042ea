/** When a schedule is due: its times, as numbers and as words. */
import type { ScheduleTiming } from "../../kernel/index.js";
import { wallTime } from "../../text/index.js";
import { lastMatches, nextMatch } from "./cron-expression.js";

/** The first due time after `afterMs`, milliseconds since the epoch; undefined where there is none. */
export function nextDue(timing: ScheduleTiming, afterMs: number): number | undefined {
  switch (timing.kind) {
    case "cron":
      return nextMatch(timing.expression, timing.zone, afterMs);
    case "at":
      return timing.atMs > afterMs ? timing.atMs : undefined;
    case "every": {
      const { everyMs, fromMs } = timing;
      return afterMs < fromMs ? fromMs : fromMs + (Math.floor((afterMs - fromMs) / everyMs) + 1) * everyMs;
    }
  }
}

/** The latest due times from `fromMs` to `toMs`, both included, at most `most`, the oldest first. */
export function duesBetween(timing: ScheduleTiming, fromMs: number, toMs: number, most: number): readonly number[] {
  const isDue = (ms: number) => ms >= fromMs && ms <= toMs;
  switch (timing.kind) {
    case "cron":
      return lastMatches(timing.expression, timing.zone, toMs + 1_000, most + 1)
        .filter(isDue)
        .slice(-most);
    case "at":
      return [timing.atMs].filter(isDue);
    case "every": {
      const { everyMs, fromMs: startMs } = timing;
      const last = startMs + Math.floor((toMs - startMs) / everyMs) * everyMs;
      const count = Math.min(most, Math.floor((last - Math.max(fromMs, startMs)) / everyMs) + 1);
      return Array.from({ length: Math.max(0, count) }, (_, index) => last - (count - 1 - index) * everyMs);
    }
  }
}

/** The zone in which a timing is written and shown. */
export function zoneOf(timing: ScheduleTiming, local: string): string {
  return timing.kind === "cron" ? timing.zone : local;
}

/** `Monday 2026-11-30 09:00:00+01:00 Europe/Berlin` */
export function localText(ms: number, zone: string): string {
  const { weekday, date, time, offset } = wallTime(ms, zone);
  return `${weekday} ${date} ${time}${offset} ${zone}`;
}

/** What a user reads: `every day at 09:00, Europe/Berlin`. */
export function timingText(timing: ScheduleTiming, local: string): string {
  switch (timing.kind) {
    case "cron":
      return `${cronText(timing.expression)}, ${timing.zone}`;
    case "at":
      return `once, ${localText(timing.atMs, local)}`;
    case "every":
      return `every ${durationText(timing.everyMs)}`;
  }
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
  ["millisecond", 1],
] as const;

/** `2 hours 30 minutes`, exact; a single unit of one is `hour`. */
export function durationText(ms: number): string {
  let left = ms;
  const parts: string[] = [];
  for (const [name, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count === 0) continue;
    parts.push(count === 1 && left === 0 && parts.length === 0 ? name : `${count} ${name}${count === 1 ? "" : "s"}`);
  }
  return parts.join(" ") || "0 seconds";
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** The usual expressions in words, any other as it is. */
function cronText(expression: string): string {
  const [minute = "", hour = "", day, month, weekday = "", ...more] = expression.trim().split(/\s+/);
  const asIs = `cron "${expression.trim()}"`;
  if (more.length > 0 || month !== "*") return asIs;
  const step = /^\*\/(\d+)$/.exec(minute)?.[1];
  const isAnyDay = day === "*" && weekday === "*";
  if (isAnyDay && hour === "*") {
    if (minute === "*") return "every minute";
    if (step !== undefined && 60 % Number(step) === 0) return `every ${durationText(Number(step) * 60_000)}`;
    if (/^\d+$/.test(minute)) return `every hour at minute ${Number(minute)}`;
  }
  if (!/^\d+$/.test(minute) || !/^\d+$/.test(hour)) return asIs;
  const at = `at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (isAnyDay) return `every day ${at}`;
  if (weekday === "*" && /^\d+$/.test(day ?? "")) return `on day ${day} of every month ${at}`;
  const days = weekdayText(weekday);
  return day === "*" && days !== undefined ? `every ${days} ${at}` : asIs;
}

function weekdayText(field: string): string | undefined {
  const name = (text: string) => WEEKDAYS[Number(text)] ?? "";
  if (/^[0-7](,[0-7])*$/.test(field)) return field.split(",").map(name).join(", ");
  const range = /^([0-7])-([0-7])$/.exec(field);
  return range === null ? undefined : `${name(range[1]!)} to ${name(range[2]!)}`;
}
