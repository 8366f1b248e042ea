/** Standard input of a running command, handed over block by block, so that at most one of them waits on this side. */
import { utf8HeadEnd } from "../text/index.js";
import { HaftError } from "./errors.js";
import { within } from "./in-time.js";
import { MAX_TIMER_MS } from "./port-defaults.js";
import type { Clock } from "./services.js";
import type { InputOptions, InputTaken } from "./shell.js";

/** Bytes that are handed over at once; no more of a job's input ever waits here. */
export const INPUT_BLOCK_BYTES = 65_536;

/** What a backend gives for it. */
export interface InputEnd {
  /**
   * Hands one block over, which is the backend's to keep. True once it has been taken, false when nobody reads it any more.
   * It is given the next when the one before has settled.
   */
  send(block: Uint8Array): boolean | Promise<boolean>;
  /** End of file. Called once, when nothing is on its way any more. */
  close(): void | Promise<void>;
}

/** The refusal of input that nobody would read. @param because - What ended it, where that is known, as a clause. */
export function inputClosed(id: string, because = "it has ended, or its standard input is closed"): HaftError {
  const next = "Nobody reads it any more; start it again to give it input.";
  return new HaftError("JOB_INPUT_CLOSED", `Did not write to "${id}": ${because}. ${next}`, { details: { id } });
}

export class BlockInput {
  readonly #end: InputEnd;
  readonly #clock: Clock;
  /** The writes before this one. */
  #turn: Promise<unknown> = Promise.resolve();
  #onItsWay: { readonly bytes: number; readonly settled: Promise<void> } | undefined;
  #isOver = false;
  #isClosed = false;
  /** What a block failed with while nobody waited for it; the next write tells. */
  #fault: { readonly thrown: unknown } | undefined;

  constructor(end: InputEnd, clock: Clock) {
    this.#end = end;
    this.#clock = clock;
  }

  /** What `ShellHandle.write` promises, for the job `id`. */
  async write(id: string, bytes: Uint8Array, options: InputOptions = {}): Promise<InputTaken> {
    const limit: Limit = {
      untilMs: options.waitMs === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() + options.waitMs,
      signal: options.signal,
    };
    const before = this.#turn;
    const written = this.#inTime(before, limit).then((isMyTurn) =>
      isMyTurn ? this.#write(id, bytes, limit) : { takenBytes: 0, waitingBytes: this.#waitingBytes, isClosed: false },
    );
    this.#turn = Promise.allSettled([before, written]);
    return written;
  }

  /** End of file, behind what is on its way. Resolves at once where something is; a write that waits takes no more. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#onItsWay !== undefined) void this.#onItsWay.settled.then(() => this.#end.close()).catch(() => {});
    else await this.#end.close();
  }

  async #write(id: string, bytes: Uint8Array, limit: Limit): Promise<InputTaken> {
    if (this.#isClosed) throw inputClosed(id);
    let takenBytes = 0;
    let lastBytes = 0;
    while (takenBytes < bytes.length && (await this.#isFree(limit)) && !this.#isClosed && !this.#isOver) {
      lastBytes = utf8HeadEnd(bytes.subarray(takenBytes), INPUT_BLOCK_BYTES);
      this.#send(bytes.slice(takenBytes, takenBytes + lastBytes));
      takenBytes += lastBytes;
    }
    await this.#isFree(limit);
    if (this.#isOver) takenBytes = Math.max(0, takenBytes - lastBytes);
    const isClosed = this.#isClosed || this.#isOver;
    if (isClosed && takenBytes === 0 && bytes.length > 0) throw inputClosed(id);
    return { takenBytes, waitingBytes: this.#waitingBytes, isClosed };
  }

  get #waitingBytes(): number {
    return this.#onItsWay?.bytes ?? 0;
  }

  #send(block: Uint8Array): void {
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
        this.#fault = { thrown };
        this.#onItsWay = undefined;
      },
    );
    this.#onItsWay = { bytes: block.length, settled };
  }

  /** Whether nothing is on its way any more, waited for until the limit. */
  async #isFree(limit: Limit): Promise<boolean> {
    const isFree = this.#onItsWay === undefined || (await this.#inTime(this.#onItsWay.settled, limit));
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault !== undefined) throw fault.thrown;
    return isFree;
  }

  /** Whether the work is done by then. */
  async #inTime(work: Promise<unknown>, { untilMs, signal }: Limit): Promise<boolean> {
    if (signal?.aborted === true) return false;
    const leftMs = Math.min(MAX_TIMER_MS, Math.max(0, untilMs - this.#clock.now()));
    const done = () => work.then(() => true);
    if (signal === undefined && untilMs === Number.POSITIVE_INFINITY) return done();
    return within<boolean>({ clock: this.#clock, ms: leftMs, ...(signal && { signal }) }, done, () => false);
  }
}

interface Limit {
  readonly untilMs: number;
  readonly signal: AbortSignal | undefined;
}
