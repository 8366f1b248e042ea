/** What calls changed in files, on disk for a week: one directory for each call, with a log and the old bytes. */
import { randomBytes } from "node:crypto";
import { appendFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CallRecord,
  type CallRecorder,
  type ChangeEnd,
  HaftError,
  isRecord,
  type RecordedCall,
  type RecordedChange,
  UNDO_TIMEOUT_MS,
  type UndoLog,
} from "../../kernel/index.js";
import { readIfThere } from "./replace-state-file.js";
import { type StateDirectory, unwritable } from "./state-directory.js";
import { endOf, isCall, isChange } from "./undo-record.js";

/** How much is stored of what calls replace. The oldest calls are dropped first. */
export const UNDO_LIMITS = {
  fileBytes: 32 * 1024 * 1024,
  callBytes: 64 * 1024 * 1024,
  totalBytes: 256 * 1024 * 1024,
  calls: 1_000,
  keptMs: 7 * 24 * 60 * 60 * 1000,
} as const;

/** What a process stores between two looks at how much there is. */
const CHECK_EVERY_BYTES = 8 * 1024 * 1024;
const CHECK_EVERY_CALLS = 100;
const DIRECTORY = "undo";
const LOG = "log.jsonl";
/** The time first, so that the names sort by it. */
const ID = /^[0-9a-z]{9}-[0-9a-f]{6}$/;

export interface FileUndoLogOptions {
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
  /** Default `UNDO_LIMITS`. */
  readonly limits?: Partial<Record<keyof typeof UNDO_LIMITS, number>>;
}

/** Shared by all processes that use the state directory. Reading creates no files. A process that is killed loses nothing of it; a power failure may. */
export function fileUndoLog(state: StateDirectory, { now = Date.now, limits: own }: FileUndoLogOptions = {}): UndoLog {
  const limits = { ...UNDO_LIMITS, ...own };
  const root = join(state.path, DIRECTORY);
  let bytes = 0;
  let calls = CHECK_EVERY_CALLS; // the first call of a process that stores something looks
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
      return idsIn(root).flatMap((id) => (timeOf(id) < oldestMs ? [] : (readCall(root, id) ?? [])));
    },
    async content(id, content) {
      if (!ID.test(id) || !/^\d+$/.test(content)) return undefined;
      const path = join(root, id, content);
      return readFile(path).catch((cause: NodeJS.ErrnoException) => {
        const { code: system = "" } = cause;
        if (system === "ENOENT") return undefined;
        throw new HaftError("FS_IO", `Could not read "${path}": ${system}.`, { cause, details: { path, system } });
      });
    },
  };
}

interface RecorderParts {
  now(): number;
  /** @param id - Of the record that stores more. */
  stored(id: string, more: { readonly bytes: number; readonly calls: number }): void;
  readonly limits: Readonly<Record<keyof typeof UNDO_LIMITS, number>>;
}

class FileRecorder implements CallRecorder {
  readonly #state: StateDirectory;
  readonly #call: RecordedCall;
  readonly #parts: RecorderParts;
  readonly #atMs: number;
  readonly id: string;
  #directory: string | undefined;
  /** The first line of the log, until it is written. */
  #header = "";
  #bytes = 0;
  #contents = 0;
  #changes = 0;
  /** Changes that may have been made. */
  #made = 0;

  constructor(state: StateDirectory, call: RecordedCall, parts: RecorderParts) {
    this.#state = state;
    this.#call = call;
    this.#parts = parts;
    this.#atMs = parts.now();
    this.id = `${this.#atMs.toString(36).padStart(9, "0")}-${randomBytes(3).toString("hex")}`;
  }

  async keep(bytes: Uint8Array): Promise<string | undefined> {
    const { fileBytes, callBytes } = this.#parts.limits;
    if (bytes.length > fileBytes || this.#bytes + bytes.length > callBytes) return undefined;
    const content = String(this.#contents++);
    this.#bytes += bytes.length;
    const directory = this.#open();
    try {
      await writeFile(join(directory, content), bytes, { flag: "wx", mode: 0o600 });
    } catch (error) {
      throw unwritable(directory, error);
    }
    this.#parts.stored(this.id, { bytes: bytes.length, calls: 0 });
    return content;
  }

  async begin(change: unknown): Promise<number> {
    const index = this.#changes++;
    this.#append({ begin: index, change });
    this.#made++;
    return index;
  }

  async end(index: number, end: ChangeEnd): Promise<void> {
    if (end.failed === true && --this.#made === 0 && this.#contents <= this.#changes) {
      // Nothing was changed so far, and no old bytes wait for their change: most refused calls leave nothing behind.
      if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
      this.#directory = undefined;
      return;
    }
    this.#append({ end: index, ...end });
  }

  #append(line: unknown): void {
    this.#open();
    this.#write(`${JSON.stringify(line)}\n`);
  }

  #write(text: string): void {
    const directory = this.#directory!;
    try {
      appendFileSync(join(directory, LOG), this.#header + text, { mode: 0o600 });
      this.#header = "";
    } catch (error) {
      throw unwritable(directory, error);
    }
  }

  #open(): string {
    if (this.#directory !== undefined) return this.#directory;
    const directory = this.#state.directory(DIRECTORY, this.id);
    this.#directory = directory;
    this.#header = `${JSON.stringify({ ...this.#call, id: this.id, atMs: this.#atMs })}\n`;
    // Other processes must not drop what is being undone.
    if (this.#call.undoes !== undefined) this.#write("");
    this.#parts.stored(this.id, { bytes: 0, calls: 1 });
    return directory;
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

/** Undefined for a call that changed nothing, and for a log that cannot be read or is damaged. */
function readCall(root: string, id: string): CallRecord | undefined {
  let lines: readonly string[];
  try {
    lines =
      readIfThere(join(root, id, LOG), false)
        ?.split("\n")
        .slice(0, -1) ?? [];
  } catch {
    return undefined;
  }
  const changes = new Map<unknown, RecordedChange>();
  let call: CallRecord | undefined;
  for (const text of lines) {
    const line = parsed(text);
    if (line === undefined) return undefined;
    if (call === undefined) {
      const first = { ...line, id, changes: [] };
      if (!isCall(first)) return undefined;
      call = first;
    } else if ("change" in line) {
      if (!isChange(line.change)) return undefined;
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
function dropOldest(root: string, limits: RecorderParts["limits"], nowMs: number, own: string): void {
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
      // It stays, and the next look tries again.
    }
  }
}

/** The records that an undo may be undoing now, in any process. */
function undoneBy(root: string, id: string, nowMs: number): readonly string[] {
  if (nowMs - timeOf(id) > UNDO_TIMEOUT_MS) return [];
  try {
    const { undoes } = parsed(readIfThere(join(root, id, LOG), false)?.split("\n", 1)[0] ?? "") ?? {};
    return Array.isArray(undoes) ? undoes : [];
  } catch {
    return [];
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
