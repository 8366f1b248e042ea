/** Writes the stdin of a running command block by block, so that at most one block is buffered on this side. */
import { utf8HeadEnd } from "../text/index.js";
import { elapsedMs } from "./deadline.js";
import { HaftError } from "./errors.js";
import { MAX_TIMER_MS } from "./port-defaults.js";
import type { Clock } from "./services.js";
import type { InputAccepted, InputOptions } from "./shell.js";
import { withTimeout } from "./with-timeout.js";

/** Bytes of a block, and the maximum of accepted bytes that are buffered here. */
export const INPUT_BLOCK_BYTES = 65_536;

/** The part that a backend implements. */
export interface InputEnd {
  /**
   * Sends one block; the backend may keep it. Resolves to true once the block has been accepted, to false if the reader is
   * gone. It is called again when the promise has settled.
   */
  send(block: Uint8Array): boolean | Promise<boolean>;
  /** End of file. Called once, when no block is pending. */
  close(): void | Promise<void>;
}

/** The error for input without a reader. @param because - Why there is none, as a clause. */
export function inputClosed(id: string, because = "it has ended, or its standard input is closed"): HaftError {
  const next = "Start it again to send input.";
  return new HaftError("JOB_INPUT_CLOSED", `Did not write to "${id}": ${because}. ${next}`, { details: { id } });
}

/** One call of `write`: how many bytes of it were sent, and how many with its last block. */
interface Writing {
  readonly id: string;
  givenBytes: number;
  lastBytes: number;
}

interface Limit {
  readonly untilMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The writes to one command, and its end of file, in the order of their calls. */
export class BlockInput {
  readonly #end: InputEnd;
  readonly #clock: Clock;
  /** Settles after the writes so far. Never rejects. */
  #turn: Promise<unknown> = Promise.resolve();
  /** How many of them have not settled. */
  #open = 0;
  #onItsWay: { readonly bytes: number; readonly settled: Promise<void> } | undefined;
  /** The reader is gone. */
  #isOver = false;
  /** The requested end of file. */
  #closing: Promise<void> | undefined;
  /** The error of the last block of a write, until a later write throws it. */
  #fault: { readonly thrown: unknown; readonly of: Writing } | undefined;

  constructor(end: InputEnd, clock: Clock) {
    this.#end = end;
    this.#clock = clock;
  }

  /** Implements `ShellHandle.write` for the job `id`. */
  async write(id: string, bytes: Uint8Array, options: InputOptions = {}): Promise<InputAccepted> {
    if (this.#isClosed) throw inputClosed(id);
    const limit: Limit = {
      untilMs: options.waitMs === undefined ? Number.POSITIVE_INFINITY : elapsedMs(this.#clock) + options.waitMs,
      signal: options.signal,
    };
    const begin = () => this.#write({ id, givenBytes: 0, lastBytes: 0 }, bytes, limit);
    // The first write sends its first block at once, so that an end of file requested next comes after it.
    const written = this.#open === 0 ? begin() : this.#inTurn(begin, limit);
    this.#open++;
    const settled = (): void => void this.#open--;
    void written.then(settled, settled);
    this.#turn = Promise.allSettled([this.#turn, written]);
    return written;
  }

  /**
   * Sends end of file after all earlier writes. Resolves once it was sent, or at once if a write or a block is pending before
   * it. If sending fails, the next call retries, and until then writes are accepted.
   */
  async close(): Promise<void> {
    const isBehind = this.#open > 0 || this.#onItsWay !== undefined;
    this.#closing ??= this.#endOfFile().catch((thrown: unknown) => {
      this.#closing = undefined;
      throw thrown;
    });
    if (isBehind) void this.#closing.catch(() => {});
    else await this.#closing;
  }

  get #isClosed(): boolean {
    return this.#closing !== undefined;
  }

