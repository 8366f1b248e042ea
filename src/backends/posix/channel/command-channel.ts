/** The near side of the command channel: which worker gets which request, and who is told of the answer. */
import { ChannelLost } from "./channel.js";
import type { Frame } from "./frames.js";
import { quoteWords } from "./quote-words.js";
import type { RemoteShell } from "./remote-shell.js";

export interface CommandRequest {
  /** Never used twice within one spool folder. */
  readonly id: number;
  readonly operation: string;
  readonly words: readonly string[];
  /** Becomes the file that the command is taken from. */
  readonly command?: Uint8Array;
  /** Becomes the request's input. */
  readonly input?: Uint8Array;
  /** False: the far side does not answer. Default true. */
  readonly answers?: boolean;
}

interface Pending {
  readonly request: CommandRequest;
  readonly resolve: (frame: Frame) => void;
  readonly reject: (lost: ChannelLost) => void;
  worker: number | undefined;
}

interface IdleWorker {
  readonly worker: number;
  /** When it became idle; undefined: it has never had a request. */
  readonly since: number | undefined;
}

/** Workers that a level of the far side has. */
const LEVEL = 5;
/** What takes a worker for as long as it pleases; all else is short. */
const LASTING: ReadonlySet<string> = new Set(["exec", "write"]);
/** Workers that one channel starts, as a multiple of those that it may have at once: so many may be killed and replaced. */
const MAX_TURNOVER = 3;
/** When no worker has become free for so long, and a request waits, the far side starts more of them. */
const GROW_AFTER_MS = 40;
/** After a command a worker starts the pumps of its next one; it is left alone for so long if others are idle. */
const READY_MS = 5;
/** A line is read byte by byte over there: longer requests go as a block. */
const MAX_LINE_BYTES = 1_000;
/** Without a word for so long after a sign of life the far side counts as gone. */
const SILENCE_MS = 15_000;

const EMPTY = new Uint8Array();

/**
 * Sends requests to idle workers only, so that no far pipe ever fills; the others wait here. A worker whose command has
 * left something running that holds its output is taken until that ends, so the number grows when all are taken.
 */
export class CommandChannel {
  readonly pid: number;
  readonly #shell: RemoteShell;
  readonly #maxWorkers: number;
  readonly #onExit: (id: number, status: number) => void;
  readonly #pending = new Map<string, Pending>();
  readonly #queue: Pending[] = [];
  readonly #idle: IdleWorker[] = newWorkers(0);
  /** Workers that were not killed. */
  readonly #living = new Set(this.#idle.map(({ worker }) => worker));
  /** Workers that were ever started, those that were killed among them. */
  #started = LEVEL;
  /** Workers that are at something lasting. */
  #lasting = 0;
  /** How often a worker has become free. */
  #freed = 0;
  #growing: NodeJS.Timeout | undefined;
  #heartbeatTimer: NodeJS.Timeout | undefined;
  #lastReceivedAt = performance.now();
  #disconnectError: string | undefined;
  readonly #onEnd: (why: string) => void;
  /** The process ids that the far side could not end, once it has said its last word. */
  #shutdownAcknowledged: ((left: readonly string[]) => void) | undefined;

  constructor(
    shell: RemoteShell,
    options: {
      readonly pid: number;
      readonly leaseMs: number;
      readonly maxWorkers: number;
      /** A command's leader has ended; its output may still be on its way. */
      readonly onExit: (id: number, status: number) => void;
      readonly onEnd: (why: string) => void;
    },
  ) {
    this.pid = options.pid;
    this.#shell = shell;
    this.#maxWorkers = options.maxWorkers;
    this.#onExit = options.onExit;
    this.#onEnd = options.onEnd;
    this.#heartbeatTimer = setInterval(() => this.#sendHeartbeat(), Math.max(250, options.leaseMs / 6));
    this.#heartbeatTimer.unref();
    shell.listen(
      (frame) => this.#take(frame),
      (why) => this.#end(why),
    );
  }

