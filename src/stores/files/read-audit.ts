/** The audit log of all processes: verifies each chain, joins begin and end of each call, and sorts by time. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isRecord, messageOf, type SourceTarget } from "../../kernel/index.js";
import { CHAIN_START, type ChainedRecord, readAuditChain } from "./audit-chain.js";
import { readIfThere } from "./replace-state-file.js";
import type { StateDirectory } from "./state-directory.js";

/** One call in the audit log. */
export interface AuditedCall {
  /** Its id in the log, as `audit` in its outcome. */
  readonly id: string;
  /** What the program that made the call named it. */
  readonly callId: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly sessionId: string;
  readonly tool: string;
  /** Where it ran: "local", "posix:dash". */
  readonly target: string;
  /** What the target is: the same, or "posix:dash" where it has a name of its own. */
  readonly spec: string;
  /** The other target, which it read from. */
  readonly source?: SourceTarget;
  /** Its working directory; empty in entries of versions that did not record it. */
  readonly workspace: string;
  /** The arguments, up to 4 KiB of them. */
  readonly input: string;
  /** How it ended; absent while it runs, and if its process was killed. */
  readonly status?: string;
  readonly tookMs?: number;
  /** All its fields in the log. */
  readonly begin: ChainedRecord;
  readonly end?: ChainedRecord;
}

/** A place where the log was changed. */
export interface AuditProblem {
  readonly file: string;
  /** 1-based; absent for the end of the file. */
  readonly line?: number;
  readonly why: string;
}

export interface AuditReport {
  readonly calls: readonly AuditedCall[];
  readonly problems: readonly AuditProblem[];
}

/** Day, process id and chain in the name of a log or its head. */
const FILE = /^(\d{4}-\d\d-\d\d)-(\d+)-([0-9a-f]+)\.(?:jsonl|head)$/;

/**
 * Reads and verifies every file. Lines after a broken one are omitted. A log without its head is verified as far as its
 * lines go; a head without its log is a problem. A log that was deleted with its head is detected only between two days of one
 * process, or if its process wrote more on the same day; so old days may be archived or deleted.
 */
export function readAudit(state: Pick<StateDirectory, "path">): AuditReport {
  const directory = join(state.path, "audit");
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => FILE.test(name)) : [];
  const logs = new Set(names.map((name) => name.replace(/head$/, "jsonl")));
  const calls = new Map<string, AuditedCall>();
  const problems: AuditProblem[] = [];
  const hashes = new Map<string, string>();
  for (const file of [...logs].sort()) {
    const [, day = "", pid = "", chain = ""] = FILE.exec(file) ?? [];
    const headFile = file.replace(/jsonl$/, "head");
    // The head first: a process that writes meanwhile only adds lines, and creates the log before its head.
    const head = textOfFile(join(directory, headFile));
    const text = textOfFile(join(directory, file));
    if (text instanceof Error || head instanceof Error) {
      const why =
        text instanceof Error ? `it cannot be read: ${text.message}` : `its head cannot be read: ${messageOf(head)}`;
      problems.push({ file, why });
      hashes.delete(chain);
      continue;
    }
    if (text === undefined) {
      hashes.delete(chain);
      if (head !== undefined)
        problems.push({
          file: headFile,
          why:
            `the log that belongs to it, ${file}, is missing from ${directory}: calls of process ${pid} on ${day}, of any session, ` +
            "are not listed. If the log was renamed or moved, move it back under this name. If it was deleted on purpose, delete the .head file too.",
        });
      continue;
    }
    const { records, hash, broken } = readAuditChain(text, hashes.get(chain));
    hashes.delete(chain);
    if (broken === undefined) hashes.set(chain, hash);
    if (broken !== undefined) problems.push({ file, ...broken });
    else problems.push(...startProblems(file, records[0]), ...endProblems(file, records, hash, headIn(head)));
    for (const record of records) addRecord(calls, chain, record);
  }
  return { calls: [...calls.values()].sort((left, right) => left.atMs - right.atMs), problems };
}

function sourceOf(value: unknown): Pick<AuditedCall, "source"> {
  if (!isRecord(value)) return {};
  const { target, spec } = value;
  return { source: { target: textOf(target), ...(spec === undefined ? {} : { spec: textOf(spec) }) } };
}

function addRecord(calls: Map<string, AuditedCall>, chain: string, record: ChainedRecord): void {
  if (record.kind === "begin") {
    const id = `${chain}-${record.sequence}`;
    const { atMs } = record;
    const [sessionId, tool, input] = [textOf(record.sessionId), textOf(record.tool), textOf(record.input)];
    const callId = textOf(record.callId);
    const [target, workspace] = [textOf(record.backend), textOf(record.workspace)];
    const spec = record.spec === undefined ? target : textOf(record.spec);
    const source = sourceOf(record.source);
    calls.set(id, { id, callId, atMs, sessionId, tool, target, spec, ...source, workspace, input, begin: record });
  }
  const begun = record.kind === "end" ? calls.get(textOf(record.begin)) : undefined;
  if (begun === undefined) return;
  const { status, tookMs } = record;
  calls.set(begun.id, {
    ...begun,
    ...(typeof status === "string" ? { status } : {}),
    ...(typeof tookMs === "number" ? { tookMs } : {}),
    end: record,
  });
}

interface Head {
  readonly sequence: number;
  readonly hash: string;
}

/** Undefined if there is none; the error if it cannot be read. */
function textOfFile(path: string): string | undefined | Error {
  try {
    return readIfThere(path);
  } catch (error) {
    return new Error(messageOf(error));
  }
}

/** Undefined if there is none, also where a power failure truncated it; "damaged" if it has anything else. */
function headIn(text: string | undefined): Head | "damaged" | undefined {
  if (text === undefined || /^(?:\d{0,12}|\d{12} [0-9a-f]{0,64}|\0+)$/.test(text)) return undefined;
  const [, sequence, hash] = /^(\d{12}) ([0-9a-f]{64})\n$/.exec(text) ?? [];
  return sequence === undefined || hash === undefined ? "damaged" : { sequence: Number(sequence), hash };
}

function startProblems(file: string, first: ChainedRecord | undefined): AuditProblem[] {
  if (first === undefined) return [];
  const { kind, sequence, previous, removedLines } = first;
  const at = { file, line: 1 };
  if (kind !== "head") return [{ ...at, why: "lines are missing before it" }];
  if (removedLines !== undefined)
    return [{ ...at, why: `${removedLines} lines before it were removed while their process ran` }];
  return sequence === 0 && previous !== CHAIN_START ? [{ ...at, why: "the chain does not begin with it" }] : [];
}

/** After a kill the head may be behind the lines; it is never ahead of them. */
function endProblems(
  file: string,
  records: readonly ChainedRecord[],
  hash: string,
  head: Head | "damaged" | undefined,
): AuditProblem[] {
  const last = records.at(-1);
  if (head === undefined) return [];
  if (head === "damaged")
    return [
      {
        file: file.replace(/jsonl$/, "head"),
        why: `it does not have the sequence number and hash of a line, so lines may be missing at the end of ${file}`,
      },
    ];
  const isShort = last === undefined || head.sequence > last.sequence;
  if (isShort) return [{ file, why: "lines are missing at its end" }];
  return head.sequence === last.sequence && head.hash !== hash ? [{ file, why: "its last line was changed" }] : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