  async #endOfFile(): Promise<void> {
    if (this.#open > 0) await this.#turn;
    if (this.#onItsWay !== undefined) await this.#onItsWay.settled;
    await this.#end.close();
  }

  async #inTurn(begin: () => Promise<InputAccepted>, limit: Limit): Promise<InputAccepted> {
    if (await this.#inTime(this.#turn, limit)) return begin();
    return { acceptedBytes: 0, waitingBytes: this.#waitingBytes, isClosed: this.#isOver };
  }

  async #write(writing: Writing, bytes: Uint8Array, limit: Limit): Promise<InputAccepted> {
    while (writing.givenBytes < bytes.length && (this.#isFree(writing) || (await this.#freed(writing, limit)))) {
      if (this.#isOver) break;
      const from = writing.givenBytes;
      writing.lastBytes = utf8HeadEnd(bytes.subarray(from), INPUT_BLOCK_BYTES);
      writing.givenBytes += writing.lastBytes;
      this.#send(bytes.slice(from, writing.givenBytes), writing);
    }
    if (!this.#isFree(writing)) await this.#freed(writing, limit);
    const takenBytes = this.#isOver ? writing.givenBytes - writing.lastBytes : writing.givenBytes;
    if (this.#isOver && takenBytes === 0 && bytes.length > 0) throw inputClosed(writing.id);
    return { acceptedBytes: takenBytes, waitingBytes: this.#waitingBytes, isClosed: this.#isOver || this.#isClosed };
  }

  get #waitingBytes(): number {
    return this.#onItsWay?.bytes ?? 0;
  }

  #send(block: Uint8Array, writing: Writing): void {
    const sent = this.#end.send(block);
    if (typeof sent === "boolean") {
      this.#isOver = !sent;
      return;
    }
    const settled = sent.then(
      (isTaken) => {
        this.#isOver = !isTaken;
        this.#onItsWay = undefined;
      },
      (thrown: unknown) => {
        this.#fault = { thrown, of: writing };
        this.#onItsWay = undefined;
      },
    );
    this.#onItsWay = { bytes: block.length, settled };
  }

  /** Whether no block is pending. @throws the error of the last block. */
  #isFree(writing: Writing): boolean {
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault !== undefined) throw faultFor(writing, fault.thrown, fault.of);
    return this.#onItsWay === undefined;
  }

  /** Waits until no block is pending; false at the limit. */
  async #freed(writing: Writing, limit: Limit): Promise<boolean> {
    if (this.#onItsWay !== undefined && !(await this.#inTime(this.#onItsWay.settled, limit))) return false;
    return this.#isFree(writing);
  }

  /** Whether the work is done before the limit. */
  async #inTime(work: Promise<unknown>, { untilMs, signal }: Limit): Promise<boolean> {
    if (signal?.aborted === true) return false;
    const leftMs = Math.min(MAX_TIMER_MS, Math.max(0, untilMs - elapsedMs(this.#clock)));
    const done = () => work.then(() => true);
    if (signal === undefined && untilMs === Number.POSITIVE_INFINITY) return done();
    return withTimeout<boolean>({ clock: this.#clock, ms: leftMs, ...(signal && { signal }) }, done, () => false);
  }
}

/** The error that a write throws for a failed block: its own, or one that an earlier write left in the queue. */
function faultFor(writing: Writing, thrown: unknown, of: Writing): unknown {
  if (!HaftError.is(thrown)) return thrown;
  const { id, givenBytes, lastBytes } = writing;
  const { code, message, details } = thrown;
  if (of !== writing) {
    const lost = `the last ${of.lastBytes} bytes of the write before were still waiting, and may be missing`;
    const next = "Nothing of this write was sent. Check its output, then send both again as needed";
    return new HaftError(code, `Did not write to "${id}": ${lost}. ${message} ${next}.`, {
      cause: thrown,
      details: { ...details, began: "no", lostBytes: of.lastBytes },
    });
  }
  const takenBytes = givenBytes - lastBytes;
  if (takenBytes === 0) return thrown;
  return new HaftError(code, `The first ${takenBytes} bytes written to "${id}" were accepted. The rest: ${message}`, {
    cause: thrown,
    details: { ...details, began: "unknown", acceptedBytes: takenBytes },
  });
}