  get isDisconnected(): boolean {
    return this.#disconnectError !== undefined;
  }

  /** Resolves with the far side's answer. @throws `ChannelLost` */
  request(request: CommandRequest): Promise<Frame> {
    return new Promise<Frame>((resolve, reject) => {
      if (this.#disconnectError !== undefined) {
        reject(new ChannelLost(this.#disconnectError, false));
        return;
      }
      const pending: Pending = { request, resolve, reject, worker: undefined };
      this.#pending.set(String(request.id), pending);
      this.#queue.push(pending);
      this.#next();
    });
  }

  /** Takes a request back that no worker has got yet, and then rejects it. Whether it could. */
  withdraw(id: number): boolean {
    const at = this.#queue.findIndex((one) => one.request.id === id);
    const [pending] = at === -1 ? [] : this.#queue.splice(at, 1);
    if (pending === undefined) return false;
    this.#pending.delete(String(id));
    pending.reject(new ChannelLost("it was taken back", false));
    return true;
  }

  /** Says good-bye: the far side ends what runs, removes its folder and tells what it could not end. */
  shutdown(timeoutMs: number): Promise<readonly string[]> {
    if (this.#disconnectError !== undefined) return Promise.resolve([]);
    return new Promise((resolve) => {
      const timer = setTimeout(() => finish([]), timeoutMs);
      const finish = (left: readonly string[]): void => {
        clearTimeout(timer);
        this.#shutdownAcknowledged = undefined;
        resolve(left);
      };
      this.#shutdownAcknowledged = finish;
      this.#shell.send("bye");
    });
  }

  /** Resolves when the far side is gone, at the latest after `timeoutMs`. */
  async ended(timeoutMs: number): Promise<void> {
    this.#shell.end();
    await this.#shell.ended(timeoutMs);
  }

  /** Ends this side. What the far side runs goes on for a while there, then ends. */
  destroy(): void {
    this.#shell.destroy();
    this.#end("it was closed here");
  }

  #next(): void {
    while (this.#idle.length > 0) {
      const next = this.#nextAt();
      if (next === -1) return;
      this.#send(this.#queue.splice(next, 1)[0]!, this.#takeIdle());
    }
    // One level beyond is for what is short: ending a command never waits for another to end.
    const maxConcurrent = this.#maxWorkers + LEVEL;
    if (this.#growing !== undefined || this.#living.size >= maxConcurrent || this.#nextAt() === -1) return;
    const freed = this.#freed;
    this.#growing = setTimeout(() => {
      this.#growing = undefined;
      if (this.#queue.length === 0) return;
      // Short commands make way for each other; more workers would only make each slower.
      if (this.#freed === freed && !this.#grow(maxConcurrent)) return;
      this.#next();
    }, GROW_AFTER_MS);
  }

  /** One more level; every line passes through those before it, so a channel whose workers keep being killed is given up. */
  #grow(maxConcurrent: number): boolean {
    if (this.#started >= MAX_TURNOVER * maxConcurrent) {
      this.#giveUp();
      return false;
    }
    const fresh = newWorkers(this.#started);
    this.#started += LEVEL;
    for (const one of fresh) this.#living.add(one.worker);
    this.#idle.push(...fresh);
    return true;
  }

  /** Ends a channel that lacks living workers; the next request opens another, with all that it needs. */
  #giveUp(): void {
    this.#shell.destroy();
    this.#end("too many of its shells over there were killed");
  }

  /** The place in the queue of what may go next: only so many may be at something lasting. -1: none. */
  #nextAt(): number {
    if (this.#lasting < this.#maxWorkers) return this.#queue.length === 0 ? -1 : 0;
    return this.#queue.findIndex(({ request }) => !LASTING.has(request.operation));
  }

  /**
   * The worker that was used last and has had time to make ready for its next command; else one more, so that a few take
   * turns; else the one that has rested longest.
   */
  #takeIdle(): number {
    const now = performance.now();
    const ready = this.#idle.findLastIndex((one) => one.since !== undefined && now - one.since > READY_MS);
    const fresh = this.#idle.findIndex((one) => one.since === undefined);
    const at = ready !== -1 ? ready : fresh !== -1 ? fresh : 0;
    return this.#idle.splice(at, 1)[0]!.worker;
  }

  #releaseWorker(worker: number): void {
    this.#idle.push({ worker, since: performance.now() });
  }

