/** The local end of the command channel: assigns requests to workers and responses to callers. */
import { ChannelLost, type EndReason, WorkerKilled } from "./channel.js";
import type { Frame } from "./frames.js";
import { quoteWords } from "./quote-words.js";
import type { RemoteShell } from "./remote-shell.js";

export interface CommandRequest {
  /** Unique within one spool directory. */
  readonly id: number;
  readonly operation: string;
  readonly words: readonly string[];
  /** The command, when it is sent as a file. */
  readonly command?: Uint8Array;
  /** The input of the request. */
  readonly input?: Uint8Array;
  /** Whether the remote side responds. Default true. */
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
  /** When it became idle; undefined for a worker that has never run a request. */
  readonly since: number | undefined;
}

/** Workers of one level of the remote side. */
const LEVEL = 5;
/** Operations of any duration; all others are short. */
const LASTING: ReadonlySet<string> = new Set(["exec", "write"]);
/** How many workers one channel may start in all, as a multiple of those that may run at once: killed ones are replaced. */
const MAX_TURNOVER = 3;
/** When a request waits and no worker has become free for this long, more workers are started. */
const GROW_AFTER_MS = 40;
/** After a command a worker starts the pumps of its next one. It is not used for this long if others are idle. */
const READY_MS = 2;
/** The remote side reads lines byte by byte, so longer requests are sent as a block. */
const MAX_LINE_BYTES = 1_000;
/** A heartbeat that is not answered within this part of the lease closes the channel. */
const SILENT_LEASES = 0.5;

const EMPTY = new Uint8Array();

/**
 * Sends requests to idle workers only, so that no remote pipe ever fills; other requests wait here. A worker stays busy
 * while a process that its command left running holds its output, so more workers are started when all are busy.
 */
export class CommandChannel {
  readonly pid: number;
  readonly #shell: RemoteShell;
  readonly #maxWorkers: number;
  readonly #silenceMs: number;
  readonly #onExit: (id: number, status: number) => void;
  readonly #pending = new Map<string, Pending>();
  readonly #queue: Pending[] = [];
  readonly #idle: IdleWorker[] = newWorkers(0);
  /** Numbers of the workers that were not killed. */
  readonly #living = new Set(this.#idle.map(({ worker }) => worker));
  /** How many workers were started, including killed ones. */
  #started = LEVEL;
  /** How many workers run a lasting operation. */
  #lasting = 0;
  /** How often a worker has become free. */
  #freed = 0;
  #growing: NodeJS.Timeout | undefined;
  #heartbeatTimer: NodeJS.Timeout | undefined;
  #lastReceivedAt = performance.now();
  /** Called with the next frame, or at the end. */
  readonly #awaiting = new Set<(isAnswered: boolean) => void>();
  #disconnectError: EndReason | undefined;
  readonly #onEnd: (why: EndReason) => void;
  /** Resolves `shutdown` with the ids of the processes that could not be ended. */
  #shutdownAcknowledged: ((left: readonly string[]) => void) | undefined;

