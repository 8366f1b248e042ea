/** The connection to a far side: its two kinds of channel, opened when needed, and what outlives one of them. */
import { randomBytes } from "node:crypto";
import { systemClock } from "../../../host/index.js";
import { closedBackend, withTimeout } from "../../../kernel/index.js";
import { commandScript } from "../remote/script.js";
import { BulkPool } from "./bulk-pool.js";
import { ChannelLost, type OpenChannel } from "./channel.js";
import { CommandChannel, type CommandRequest } from "./command-channel.js";
import type { Frame } from "./frames.js";
import { quoteWords } from "./quote-words.js";
import { RemoteRefusal, RemoteShell, unavailable } from "./remote-shell.js";

export interface RemoteAgentOptions {
  readonly name: string;
  readonly open: OpenChannel;
  /** The shell that commands are handed to, as a command over there. */
  readonly commandShell: readonly string[];
  readonly cwd?: string;
  readonly stateDir?: string;
  readonly orphanMs: number;
  readonly leaseMs: number;
  readonly connectTimeoutMs: number;
  readonly maxWorkers: number;
  readonly maxBulkChannels: number;
}

/** What the far side told of itself when it was reached first. */
export interface RemotePlace {
  readonly home: string;
  readonly cwd: string;
  readonly realCwd: string;
  /** What it can do beyond the minimum, by name. */
  readonly facts: ReadonlySet<string>;
}

/** Milliseconds that a good-bye may take: TERM, 3 s, KILL fit inside. */
const SHUTDOWN_TIMEOUT_MS = 6_000;

export class RemoteAgent {
  readonly #options: RemoteAgentOptions;
  readonly #bulk: BulkPool;
  #channel: CommandChannel | undefined;
  #opening: Promise<CommandChannel> | undefined;
  #closing: Promise<readonly string[]> | undefined;
  #place: RemotePlace | undefined;
  /** The folder that both sides write requests, output and results of commands down in. */
  #spool: { readonly name: string; readonly path: string } | undefined;
  #generation = 0;
  #lastId = 0;
  /** Told when a command's leader has ended. */
  onExit: (id: number, status: number) => void = () => {};
  /** Told when the command channel is gone and what ran on it is to be looked for. */
  onDisconnect: () => void = () => {};
  /** The beginning of the tag that every command has in its environment, so that its processes are found again. */
  readonly tag = randomBytes(9).toString("hex");

