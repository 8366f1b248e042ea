/** The local end of a bulk channel. Requests run one after the other; a few are in flight at once to hide latency. */
import { ChannelLost, type EndReason, stoppedBefore } from "./channel.js";
import type { Frame } from "./frames.js";
import { quoteWords } from "./quote-words.js";
import type { RemoteShell } from "./remote-shell.js";

interface BulkRequest {
  readonly id: number;
  readonly operation: string;
  readonly words: readonly string[];
  /** Bytes sent with the request, at most `BLOCK_BYTES`. */
  readonly data?: Uint8Array;
  /** Once it has fired, a request that was not sent never is. */
  readonly signal?: AbortSignal | undefined;
  /** Called when the request is sent. */
  readonly onSend?: (() => void) | undefined;
}

/** File bytes are sent in blocks of this size, so that no request waits long behind a transfer. */
export const BLOCK_BYTES = 262_144;

/** Requests that may be in flight at once on one channel. */
const WINDOW = 3;
const MAX_LINE_BYTES = 1_000;
const EMPTY = new Uint8Array();

interface Pending {
  readonly request: BulkRequest;
  readonly resolve: (frame: Frame) => void;
  readonly reject: (lost: ChannelLost) => void;
  sentAt: number | undefined;
}

export class BulkChannel {
  readonly pid: number;
  /** Names the files of this channel in the spool directory. */
  readonly serial: number;
  readonly #shell: RemoteShell;
  readonly #queue: Pending[] = [];
  #underWay = 0;
  #disconnectError: EndReason | undefined;

  constructor(shell: RemoteShell, pid: number, serial: number) {
    this.pid = pid;
    this.serial = serial;
    this.#shell = shell;
    shell.listen(
      (frame) => this.#take(frame),
      (why) => this.#end(why),
    );
  }

  get isDisconnected(): boolean {
    return this.#disconnectError !== undefined;
  }

  /** Requests that are not answered yet. */
  get load(): number {
    return this.#queue.length;
  }

  /** When the oldest unanswered request was sent (`performance.now`); undefined when there is none. */
  get busySince(): number | undefined {
    return this.#queue[0]?.sentAt;
  }

  /** Resolves with the response. @throws `ChannelLost` */
  request(request: BulkRequest): Promise<Frame> {
    return new Promise<Frame>((resolve, reject) => {
      if (this.#disconnectError !== undefined) {
        reject(new ChannelLost(this.#disconnectError, false));
        return;
      }
      this.#queue.push({ request, resolve, reject, sentAt: undefined });
      this.#next();
    });
  }

  /** Closes the local end at once; the remote shell exits at end of file. @param why - As a clause. */
  destroy(why: string): void {
    this.#end(why);
    this.#shell.destroy();
  }

  /** Closes the channel's input and waits for the remote shell to exit. */
  close(timeoutMs: number): Promise<void> {
    this.#shell.end();
    return this.#shell.ended(timeoutMs);
  }

  #next(): void {
    while (this.#underWay < WINDOW && this.#underWay < this.#queue.length) {
      const pending = this.#queue[this.#underWay]!;
      const { id, operation, words, data = EMPTY, signal, onSend } = pending.request;
      if (signal?.aborted) {
        this.#queue.splice(this.#underWay, 1);
        pending.reject(stoppedBefore());
        continue;
      }
      this.#underWay += 1;
      pending.sentAt = performance.now();
      onSend?.();
      const quoted = `${quoteWords(words)} haft-end`;
      const block = Buffer.byteLength(quoted) > MAX_LINE_BYTES ? Buffer.from(quoted) : EMPTY;
      const line = `${data.length} ${block.length} ${id} ${operation}${block.length > 0 ? "" : ` ${quoted}`}`;
      this.#shell.send(line, ...[block, data].filter((one) => one.length > 0));
    }
  }

  #take(frame: Frame): void {
    const pending = this.#queue[0];
    if (pending === undefined || frame.words[0] !== String(pending.request.id)) return;
    this.#queue.shift();
    this.#underWay -= 1;
    this.#next();
    pending.resolve({ words: frame.words.slice(1), bytes: frame.bytes });
  }

  #end(why: EndReason): void {
    if (this.#disconnectError !== undefined) return;
    this.#disconnectError = why;
    const all = this.#queue.splice(0);
    for (const { sentAt, reject } of all) reject(new ChannelLost(why, sentAt !== undefined));
  }
}
