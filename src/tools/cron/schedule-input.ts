/** Reads what a call says about a schedule, before anybody is asked about it and again when it is stored. */
import {
  type CallSchedule,
  type Claim,
  type ClaimContext,
  type ClaimsOutcome,
  fail,
  type MissedRuns,
  type ScheduleTiming,
  type ToolResult,
} from "../../kernel/index.js";
import { hasLoneSurrogate, localZone, utf8Length } from "../../text/index.js";
import { type CronAddInput, type CronUpdateInput, SCHEDULE_LIMITS } from "./contract.js";

type Words = CronAddInput | CronUpdateInput;

export const DEFAULT_MISSED: MissedRuns = "once";

const WRITES: Claim = { kind: "state", collection: "schedules", access: "write" };
const TIMINGS = ["schedule", "at", "after", "every", "tz"] as const;

/** The claims of a call that adds or changes a schedule: policy judges its command as if it ran. */
export async function scheduleClaims(input: Words, context: ClaimContext): Promise<ClaimsOutcome> {
  const problem = contentProblem(input) ?? (await timingOf(input, context.clock.now(), false));
  if (problem !== undefined && "isError" in problem) return problem;
  const { command } = input;
  if (command === undefined) return [WRITES];
  return [WRITES, { kind: "command", command, cwd: cwdOf(input, context) }];
}

export function cwdOf({ cwd }: Words, context: Pick<ClaimContext, "cwd" | "resolve">): string {
  return cwd === undefined ? context.cwd : context.resolve(cwd);
}

export function hasTiming(input: Words): boolean {
  return TIMINGS.some((name) => input[name] !== undefined);
}

/**
 * Undefined where the input says nothing about it, and need not. @param askedMs - When the user was asked, where that is: `after` and
 * `every` count from then, as the user was shown.
 */
export async function timingOf(
  input: Words,
  nowMs: number,
  isRequired: boolean,
  askedMs = nowMs,
): Promise<{ readonly timing: ScheduleTiming } | ToolResult<never> | undefined> {
  if (!isRequired && "id" in input && !hasTiming(input)) return undefined;
  const { parseTiming } = await import("../../engines/schedule/index.js");
  const fromMs = input.after === undefined && input.every === undefined ? nowMs : askedMs;
  const parsed = parseTiming(input, { nowMs: fromMs, localZone: localZone() });
  if ("problem" in parsed) return invalid(parsed.parameter, parsed.problem);
  if (input.after === undefined || parsed.timing.kind !== "at" || parsed.timing.atMs > nowMs) return parsed;
  return invalid(
    "after",
    "counts from when the user was asked, and that time is past; send the call again to ask again",
  );
}

/** The members of a schedule that the input gives, but for its timing, command and directory. */
export function givenContent({ name, missed, retries, timeoutMs }: Words) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(missed === undefined ? {} : { missed: missedOf(missed) }),
    ...(retries === undefined ? {} : { retries }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  } satisfies Partial<CallSchedule>;
}

function missedOf(text: string): MissedRuns {
  return text === "skip" || text === "once" ? text : Number(text);
}

function contentProblem(input: Words): ToolResult<never> | undefined {
  const { command, cwd, name, missed, retries, timeoutMs } = input;
  const { maxCommandBytes, maxMissed, maxNameCharacters, maxRetries, maxTimeoutMs } = SCHEDULE_LIMITS;
  const isWhole = (value: number | undefined, least: number, most: number) =>
    value === undefined || (Number.isInteger(value) && value >= least && value <= most);
  const problem = (
    [
      ["command", command?.trim() === "", "is empty; send a shell command"],
      ["command", command?.includes("\0"), "contains a NUL byte, which no shell accepts"],
      ["command", hasLoneSurrogate(command ?? ""), "contains a lone surrogate (half a character)"],
      [
        "command",
        utf8Length(command ?? "") > maxCommandBytes,
        `has more than ${maxCommandBytes} bytes; put it into a file`,
      ],
      ["cwd", cwd === "" || cwd?.includes("\0") || hasLoneSurrogate(cwd ?? ""), "is not a directory"],
      ["command", "id" in input && cwd !== undefined && command === undefined, "is required with `cwd`"],
      [
        "name",
        name !== undefined && !isName(name, maxNameCharacters),
        `takes 1 to ${maxNameCharacters} characters of one line`,
      ],
      [
        "missed",
        missed !== undefined && !isMissed(missed),
        `was ${JSON.stringify(missed)}; send "skip", "once" or 1 to ${maxMissed}`,
      ],
      ["retries", !isWhole(retries, 0, maxRetries), `was ${retries}; send 0 to ${maxRetries}`],
      ["timeoutMs", !isWhole(timeoutMs, 1, maxTimeoutMs), `was ${timeoutMs}; send 1 to ${maxTimeoutMs} milliseconds`],
    ] as const
  ).find(([, isBad]) => isBad === true);
  return problem === undefined ? undefined : invalid(problem[0], problem[2]);
}

function isName(name: string, most: number): boolean {
  return name.trim() !== "" && name.length <= most && !/[\0-\x1f\x7f]/.test(name) && !hasLoneSurrogate(name);
}

function isMissed(text: string): boolean {
  if (text === "skip" || text === "once") return true;
  return /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= SCHEDULE_LIMITS.maxMissed;
}

function invalid(parameter: string, clause: string): ToolResult<never> {
  const problem = `\`${parameter}\` ${clause}`;
  const end = /[.?]$/.test(problem) ? "" : ".";
  return fail("CALL_INVALID", `Did not store the schedule: ${problem}${end}`, { details: { parameter, problem } });
}
