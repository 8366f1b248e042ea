/** ZC-067: the schedule of a cron job, an object or its JSON text. */
import { isRecord } from "../../kernel/index.js";
import { jsonFault } from "../../text/index.js";
import type { CronAddInput } from "../../tools/cron/contract.js";
import { shownValue } from "../arguments.js";

type Timing = Pick<CronAddInput, "schedule" | "tz" | "at" | "after" | "every">;

const MEMBERS = { schedule: "expr", tz: "tz", at: "at", after: "after_seconds", every: "every_ms" } as const;

/** The members of each kind. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  cron: ["expr", "tz"],
  at: ["at"],
  after: ["after_seconds"],
  every: ["every_ms"],
};

const EXAMPLES =
  'send an object such as {"kind":"cron","expr":"0 9 * * 1-5","tz":"Europe/Berlin"}, {"kind":"at","at":"2030-01-01T09:00:00Z"}, {"kind":"after","after_seconds":600} or {"kind":"every","every_ms":3600000}';

export function timingOfJob(given: unknown): Timing | { readonly problem: string; readonly parameter: string } {
  const schedule = typeof given === "string" ? parsed(given) : given;
  if (!isRecord(schedule)) return refused(given);
  const { kind, expr, tz, at, after_seconds: seconds, every_ms: everyMs } = schedule;
  const [foreign] = foreignMembers(schedule);
  if (foreign !== undefined)
    return {
      problem: `\`schedule\` has the kind "${String(kind)}" and \`${foreign}\`, which is of another kind; ${EXAMPLES}`,
      parameter: "schedule",
    };
  const isZone = tz === undefined || tz === null || typeof tz === "string";
  if (kind === "cron" && typeof expr === "string" && isZone) return { schedule: expr, ...(tz ? { tz } : {}) };
  if (kind === "at" && typeof at === "string") return { at };
  if (kind === "after" && isCount(seconds)) return { after: `${seconds}s` };
  if (kind === "every" && isCount(everyMs)) return { every: `${everyMs}ms` };
  return refused(schedule);
}

/** A sentence about the tool's own parameters, about those of this dialect. */
export function inWordsOfJobs(sentence: string): string {
  return sentence.replace(/`(schedule|tz|at|after|every)`/, (_, name: keyof Timing) => `\`schedule.${MEMBERS[name]}\``);
}

/** What says another time than the kind does. If it was ignored, the job would not run when it was meant to. */
function foreignMembers(schedule: Readonly<Record<string, unknown>>): readonly string[] {
  const own = KINDS[String(schedule.kind)];
  if (own === undefined) return [];
  const isGiven = (name: string) => schedule[name] !== undefined && schedule[name] !== null;
  return Object.values(MEMBERS).filter((name) => isGiven(name) && !own.includes(name));
}

function parsed(text: string): unknown {
  return jsonFault(text) === undefined ? JSON.parse(text) : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

function refused(given: unknown) {
  return { problem: `\`schedule\` was ${shownValue(given)}; ${EXAMPLES}`, parameter: "schedule" };
}
