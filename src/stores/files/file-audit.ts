/** The audit record on disk: append-only lines, one chain a process. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Audit, HaftError } from "../../kernel/index.js";
import { CHAIN_START, type ChainedRecord, chainedLine } from "./audit-chain.js";
import { AuditFile } from "./audit-file.js";
import { type StateFolder, unwritable } from "./state-folder.js";

/** How an audit record on disk is kept. */
export interface FileAuditOptions {
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

/**
 * The audit record in `<state>/audit`: one file a process and UTC day, `DAY-PID-CHAIN.jsonl`, beside it a `.head` file with
 * the sequence number and hash of the last line, so that lines missing at the end are noticed. The head follows within the
 * same turn of the event loop; after a kill it may be one turn behind.
 *
 * Each entry is written before `begin` or `end` returns, so a call is on record before it runs; it is not flushed to the disk:
 * it survives the process, not a power cut. They throw `STORE_UNWRITABLE` when the line could not be written
 * whole; what was written of it is taken back. The first entry makes the file. Where today's was deleted, the chain goes on in a
 * new file of the same name, whose head tells as `removedLines` how many lines of that day are gone. The file of a day that is
 * over may be deleted: nothing tells of it.
 */
export function fileAudit(state: StateFolder, options: FileAuditOptions = {}): Audit & { close(): void } {
  const now = options.now ?? Date.now;
  const chain = new ChainWriter();
  let file: AuditFile | undefined;
  /** The day of the last entry, and the lines of all days before it. */
  let today = { day: "", linesBefore: 0 };

  /** A file that could not even get its first line is none: the next entry tries again. */
  const begin = (to: AuditFile, atMs: number): void => {
    try {
      // A file that begins anew on the same day holds none of the lines that the day had so far.
      const removedLines = to.isEmpty ? chain.lines - today.linesBefore : 0;
      const removed = removedLines > 0 ? { removedLines } : {};
      chain.append(to, { kind: "head", chain: chain.id, pid: process.pid, node: process.version, ...removed }, atMs);
    } catch (error) {
      file = undefined;
      to.close();
      to.removeEmpty();
      throw error;
    }
  };

  const record = (entry: Entry): number => {
    const atMs = now();
    const dayNow = new Date(atMs).toISOString().slice(0, 10);
    // A clock that is set back over midnight does not go back to the file of the day before: the chain is read day by day.
    const isSetBack = dayNow < today.day;
    const day = isSetBack ? today.day : dayNow;
    try {
      if (today.day !== day) today = { day, linesBefore: chain.lines };
      if (file === undefined || file.day !== day || file.isRemoved) {
        file?.close();
        file = undefined;
        file = new AuditFile(state.folder("audit"), day, `${day}-${process.pid}-${chain.id}`);
        begin(file, atMs);
      }
      return chain.append(file, entry, atMs);
    } catch (error) {
      throw HaftError.is(error) ? error : unwritable(join(state.path, "audit"), error);
    }
  };

  return {
    begin(entry) {
      return `${chain.id}-${record({ kind: "begin", ...entry })}`;
    },
    end(id, entry) {
      record({ kind: "end", begin: id, ...entry });
    },
    close() {
      file?.close();
      file = undefined;
    },
  };
}

type Entry = { readonly kind: ChainedRecord["kind"]; readonly [field: string]: unknown };

/** The lines of this process, each bound to the one before, whichever file they go to. */
class ChainWriter {
  readonly id = randomBytes(6).toString("hex");
  #sequence = 0;
  #hash = CHAIN_START;

  /** How many were written. */
  get lines(): number {
    return this.#sequence;
  }

  /** Returns the number of the line. Nothing has happened when it throws. */
  append(to: AuditFile, entry: Entry, atMs: number): number {
    const record = { ...entry, sequence: this.#sequence, atMs };
    const { line, hash } = chainedLine(record, this.#hash);
    to.append(line);
    this.#hash = hash;
    this.#sequence += 1;
    to.head = `${String(record.sequence).padStart(12, "0")} ${hash}\n`;
    return record.sequence;
  }
}