  #send(pending: Pending, worker: number): void {
    const { request } = pending;
    pending.worker = worker;
    if (LASTING.has(request.operation)) this.#lasting += 1;
    const { command = EMPTY, input = EMPTY } = request;
    const words = quoteWords(request.words);
    const isLong = Buffer.byteLength(words) > MAX_LINE_BYTES;
    const block = isLong ? Buffer.from(words) : EMPTY;
    const sizes = `${block.length} ${command.length} ${input.length}`;
    const line = `${worker} ${sizes} ${request.id} ${request.operation}${isLong ? "" : ` ${words}`}`;
    this.#shell.send(line, ...[block, command, input].filter((one) => one.length > 0));
    if (request.answers !== false) return;
    this.#pending.delete(String(request.id));
    this.#releaseWorker(worker);
    pending.resolve({ words: [], bytes: EMPTY });
  }

  #take(frame: Frame): void {
    this.#lastReceivedAt = performance.now();
    const [id = "", what, status] = frame.words;
    if (what === "exit") {
      this.#onExit(Number(id), Number(status));
      return;
    }
    if (what === "bye") {
      this.#shutdownAcknowledged?.((status ?? "").split("+").filter((pid) => pid !== ""));
      return;
    }
    if (what === "dead") {
      this.#removeWorker(Number(status));
      return;
    }
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    if (LASTING.has(pending.request.operation)) this.#lasting -= 1;
    if (pending.worker !== undefined) this.#releaseWorker(pending.worker);
    this.#freed += 1;
    pending.resolve(frame);
    this.#next();
  }

  /** A worker was killed. What it was at is not known: the request is lost as with its channel. */
  #removeWorker(worker: number): void {
    // A command can write what it likes where the far side notes its workers.
    if (!this.#living.delete(worker)) return;
    const at = this.#idle.findIndex((one) => one.worker === worker);
    if (at !== -1) this.#idle.splice(at, 1);
    const lost = [...this.#pending.values()].find((one) => one.worker === worker);
    if (lost !== undefined) {
      this.#pending.delete(String(lost.request.id));
      if (LASTING.has(lost.request.operation)) this.#lasting -= 1;
      lost.reject(new ChannelLost("the shell that ran it over there was killed", true));
    }
    if (this.#living.size === 0) this.#giveUp();
    else this.#next();
  }

  #sendHeartbeat(): void {
    const sentAt = performance.now();
    this.#shell.send("beat");
    const timer = setTimeout(() => {
      if (this.#lastReceivedAt < sentAt && this.#disconnectError === undefined) {
        this.#shell.destroy();
        this.#end(`it was silent for ${SILENCE_MS} ms`);
      }
    }, SILENCE_MS);
    timer.unref();
  }

  #end(why: string): void {
    if (this.#disconnectError !== undefined) return;
    this.#disconnectError = why;
    clearInterval(this.#heartbeatTimer);
    clearTimeout(this.#growing);
    this.#shutdownAcknowledged?.([]);
    const all = [...this.#pending.values()];
    this.#pending.clear();
    this.#queue.length = 0;
    for (const { worker, reject } of all) reject(new ChannelLost(why, worker !== undefined));
    this.#shell.destroy();
    this.#onEnd(why);
  }
}

function newWorkers(first: number): IdleWorker[] {
  return Array.from({ length: LEVEL }, (_, index) => ({ worker: first + index, since: undefined }));
}
