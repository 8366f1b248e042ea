/** The audit record on disk: append-only lines, one chain a process. */
import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Audit, HaftError } from "../../kernel/index.js";
import { CHAIN_START, type ChainedRecord, chainedLine } from "./audit-chain.js";
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
 * whole; what was written of it is taken back. The first entry makes the file.
 */
export function fileAudit(state: StateFolder, options: FileAuditOptions = {}): Audit & { close(): void } {
  const now = options.now ?? Date.now;
  const chain = randomBytes(6).toString("hex");
  let file: OpenFile | undefined;
  let sequence = 0;
  let hash = CHAIN_START;

  const append = (to: OpenFile, entry: Entry, atMs: number): number => {
    const record = { ...entry, sequence, atMs };
    const chained = chainedLine(record, hash);
    to.append(chained.line);
    hash = chained.hash;
    sequence += 1;
    to.head = `${String(record.sequence).padStart(12, "0")} ${hash}\n`;
    return record.sequence;
  };

  /** A file that could not even get its first line is none: the next entry tries again. */
  const begin = (to: OpenFile, atMs: number): void => {
    try {
      append(to, { kind: "head", chain, pid: process.pid, node: process.version }, atMs);
    } catch (error) {
      file = undefined;
      to.close();
      to.removeEmpty();
      throw error;
    }
  };

  const record = (entry: Entry): number => {
    const atMs = now();
    const day = new Date(atMs).toISOString().slice(0, 10);
    try {
      if (file?.day !== day) {
        file?.close();
        file = undefined;
        file = new OpenFile(state.folder("audit"), day, `${day}-${process.pid}-${chain}`);
        begin(file, atMs);
      }
      return append(file, entry, atMs);
    } catch (error) {
      throw HaftError.is(error) ? error : unwritable(join(state.path, "audit"), error);
    }
  };

  return {
    begin(entry) {
      return `${chain}-${record({ kind: "begin", ...entry })}`;
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

/** More than an entry whose input is clipped, with a few claims. */
const SCRATCH_BYTES = 16_384;

type Entry = { readonly kind: ChainedRecord["kind"]; readonly [field: string]: unknown };

/** The lines of one day and the head that follows them. */
class OpenFile {
  readonly #lines: number;
  readonly #headFile: number;
  readonly #scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
  #size: number;
  #head: string | undefined;
  #flush: NodeJS.Immediate | undefined;

  readonly #path: string;

  constructor(
    folder: string,
    readonly day: string,
    name: string,
  ) {
    this.#path = join(folder, name);
    // After `close` the same chain may go on in the file it had.
    this.#lines = openSync(`${this.#path}.jsonl`, "a", 0o600);
    try {
      this.#size = fstatSync(this.#lines).size;
      this.#headFile = openSync(`${this.#path}.head`, constants.O_RDWR | constants.O_CREAT, 0o600);
    } catch (error) {
      closeSync(this.#lines);
      throw error;
    }
  }

  /** The bytes of a line, in one buffer for all that fit it. */
  #inScratch(line: string): Uint8Array {
    if (Buffer.byteLength(line) > SCRATCH_BYTES) return Buffer.from(line, "utf8");
    return this.#scratch.subarray(0, this.#scratch.write(line));
  }

  append(line: string): void {
    const bytes = this.#inScratch(line);
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#lines, bytes, written);
    } catch (error) {
      ftruncateSync(this.#lines, this.#size);
      throw error;
    }
    this.#size += bytes.length;
  }

  /** Of one length always, so that it is overwritten in one write; several entries of one turn share it. */
  set head(text: string) {
    this.#head = text;
    this.#flush ??= setImmediate(() => this.#writeHead());
  }

  close(): void {
    clearImmediate(this.#flush);
    try {
      this.#writeHead();
    } finally {
      closeSync(this.#lines);
      closeSync(this.#headFile);
    }
  }

  /** After `close`: takes away what holds nothing. */
  removeEmpty(): void {
    if (this.#size > 0) return;
    for (const end of ["jsonl", "head"]) rmSync(`${this.#path}.${end}`, { force: true });
  }

  #writeHead(): void {
    this.#flush = undefined;
    const text = this.#head;
    this.#head = undefined;
    if (text === undefined) return;
    try {
      writeSync(this.#headFile, text, 0);
    } catch {
      // The lines are the record and were written; a head that lags is noticed by whoever checks them.
    }
  }
}
