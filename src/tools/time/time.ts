import { defineTool, fail, ok, type ToolContext, type ToolResult } from "../../kernel/index.js";
import { nearestNames } from "../../text/index.js";
import { quoted } from "../shared/path-input.js";
import { TIME_FORMATS, type TimeData, type TimeFormat, type TimeInput, timeSchema } from "./contract.js";

/** Returns the current time of the host in a time zone. Fails with `CALL_INVALID` for an unknown zone or format. */
export const timeTool = defineTool({
  name: "time",
  description: "Show the current date and time.",
  input: timeSchema,
  annotations: { title: "Time" },
  run: formatTime,
});

function formatTime(input: TimeInput, ctx: Pick<ToolContext, "clock">): ToolResult<TimeData> {
  const { format = "iso" } = input;
  const zone = knownZone(input.zone ?? "UTC");
  if (zone === undefined) return refuseZone(input.zone ?? "");
  if (!TIME_FORMATS.includes(format)) return refuseFormat(format);
  const nowMs = Math.floor(ctx.clock.now());
  const epochNs = String(BigInt(nowMs) * 1_000_000n);
  return ok(
    { epochNs, zone, format, text: FORMS[format](wallTime(nowMs, zone), nowMs, zone) },
    { structured: { epochNs, zone } },
  );
}

/** The canonical name of the zone; undefined for an unknown one. An older name is kept. */
function knownZone(asked: string): string | undefined {
  try {
    const known = new Intl.DateTimeFormat("en-US", { timeZone: asked }).resolvedOptions().timeZone;
    return known.toLowerCase() === asked.toLowerCase() ? known : asked;
  } catch {
    return undefined;
  }
}

function refuseZone(zone: string): ToolResult<never> {
  const near = nearestNames(zone, Intl.supportedValuesOf("timeZone"));
  const nearest = near.length === 0 ? "" : ` Did you mean ${near.join(", ")}?`;
  const problem = `\`zone\` ${quoted(zone)} is not a time zone; send an IANA name such as Europe/Berlin, or UTC.${nearest}`;
  return fail("CALL_INVALID", `Did not return the time: ${problem}`, { details: { parameter: "zone", problem } });
}

function refuseFormat(format: string): ToolResult<never> {
  const problem = `\`format\` ${quoted(format)} is unknown; must be one of ${TIME_FORMATS.join(", ")}`;
  return fail("CALL_INVALID", `Did not return the time: ${problem}.`, { details: { parameter: "format", problem } });
}

/** The parts of a time as text, of fixed width except for names. */
interface WallTime {
  readonly date: string;
  readonly time: string;
  readonly day: string;
  readonly month: string;
  readonly weekday: string;
  /** `+02:00` */
  readonly offset: string;
}

const FORMS: Readonly<Record<TimeFormat, (wall: WallTime, nowMs: number, zone: string) => string>> = {
  iso: ({ date, time, offset }) => `${date}T${time}${offset}`,
  long: ({ weekday, day, month, date, time, offset }, _now, zone) =>
    `${weekday}, ${Number(day)} ${month} ${yearOf(date)}, ${time} ${zone} (UTC${offset})`,
  rfc2822: ({ weekday, day, month, date, time, offset }) =>
    `${weekday.slice(0, 3)}, ${day} ${month.slice(0, 3)} ${yearOf(date)} ${time} ${offset.replace(":", "")}`,
  unix: (_wall, nowMs) => String(Math.floor(nowMs / 1000)),
};

function yearOf(date: string): string {
  return date.slice(0, date.indexOf("-", 1));
}

function wallTime(nowMs: number, zone: string): WallTime {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  }).formatToParts(nowMs);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value);
  const asUtcMs = Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
  const wall = new Date(asUtcMs);
  const word = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat("en-US", { timeZone: "UTC", ...options }).format(wall);
  const [date = "", time = ""] = wall.toISOString().split("T");
  return {
    date,
    time: time.slice(0, 8),
    day: date.slice(-2),
    month: word({ month: "long" }),
    weekday: word({ weekday: "long" }),
    offset: offsetOf(Math.round((asUtcMs - Math.floor(nowMs / 1000) * 1000) / 60_000)),
  };
}

function offsetOf(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