  constructor(
    shell: RemoteShell,
    options: {
      readonly pid: number;
      readonly leaseMs: number;
      readonly maxWorkers: number;
      /** Called when the leader of a command has exited; its output may still arrive. */
      readonly onExit: (id: number, status: number) => void;
      readonly onEnd: (why: EndReason) => void;
    },
  ) {
    this.pid = options.pid;
    this.#shell = shell;
    this.#maxWorkers = options.maxWorkers;
    this.#silenceMs = options.leaseMs * SILENT_LEASES;
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

  /** Resolves with the response. @throws `ChannelLost` */
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

  /** Whether anything arrives within `ms`. The remote side answers at once, whatever its commands do. */
  isAnswering(ms: number): Promise<boolean> {
    if (this.#disconnectError !== undefined) return Promise.resolve(false);
    return new Promise((resolve) => {
      const settle = (isAnswered: boolean): void => {
        clearTimeout(timer);
        this.#awaiting.delete(settle);
        resolve(isAnswered);
      };
      const timer = setTimeout(settle, ms, false);
      this.#awaiting.add(settle);
      this.#shell.send("beat");
    });
  }

  /** Rejects a request that was not sent yet. Returns whether it could. */
  withdraw(id: number): boolean {
    const at = this.#queue.findIndex((one) => one.request.id === id);
    const [pending] = at === -1 ? [] : this.#queue.splice(at, 1);
    if (pending === undefined) return false;
    this.#pending.delete(String(id));
    pending.reject(new ChannelLost("it was withdrawn", false));
    return true;
  }

  /** The remote side ends what runs, removes its directory and returns the processes that it could not end. */
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
      this.#shell.send("shutdown");
    });
  }

  /** Resolves when the remote shell has exited, at the latest after `timeoutMs`. */
  async ended(timeoutMs: number): Promise<void> {
    this.#shell.end();
    await this.#shell.ended(timeoutMs);
  }

  /** Closes the local end. Commands run on until `orphanMs` has passed. */
  destroy(): void {
    this.#end("it was closed locally");
  }

  #next(): void {
    while (this.#idle.length > 0) {
      const next = this.#nextAt();
      if (next === -1) return;
      this.#send(this.#queue.splice(next, 1)[0]!, this.#takeIdle());
    }
    // One more level is reserved for short operations, so that stopping a command never waits for another command.
    const maxConcurrent = this.#maxWorkers + LEVEL;
    if (this.#growing !== undefined || this.#living.size >= maxConcurrent || this.#nextAt() === -1) return;
    const freed = this.#freed;
    this.#growing = setTimeout(() => {
      this.#growing = undefined;
      if (this.#queue.length === 0) return;
      // While commands are short, more workers would only slow each of them down.
      if (this.#freed === freed && !this.#grow(maxConcurrent)) return;
      this.#next();
    }, GROW_AFTER_MS);
  }

  /** Starts one more level. Each line passes through all levels, so a channel whose workers keep being killed is closed. */
  #grow(maxConcurrent: number): boolean {
    if (this.#started >= MAX_TURNOVER * maxConcurrent) {
      this.#closeExhausted();
      return false;
    }
    const fresh = newWorkers(this.#started);
    this.#started += LEVEL;
    for (const one of fresh) this.#living.add(one.worker);
    this.#idle.push(...fresh);
    return true;
  }

  /** Closes a channel whose workers keep being killed; the next request opens another one. */
  #closeExhausted(): void {
    this.#end("too many of its remote shells were killed");
  }

  /** The queue index of the next request to send, limiting how many lasting ones run at once; -1 for none. */
  #nextAt(): number {
    if (this.#lasting < this.#maxWorkers) return this.#queue.length === 0 ? -1 : 0;
    return this.#queue.findIndex(({ request }) => !LASTING.has(request.operation));
  }

  /**
   * The worker that was used last and had time to prepare for its next command; else a fresh one, so that a few
   * alternate; else the one that has been idle longest.
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
    for (const settle of this.#awaiting) settle(true);
    const [id = "", what, status] = frame.words;
    if (what === "exit") {
      this.#onExit(Number(id), Number(status));
      return;
    }
    if (what === "shutdown") {
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

  /** A worker was killed. The state of its request is unknown, so it is rejected like one of a lost channel. */
  #removeWorker(worker: number): void {
    // A command can write to the files that the remote side keeps about its workers, so the number may be wrong.
    if (!this.#living.delete(worker)) return;
    const at = this.#idle.findIndex((one) => one.worker === worker);
    if (at !== -1) this.#idle.splice(at, 1);
    const lost = [...this.#pending.values()].find((one) => one.worker === worker);
    if (lost !== undefined) {
      this.#pending.delete(String(lost.request.id));
      if (LASTING.has(lost.request.operation)) this.#lasting -= 1;
      lost.reject(new WorkerKilled());
    }
    if (this.#living.size === 0) this.#closeExhausted();
    else this.#next();
  }

  #sendHeartbeat(): void {
    const sentAt = performance.now();
    this.#shell.send("beat");
    const timer = setTimeout(() => {
      if (this.#lastReceivedAt < sentAt && this.#disconnectError === undefined) {
        this.#end(`no data arrived for ${this.#silenceMs / 1_000} s`);
      }
    }, this.#silenceMs);
    timer.unref();
  }

  #end(why: EndReason): void {
    if (this.#disconnectError !== undefined) return;
    this.#disconnectError = why;
    clearInterval(this.#heartbeatTimer);
    clearTimeout(this.#growing);
    this.#shutdownAcknowledged?.([]);
    for (const settle of this.#awaiting) settle(false);
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
