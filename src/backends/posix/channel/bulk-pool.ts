/** The bulk channels of a remote machine: how many there are, which one takes a request, and whether a lost request is sent again. */
import { HaftError } from "../../../kernel/index.js";
import { bulkScript } from "../remote/script.js";
import { BulkChannel } from "./bulk-channel.js";
import { ChannelLost, type OpenChannel, stoppedBefore } from "./channel.js";
import type { Frame } from "./frames.js";
import { RemoteRefusal, RemoteShell, unavailable } from "./remote-shell.js";

interface BulkPoolOptions {
  readonly name: string;
  readonly open: OpenChannel;
  readonly connectTimeoutMs: number;
  readonly maxChannels: number;
  nextId(): number;
  /** The spool directory, abilities and own PATH of the remote side; opens the command channel if there is none. */
  place(): Promise<{ readonly spool: string; readonly facts: string; readonly path: string }>;
  /** Drops the command channel: the next one makes a new spool directory where the old one is gone. */
  drop(): void;
  /** Whether the remote side answers on the command channel. */
  isAnswering(ms: number): Promise<boolean>;
  /** Kills a remote shell that hangs. */
  stop(pid: number): Promise<void>;
}

/** Another channel is opened when every open one has been busy with a request for this long. */
const BUSY_MS = 50;
/** A request may run this long after its caller was cancelled; then its channel is closed. */
const HANGING_MS = 2_000;
/** Milliseconds that the command channel has to answer; if it does not, the line is slow, and no channel hangs. */
const LINE_MS = 1_000;
/** How often one request is sent at most. */
const MAX_TRIES = 4;

/** The end of each error about a change of which it is not known whether it happened. */
export const MAY_HAVE_HAPPENED = "The change may have happened; check the current state before you try again.";

interface RequestOptions {
  readonly data?: Uint8Array;
  /** The request changes something, so it never runs twice. */
  readonly changes?: boolean;
  /** Withdraws a request that was not sent, and ends the wait for one that was; a channel that hangs on it is then closed. */
  readonly signal?: AbortSignal;
  /** Called each time that the request is sent. */
  onSend?(): void;
}

export class BulkPool {
  readonly #options: BulkPoolOptions;
  #channels: BulkChannel[] = [];
  #opening: Promise<BulkChannel> | undefined;
  #serial = 0;
  #isClosed = false;

  constructor(options: BulkPoolOptions) {
    this.#options = options;
  }

  /**
   * Sends a request and resolves with its response. When its channel is lost it is sent again if it changes
   * nothing, or had not begun.
   *
   * @throws `BACKEND_UNAVAILABLE`, with `details.began` when the change may have happened; `ChannelLost` if its signal has fired
   * before it was sent.
   */
  async request(operation: string, words: readonly string[], options: RequestOptions = {}): Promise<Frame> {
    const { data, changes = false, signal, onSend } = options;
    for (let tries = 1; ; tries += 1) {
      const channel = await this.#choose();
      // A channel may take seconds to open, and its caller has meanwhile read that nothing was done.
      if (signal?.aborted) throw stoppedBefore();
      const id = this.#options.nextId();
      const sent = { id, operation, words, signal, onSend };
      const answer = channel.request(data === undefined ? sent : { ...sent, data });
      if (signal !== undefined) this.#watch(channel, answer, signal);
      try {
        return await answer;
      } catch (thrown) {
        if (!(thrown instanceof ChannelLost) || (signal?.aborted && !thrown.wasSent)) throw thrown;
        if (thrown.wasSent && changes && (await this.#began(channel.serial, id)) !== "no")
          throw this.#unsure(operation, thrown.message);
        if (signal?.aborted || tries === MAX_TRIES) throw unavailable(this.#options.name, thrown.why);
      }
    }
  }

  /** Closes all channels at once. */
  disconnect(): void {
    for (const channel of this.#channels.splice(0)) channel.destroy("the connection was replaced by another one");
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opening?.catch(() => {});
    await Promise.all(this.#channels.splice(0).map((channel) => channel.close(1_000)));
  }

  async #choose(): Promise<BulkChannel> {
    this.#channels = this.#channels.filter((channel) => !channel.isDisconnected);
    const now = performance.now();
    const best = this.#channels.reduce<BulkChannel | undefined>(
      (least, one) => (least === undefined || one.load < least.load ? one : least),
      undefined,
    );
    if (best !== undefined) {
      const isBusy = best.busySince !== undefined && now - best.busySince > BUSY_MS;
      if (!isBusy || this.#channels.length >= this.#options.maxChannels) return best;
    }
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** A channel that is refused has found that the spool directory is not ours any more. */
  #reopen(): Promise<BulkChannel> {
    return this.#open().catch((thrown: unknown) => {
      if (!(thrown instanceof RemoteRefusal)) throw thrown;
      this.#options.drop();
      return this.#open();
    });
  }

  async #open(): Promise<BulkChannel> {
    const { name, open, connectTimeoutMs: timeoutMs } = this.#options;
    const { spool, facts, path } = await this.#options.place();
    this.#serial += 1;
    const serial = this.#serial;
    const settings = [spool, facts, String(serial), path];
    const { shell, ready } = await RemoteShell.start({ name, open, script: bulkScript(), settings, timeoutMs });
    const channel = new BulkChannel(shell, Number(ready.words[1]), serial);
    if (this.#isClosed) channel.destroy("the backend was closed");
    else this.#channels.push(channel);
    return channel;
  }

  /** Whether a change had begun when its channel was lost. After this call it can no longer begin. */
  async #began(serial: number, id: number): Promise<"yes" | "no" | "unknown"> {
    try {
      const channel = await this.#choose();
      const { words } = await channel.request({
        id: this.#options.nextId(),
        operation: "began",
        words: [String(serial)],
      });
      return Number(words[1]) >= id ? "yes" : "no";
    } catch {
      return "unknown";
    }
  }

  #unsure(operation: string, why: string): HaftError {
    return new HaftError(
      "BACKEND_UNAVAILABLE",
      `The connection to "${this.#options.name}" was lost during "${operation}": ${why}. ${MAY_HAVE_HAPPENED}`,
      { details: { backend: this.#options.name, began: "unknown" } },
    );
  }

  /** Closes the channel when a cancelled request does not finish in time. */
  #watch(channel: BulkChannel, answer: Promise<Frame>, signal: AbortSignal): void {
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const check = async (): Promise<void> => {
      // Requests of other callers are in flight on the channel too: it is closed only if it is to blame.
      if (!(await this.#options.isAnswering(LINE_MS)) || isOver) return;
      channel.destroy(`it did not answer within ${HANGING_MS + LINE_MS} ms`);
      void this.#options.stop(channel.pid);
    };
    const onAbort = (): void => {
      timer = setTimeout(() => void check(), HANGING_MS);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const done = (): void => {
      isOver = true;
      signal.removeEventListener("abort", onAbort);
      clearTimeout(timer);
    };
    answer.then(done, done);
  }
}