  private constructor(options: RemoteAgentOptions) {
    this.#options = options;
    this.#bulk = new BulkPool({
      name: options.name,
      open: options.open,
      connectTimeoutMs: options.connectTimeoutMs,
      maxChannels: options.maxBulkChannels,
      nextId: () => this.nextId(),
      place: async () => {
        await this.#command();
        return { spool: this.#spool!.path, facts: [...this.place.facts].join(" ") };
      },
      stop: (pid) => this.stop(pid),
    });
  }

  /** @throws `BACKEND_UNAVAILABLE` */
  static async open(options: RemoteAgentOptions): Promise<RemoteAgent> {
    const side = new RemoteAgent(options);
    await side.#command();
    return side;
  }

  get place(): RemotePlace {
    if (this.#place === undefined) throw unavailable(this.#options.name, "it was never reached");
    return this.#place;
  }

  /** The name of the folder that requests are noted in now. */
  get spoolName(): string | undefined {
    return this.#spool?.name;
  }

  get bulk(): BulkPool {
    return this.#bulk;
  }

  get state(): "open" | "reconnecting" | "closed" {
    if (this.#closing !== undefined) return "closed";
    return this.#channel === undefined || this.#channel.isDisconnected ? "reconnecting" : "open";
  }

  /** The number of a request: one row for all channels, so that none is used twice in a spool folder. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Opens the command channel if it is gone. @throws `BACKEND_UNAVAILABLE` */
  async ensure(): Promise<void> {
    await this.#command();
  }

  /**
   * Sends a request on the command channel, opening one when there is none.
   * @param signal - When it has fired by the time there is one, the request does not leave.
   * @throws `ChannelLost`, `BACKEND_UNAVAILABLE`
   */
  async request(request: CommandRequest, signal?: AbortSignal): Promise<Frame> {
    const channel = await this.#command();
    if (signal?.aborted) throw new ChannelLost("it was ended before it began", false);
    return channel.request(request);
  }

  /** A request that may be sent twice: one more try on a new channel. @throws `BACKEND_UNAVAILABLE` */
  async ask(operation: string, words: readonly string[]): Promise<Frame> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.request({ id: this.nextId(), operation, words });
      } catch (thrown) {
        if (!(thrown instanceof ChannelLost)) throw thrown;
        if (tries === 2) throw unavailable(this.#options.name, thrown.message);
      }
    }
  }

  /** Takes back a request that has not left. Whether it could. */
  withdraw(id: number): boolean {
    return this.#channel?.withdraw(id) ?? false;
  }

  /** Sends a request that needs no answer, if there is a channel. */
  send(operation: string, words: readonly string[]): void {
    if (this.#channel === undefined || this.#channel.isDisconnected || this.#closing !== undefined) return;
    this.#channel.request({ id: this.nextId(), operation, words, answers: false }).catch(() => {});
  }

  /** Kills one of our own far shells that hangs. */
  async stop(pid: number): Promise<void> {
    if (this.#closing === undefined) await this.ask("stop", [String(pid)]).catch(() => {});
  }

  /** Gives the command channel up; the next request opens another. */
  drop(): void {
    this.#channel?.destroy();
  }

  /** Idempotent. Ends what runs over there; resolves with the numbers of the processes that could not be ended. */
  close(): Promise<readonly string[]> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<readonly string[]> {
    await this.#opening?.catch(() => {});
    const channel = this.#channel;
    if (channel === undefined || channel.isDisconnected) {
      await this.#bulk.close();
      return [];
    }
    const [left] = await Promise.all([channel.shutdown(SHUTDOWN_TIMEOUT_MS), this.#bulk.close()]);
    await channel.ended(1_000);
    return left;
  }

  async #command(): Promise<CommandChannel> {
    if (this.#closing !== undefined) {
      throw closedBackend(this.#options.name);
    }
    if (this.#channel !== undefined && !this.#channel.isDisconnected) return this.#channel;
    this.#opening ??= this.#reopen().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /**
   * A line that has just been cut may be cut again at once: one more try, but not for the very first channel. Where the
   * old folder is not to be had any more the second try makes a new one.
   */
  async #reopen(): Promise<CommandChannel> {
    if (this.#generation === 0) return this.#open();
    return this.#open().catch((thrown: unknown) => {
      if (thrown instanceof RemoteRefusal) this.#spool = undefined;
      return this.#open();
    });
  }

  async #open(): Promise<CommandChannel> {
    const { name, open, connectTimeoutMs: timeoutMs, leaseMs, orphanMs, maxWorkers } = this.#options;
    this.#generation += 1;
    const [program = "sh", ...args] = this.#options.commandShell;
    const fresh = `haft-${randomBytes(9).toString("hex")}`;
    const settings = [
      String(this.#generation),
      this.#options.stateDir ?? "",
      fresh,
      this.#spool?.name ?? "",
      String(Math.ceil(orphanMs / 10)),
      String(Math.ceil(leaseMs / 1_000)),
      this.tag,
      program,
      quoteWords(args),
      this.#options.cwd ?? "",
    ];
    const { shell, ready } = await RemoteShell.start({ name, open, script: commandScript(), settings, timeoutMs });
    const [, pid, found, ...sizes] = ready.words;
    const [home = "", cwd = "", realCwd = "", path = "", facts = ""] = split(ready.bytes, sizes.map(Number));
    if (found !== "adopted") {
      // The old folder is gone, and with it everything that was noted there.
      this.#spool = { name: fresh, path };
      this.#bulk.disconnect();
    }
    this.#place ??= { home, cwd, realCwd, facts: new Set(facts.split(" ").filter((one) => one !== "")) };
    const channel = new CommandChannel(shell, {
      pid: Number(pid),
      leaseMs,
      maxWorkers,
      onExit: (id, status) => this.onExit(id, status),
      onEnd: () => {
        if (this.#closing === undefined) this.onDisconnect();
      },
    });
    this.#channel = channel;
    return channel;
  }
}

/** Cuts bytes into texts of the given sizes, and what is left. */
export function split(bytes: Uint8Array, sizes: readonly number[]): readonly string[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let at = 0;
  const texts = sizes.map((size) => {
    at += size;
    return decoder.decode(bytes.subarray(at - size, at));
  });
  return [...texts, decoder.decode(bytes.subarray(at))];
}

/** What it resolves with, or undefined after `ms`: what the far side does not answer holds no call for ever. */
export function orAfter<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return withTimeout<T | undefined>(
    { clock: systemClock, ms },
    () => work,
    () => undefined,
  );
}
