/** What a user who is asked about a schedule sees of it, beside its command. */
import type { Schedule, SchedulePreview, ToolContext } from "../../kernel/index.js";
import { localZone } from "../../text/index.js";
import type { CronAddInput, CronUpdateInput } from "./contract.js";
import { DEFAULT_MISSED, givenContent, timingOf } from "./schedule-input.js";
import { foundSchedule, isFailure } from "./shown-schedule.js";

/** Due times that are shown. */
const MAX_NEXT = 3;

/** Undefined for what the call itself will refuse. */
export async function previewSchedule(
  input: CronAddInput | CronUpdateInput,
  ctx: ToolContext,
): Promise<SchedulePreview | undefined> {
  const { schedules } = ctx.state;
  const old = "id" in input ? await foundSchedule(schedules, input.id) : undefined;
  if (old !== undefined && isFailure(old)) return undefined;
  const nowMs = await schedules.now();
  const timed = await timingOf(input, nowMs, false, schedules.askedMs);
  if (timed !== undefined && "isError" in timed) return undefined;
  const timing = timed?.timing ?? old?.timing;
  if (timing === undefined) return undefined;
  const { localText, nextDue, timingText, zoneOf } = await import("../../engines/schedule/index.js");
  const zone = localZone();
  const next: string[] = [];
  // The words of one that is due once say the time.
  let dueMs = timing.kind === "at" ? undefined : nextDue(timing, nowMs);
  while (dueMs !== undefined && next.length < MAX_NEXT) {
    next.push(localText(dueMs, zoneOf(timing, zone)));
    dueMs = nextDue(timing, dueMs);
  }
  const { name = old?.name, missed = old?.missed ?? DEFAULT_MISSED } = givenContent(input) as Partial<Schedule>;
  return { kind: "schedule", when: timingText(timing, zone), next, missed, ...(name === undefined ? {} : { name }) };
}
