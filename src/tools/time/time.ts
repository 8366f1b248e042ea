import { defineTool, fail, ok, type ToolContext, type ToolResult } from "../../kernel/index.js";
import { knownZone, type WallTime, wallTime, zoneProblem } from "../../text/index.js";
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

function refuseZone(zone: string): ToolResult<never> {
  const problem = `\`zone\` ${quoted(zone)} ${zoneProblem(zone)}`;
  return fail("CALL_INVALID", `Did not return the time: ${problem}`, { details: { parameter: "zone", problem } });
}

function refuseFormat(format: string): ToolResult<never> {
  const problem = `\`format\` ${quoted(format)} is unknown; must be one of ${TIME_FORMATS.join(", ")}`;
  return fail("CALL_INVALID", `Did not return the time: ${problem}.`, { details: { parameter: "format", problem } });
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
