/** What calls changed in files, on disk for a week: one directory for each call, with a log and the old bytes. */
import { closeSync, constants, fstatSync, openSync, read, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type CallRecord,
  HaftError,
  isRecord,
  type RecordedChange,
  UNDO_TIMEOUT_MS,
  type UndoLog,
} from "../../kernel/index.js";
import { readIfThere } from "./replace-state-file.js";
import { type StateDirectory, unwritable } from "./state-directory.js";
import { endOf, isCall, isChange } from "./undo-record.js";
import { FileRecorder, OLD_BYTES, type RecorderParts, UNDO_DIRECTORY, UNDO_LOG } from "./undo-recorder.js";

/** How much is stored of what calls replace. The oldest calls are dropped first. */
export const UNDO_LIMITS = {
  fileBytes: 32 * 1024 * 1024,
  callBytes: 64 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
  calls: 1_000,
  keptMs: 7 * 24 * 60 * 60 * 1000,
} as const;

/** What a process stores between two checks of the limits. */
const CHECK_EVERY_BYTES = 8 * 1024 * 1024;
const CHECK_EVERY_CALLS = 100;
/** The time first, so that the names sort by it. */
const ID = /^[0-9a-z]{9}-[0-9a-f]{6}$/;
/** Where old bytes are in their file: offset and length. */
const CONTENT = /^(\d{1,15})-(\d{1,15})$/;

type UndoLimits = Readonly<Record<keyof typeof UNDO_LIMITS, number>>;

export interface FileUndoLogOptions {
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
  /** Default `UNDO_LIMITS`. */
  readonly limits?: Partial<UndoLimits>;
}

export interface FileUndoLog extends UndoLog {
  /** Deletes the records of a session. @returns How many. */
  forget(session: string): Promise<number>;
}

/** Shared by all processes that use the state directory. Reading creates no files. */
export function fileUndoLog(
  state: StateDirectory,
  { now = Date.now, limits: own }: FileUndoLogOptions = {},
): FileUndoLog {
  const limits: UndoLimits = { ...UNDO_LIMITS, ...own };
  const root = join(state.path, UNDO_DIRECTORY);
  let bytes = 0;
  let calls = CHECK_EVERY_CALLS; // the first call of a process that stores something checks
  const stored: RecorderParts["stored"] = (id, more) => {
    bytes += more.bytes;
    calls += more.calls;
    if (bytes < CHECK_EVERY_BYTES && calls < CHECK_EVERY_CALLS) return;
    bytes = 0;
    calls = 0;
    dropOldest(root, limits, now(), id);
  };
  return {
    maxFileBytes: limits.fileBytes,
    record: (call) => new FileRecorder(state, call, { now, stored, limits }),
    async list() {
      state.check();
      const oldestMs = now() - limits.keptMs;
      const calls: CallRecord[] = [];
      const damaged: string[] = [];
      for (const id of idsIn(root)) {
        if (timeOf(id) < oldestMs) continue;
        const call = readCall(root, id);
        if (call === "damaged") damaged.push(id);
        else if (call !== undefined) calls.push(call);
      }
      return { calls, damaged };
    },
    async content(id, content) {
      const [, offset, length] = CONTENT.exec(content) ?? [];
      if (!ID.test(id) || Number(length ?? Number.NaN) > limits.fileBytes || length === undefined) return undefined;
      const path = join(root, id, OLD_BYTES);
      try {
        return await readPart(path, Number(offset), Number(length));
      } catch (cause) {
        const { code: system = "" } = cause as NodeJS.ErrnoException;
        if (system === "ENOENT") return undefined;
        throw new HaftError("FS_IO", `Could not read "${path}": ${system}.`, { cause, details: { path, system } });
      }
    },
    async forget(session) {
      state.check();
      const own = idsIn(root).filter((id) => headerOf(root, id).sessionId === session);
      for (const id of own) {
        try {
          rmSync(join(root, id), { recursive: true, force: true });
        } catch (error) {
          throw unwritable(join(root, id), error);
        }
      }
      return own.length;
    },
  };
}

const readStep = promisify(read);

/** Undefined where the file is shorter. */
async function readPart(path: string, offset: number, length: number): Promise<Uint8Array | undefined> {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (fstatSync(descriptor).size < offset + length) return undefined;
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const { bytesRead } = await readStep(descriptor, bytes, done, length - done, offset + done);
      if (bytesRead === 0) return undefined;
      done += bytesRead;
    }
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/** Oldest first. */
function idsIn(root: string): string[] {
  try {
    return readdirSync(root)
      .filter((name) => ID.test(name))
      .sort();
  } catch {
    return [];
  }
}

/** Undefined for a call that changed nothing, as far as is known. */
function readCall(root: string, id: string): CallRecord | "damaged" | undefined {
  let lines: readonly string[];
  try {
    lines =
      readIfThere(join(root, id, UNDO_LOG), false)
        ?.split("\n")
        .slice(0, -1) ?? [];
  } catch {
    return "damaged";
  }
  const changes = new Map<unknown, RecordedChange>();
  let call: CallRecord | undefined;
  for (const text of lines) {
    const line = parsed(text);
    if (line === undefined) return "damaged";
    if (call === undefined) {
      const first = { ...line, id, changes: [] };
      if (!isCall(first)) return "damaged";
      call = first;
    } else if ("change" in line) {
      if (!isChange(line.change)) return "damaged";
      changes.set(line.begin, { ...line.change, isUnfinished: true });
    } else {
      const { end: index, failed } = line;
      const end = endOf(line);
      const change = changes.get(index);
      if (failed === true) changes.delete(index);
      else if (change !== undefined) changes.set(index, { ...change, ...end, isUnfinished: false });
    }
  }
  return call === undefined || changes.size === 0 ? undefined : { ...call, changes: [...changes.values()] };
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param own - The record of the call that runs. */
function dropOldest(root: string, limits: UndoLimits, nowMs: number, own: string): void {
  const newestFirst = idsIn(root).reverse();
  const over: string[] = [];
  let bytes = 0;
  for (const [index, id] of newestFirst.entries()) {
    const isOver = nowMs - timeOf(id) > limits.keptMs || index >= limits.calls || bytes > limits.totalBytes;
    if (!isOver) bytes += bytesIn(join(root, id));
    if (isOver || bytes > limits.totalBytes) over.push(id);
  }
  if (over.length === 0) return;
  const kept = new Set([own, ...newestFirst.flatMap((id) => undoneBy(root, id, nowMs))]);
  for (const id of over) {
    if (kept.has(id)) continue;
    try {
      rmSync(join(root, id), { recursive: true, force: true });
    } catch {
      // It stays, and the next check tries again.
    }
  }
}

/** The records that an undo may be undoing now, in any process. */
function undoneBy(root: string, id: string, nowMs: number): readonly string[] {
  if (nowMs - timeOf(id) > UNDO_TIMEOUT_MS) return [];
  const { undoes } = headerOf(root, id);
  return Array.isArray(undoes) ? undoes : [];
}

/** The first line of a log; empty where it cannot be read. */
function headerOf(root: string, id: string): Record<string, unknown> {
  try {
    return parsed(readIfThere(join(root, id, UNDO_LOG), false)?.split("\n", 1)[0] ?? "") ?? {};
  } catch {
    return {};
  }
}

function timeOf(id: string): number {
  return Number.parseInt(id, 36);
}

function bytesIn(directory: string): number {
  try {
    return readdirSync(directory).reduce(
      (sum, name) => sum + (statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  } catch {
    return 0;
  }
}
