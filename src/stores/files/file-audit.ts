/** The audit log on disk: append-only lines, one chain per process. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type Audit, HaftError } from "../../kernel/index.js";
import { CHAIN_START, type ChainedRecord, chainedLine } from "./audit-chain.js";
import { AuditFile } from "./audit-file.js";
import { type StateDirectory, unwritable } from "./state-directory.js";

/** How an audit log on disk is stored. */
export interface FileAuditOptions {
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** The file is checked after this many lines even within one turn of the event loop. */
const MOST_UNSETTLED = 64;

/**
 * The audit log in `<state>/audit`: one file per process and UTC day, `DAY-PID-CHAIN.jsonl`, and beside it a `.head` file with
 * the sequence number and hash of the last line, so that lines missing at the end are detected. The head is written within
 * the same turn of the event loop; after a kill it may be one turn behind.
 *
 * Each entry is written before `begin` or `end` returns, so a call is in the audit log before it runs; it is not flushed to the disk:
 * it survives the process, not a power failure. They throw `STORE_UNWRITABLE` if the line could not be written
 * completely; the part that was written is removed. The first entry creates the file.
 *
 * A deletion of today's file is detected when its head is written. The chain then continues in a new file of the same name with
 * the lines of that turn; `removedLines` in its first line is the number of lines of that day that were deleted. Until this
 * file can be created, every entry is refused. Deleting files of past days is allowed and not recorded.
 */
export function fileAudit(state: StateDirectory, options: FileAuditOptions = {}): Audit & { close(): void } {
  const writer = new AuditWriter(state, options.now ?? Date.now);
  return {
    begin: (entry) => `${writer.chain}-${writer.record("begin", entry)}`,
    end: (id, entry) => void writer.record("end", { begin: id, ...entry }),
    close: () => writer.close(),
  };
}

type Kind = ChainedRecord["kind"];

/** A record written since the file was last checked, without its position in the chain. */
interface Unsettled {
  readonly kind: Kind;
  readonly sequence: number;
  readonly json: string;
}

/** The lines of this process, chained by hashes across files. */
class AuditWriter {
  readonly chain = randomBytes(6).toString("hex");
  readonly #state: StateDirectory;
  readonly #now: () => number;
  #file: AuditFile | undefined;
  /** The day of the last entry, and the lines of all days before it. */
  #today = { day: "", untilMs: Number.NEGATIVE_INFINITY, linesBefore: 0 };
  /** How many lines were written. */
  #lines = 0;
  /** Of the last line. */
  #hash = CHAIN_START;
  #unsettled: Unsettled[] = [];
  /** Of the line before the unsettled ones. */
  #settledHash = CHAIN_START;
  #settling: NodeJS.Immediate | undefined;

  constructor(state: StateDirectory, now: () => number) {
    this.#state = state;
    this.#now = now;
  }

  /** Returns the number of the line. If it throws, nothing was written. */
  record(kind: Kind, entry: object): number {
    const sequence = this.#refusing(() => {
      const atMs = this.#now();
      // If the clock is set back over midnight, the later day's file stays in use: the chain is read in the order of days.
      if (!(atMs < this.#today.untilMs)) this.#beginDay(atMs);
      const file = this.#file ?? this.#open();
      const one = unsettled(kind, entry, this.#lines, atMs);
      this.#append(file, this.#hash, [one]);
      this.#unsettled.push(one);
      return one.sequence;
    });
    if (this.#unsettled.length >= MOST_UNSETTLED) this.#settleOrLeave();
    else this.#settling ??= setImmediate(() => this.#settleOrLeave());
    return sequence;
  }

  /** The same chain may continue afterwards. @throws `STORE_UNWRITABLE` when lines of a removed file cannot be written again. */
  close(): void {
    try {
      this.#refusing(() => this.#settle());
    } finally {
      this.#file?.close();
      this.#file = undefined;
    }
  }

  #refusing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw HaftError.is(error) ? error : unwritable(join(this.#state.path, "audit"), error);
    }
  }

  #beginDay(atMs: number): void {
    const day = new Date(atMs).toISOString().slice(0, 10);
    this.#settle();
    this.#file?.close();
    this.#file = undefined;
    this.#today = { day, untilMs: (Math.floor(atMs / DAY_MS) + 1) * DAY_MS, linesBefore: this.#lines };
  }

  /** Creates the file of today: with the unsettled lines if it was deleted, else with a first line of its own. */
  #open(): AuditFile {
    const { day, linesBefore } = this.#today;
    const file = new AuditFile(this.#state.directory("audit"), `${day}-${process.pid}-${this.chain}`);
    try {
      const again = this.#unsettled;
      const first = again[0]?.sequence ?? this.#lines;
      // A new file of the same day has none of the lines that were written on that day.
      const removedLines = file.isEmpty ? first - linesBefore : 0;
      const head = (sequence: number) => {
        const about = { chain: this.chain, pid: process.pid, node: process.version };
        const gone = removedLines > 0 ? { removedLines } : {};
        return unsettled("head", { ...about, ...gone }, sequence, this.#now());
      };
      const lines =
        again.length === 0
          ? [head(first)]
          : again[0]?.kind === "head"
            ? [head(first), ...again.slice(1)]
            : removedLines > 0
              ? [head(first - 1), ...again]
              : again;
      this.#append(file, again.length === 0 ? this.#hash : this.#settledHash, lines);
      this.#unsettled = lines;
      this.#file = file;
      return file;
    } catch (error) {
      // Without its first line the file cannot be used: the next entry tries again.
      file.close();
      file.removeEmpty();
      throw error;
    }
  }

  /** If it throws, nothing has changed. */
  #append(file: AuditFile, before: string, records: readonly Unsettled[]): void {
    let hash = before;
    let text = "";
    for (const { json } of records) {
      const chained = chainedLine(json, hash);
      text += chained.line;
      hash = chained.hash;
    }
    file.append(text);
    if (this.#unsettled.length === 0) this.#settledHash = before;
    this.#hash = hash;
    this.#lines = (records.at(-1)?.sequence ?? -1) + 1;
  }

  /** Keeps the lines that it cannot write again; entries are refused until they are written. */
  #settleOrLeave(): void {
    try {
      this.#settle();
    } catch {}
  }

  #settle(): void {
    clearImmediate(this.#settling);
    this.#settling = undefined;
    if (this.#unsettled.length === 0) return;
    if (this.#file?.isRemoved === true) {
      this.#file.close();
      this.#file = undefined;
    }
    const file = this.#file ?? this.#open();
    this.#unsettled = [];
    file.writeHead(`${String(this.#lines - 1).padStart(12, "0")} ${this.#hash}\n`);
  }
}

/** `entry` has at least one field. */
function unsettled(kind: Kind, entry: object, sequence: number, atMs: number): Unsettled {
  const fields = JSON.stringify(entry).slice(1, -1);
  return { kind, sequence, json: `{"kind":"${kind}",${fields},"sequence":${sequence},"atMs":${atMs}}` };
}
