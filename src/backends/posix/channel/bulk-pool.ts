/** The bulk channels of a far side: how many, which one a request goes to, and what becomes of it when one is lost. */
import { HaftError } from "../../../kernel/index.js";
import { bulkScript } from "../remote/script.js";
import { BulkChannel } from "./bulk-channel.js";
import { ChannelLost, type OpenChannel } from "./channel.js";
import type { Frame } from "./frames.js";
import { RemoteShell, unavailable } from "./remote-shell.js";

export interface BulkPoolOptions {
  readonly name: string;
  readonly open: OpenChannel;
  readonly connectTimeoutMs: number;
  readonly maxChannels: number;
  nextId(): number;
  /** Where the spool folder is and what the far side can do; opens the command channel if there is none. */
  place(): Promise<{ readonly spool: string; readonly facts: string }>;
  /** Kills a far shell that hangs. */
  stop(pid: number): Promise<void>;
}

/** A further channel is opened when a request has been under way for so long on every other. */
const BUSY_MS = 50;
/** After its caller has given up a request may go on for so long before its channel counts as hanging. */
const HANGING_MS = 2_000;
/** A request is sent at most so often. */
const MAX_TRIES = 4;

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
   * Sends a request and resolves with its answer. When the channel is lost meanwhile it is sent again, if it changes
   * nothing or has not begun.
   *
   * @param options.changes - The request changes something: it is never done twice.
   * @param options.signal - Once it has fired nobody waits for the answer any more; a channel that hangs on it is ended.
   * @throws `BACKEND_UNAVAILABLE`, with `details.began` when a change may have happened.
   */
  async request(
    operation: string,
    words: readonly string[],
    options: { readonly data?: Uint8Array; readonly changes?: boolean; readonly signal?: AbortSignal } = {},
  ): Promise<Frame> {
    const { data, changes = false, signal } = options;
    for (let tries = 1; ; tries += 1) {
      const channel = await this.#choose();
      const id = this.#options.nextId();
      const answer = channel.request({ id, operation, words, ...(data === undefined ? {} : { data }) });
      if (signal !== undefined) this.#watch(channel, answer, signal);
      try {
        return await answer;
      } catch (thrown) {
        if (!(thrown instanceof ChannelLost)) throw thrown;
        if (signal?.aborted || tries === MAX_TRIES) throw unavailable(this.#options.name, thrown.message);
        if (thrown.wasSent && changes && (await this.#began(channel.serial, id)) !== "no")
          throw this.#unsure(operation);
      }
    }
  }

  /** Ends all channels without a word. */
  disconnect(): void {
    for (const channel of this.#channels.splice(0)) channel.destroy();
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
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #open(): Promise<BulkChannel> {
    const { name, open, connectTimeoutMs: timeoutMs } = this.#options;
    const { spool, facts } = await this.#options.place();
    this.#serial += 1;
    const serial = this.#serial;
    const settings = [spool, facts, String(serial)];
    const { shell, ready } = await RemoteShell.start({ name, open, script: bulkScript(), settings, timeoutMs });
    const channel = new BulkChannel(shell, Number(ready.words[1]), serial);
    if (this.#isClosed) channel.destroy();
    else this.#channels.push(channel);
    return channel;
  }

  /** Whether a request that changes something had begun when its channel was lost. It cannot begin any more afterwards. */
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

  #unsure(operation: string): HaftError {
    return new HaftError(
      "BACKEND_UNAVAILABLE",
      `The connection to "${this.#options.name}" was lost during "${operation}": it may have happened. Look before you try again.`,
      { details: { backend: this.#options.name, began: "unknown" } },
    );
  }

  /** Ends the channel when it does not get on with what nobody waits for any more. */
  #watch(channel: BulkChannel, answer: Promise<Frame>, signal: AbortSignal): void {
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => {
      timer = setTimeout(() => {
        channel.destroy();
        void this.#options.stop(channel.pid);
      }, HANGING_MS);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    const done = (): void => {
      signal.removeEventListener("abort", onAbort);
      clearTimeout(timer);
    };
    answer.then(done, done);
  }
}
