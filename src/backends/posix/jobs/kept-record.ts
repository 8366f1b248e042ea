/** What is stored on the remote machine about a job with lifetime "keep", so that a later host knows what it is. */
import type { JobFacts } from "../../job-facts.js";

/** A kept job as the remote side lists it. */
export interface KeptJob {
  /** Names the spool directory and the number of its files. */
  readonly id: string;
  /** Where its files are, seen from another spool directory. */
  readonly ref: string;
  /** Milliseconds since one of its files changed; absent where the remote machine does not report times. */
  readonly quietMs?: number;
  readonly wasStopped: boolean;
  readonly facts: JobFacts;
  /** Absent if it is not recorded. */
  readonly startedMs?: number;
}

const ID = /^(haft-[0-9a-f]{18})\.([1-9]\d{0,14})$/;
const LINE = /^(haft-[0-9a-f]{18})\/([1-9]\d{0,14}) (\d+|-\d*) (yes|no) ([^\n]*)$/;
/** The latest time of a `Date`. */
const MAX_TIME_MS = 8.64e15;

export function keptId(spool: string | undefined, number: number): string {
  return `${spool}.${number}`;
}

/** The name "DIRECTORY/NUMBER" of a kept job's files, or undefined if `id` is not of a kept job. */
export function keptFiles(id: string): string | undefined {
  const [, spool, number] = ID.exec(id) ?? [];
  return spool === undefined ? undefined : `${spool}/${number}`;
}

/** One line of text. */
export function keptRecord({ command, cwd, session, owner }: Omit<JobFacts, "lifetime">, startedMs: number): string {
  return JSON.stringify({ command, cwd, session, owner, startedMs });
}

/** Parses a list. Commands can write to the directories, too: what is not of the right form is left out. */
export function readKept(bytes: Uint8Array): readonly KeptJob[] {
  const lines = new TextDecoder().decode(bytes).split("\n");
  return lines.flatMap((line): KeptJob[] => {
    const [, spool, number, seconds, stopped, record = ""] = LINE.exec(line) ?? [];
    if (spool === undefined) return [];
    return [
      {
        id: keptId(spool, Number(number)),
        ref: `../${spool}/${number}`,
        // A negative age comes from a clock that was set back.
        ...(seconds === "-" ? {} : { quietMs: Math.max(0, Number(seconds)) * 1_000 }),
        wasStopped: stopped === "yes",
        ...readRecord(record),
      },
    ];
  });
}

function readRecord(text: string): Pick<KeptJob, "facts" | "startedMs"> {
  const { command, cwd, session, owner, startedMs } = objectIn(text);
  const isTime = typeof startedMs === "number" && Math.abs(startedMs) <= MAX_TIME_MS;
  return {
    facts: {
      command: typeof command === "string" ? command : "",
      cwd: typeof cwd === "string" ? cwd : "/",
      lifetime: "keep",
      adopted: "host",
      ...(typeof session === "string" ? { session } : {}),
      ...(typeof owner === "string" ? { owner } : {}),
    },
    ...(isTime ? { startedMs } : {}),
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
