/** The connection to a remote machine: both kinds of channel, opened on demand, and the state that outlives a channel. */
import { randomBytes } from "node:crypto";
import { closedBackend } from "../../../kernel/index.js";
import { commandScript } from "../remote/script.js";
import { BulkPool } from "./bulk-pool.js";
import { ChannelLost, type OpenChannel, stoppedBefore } from "./channel.js";
import { CommandChannel, type CommandRequest } from "./command-channel.js";
import { type Frame, split } from "./frames.js";
import { orAfter } from "./or-after.js";
import { quoteWords } from "./quote-words.js";
import { RemoteRefusal, RemoteShell, unavailable } from "./remote-shell.js";

interface RemoteAgentOptions {
  readonly name: string;
  readonly open: OpenChannel;
  /** See `Transport`. */
  readonly shellAdvice?: string | undefined;
  /** The remote shell that runs commands. */
  readonly commandShell: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stateDir?: string;
  readonly orphanMs: number;
  readonly leaseMs: number;
  readonly connectTimeoutMs: number;
  readonly maxWorkers: number;
  readonly maxBulkChannels: number;
}

/** What the remote side reported when the first channel was opened. */
export interface RemotePlace {
  readonly home: string;
  readonly cwd: string;
  readonly realCwd: string;
  /** Where it finds the programs that it runs for itself: the PATH there without what lies in the workspace. */
  readonly path: string;
  /** Its abilities beyond the minimum, by name. */
  readonly facts: ReadonlySet<string>;
}

/** Milliseconds that a shutdown may take; long enough for TERM, 3 s and KILL. */
const SHUTDOWN_TIMEOUT_MS = 6_000;

export class RemoteAgent {
  readonly #options: RemoteAgentOptions;
  readonly #bulk: BulkPool;
  #channel: CommandChannel | undefined;
  #opening: Promise<CommandChannel> | undefined;
  #closing: Promise<readonly string[]> | undefined;
  #place: RemotePlace | undefined;
  /** The remote directory with the records and the output of commands. */
  #spool: { readonly name: string; readonly path: string } | undefined;
  #generation = 0;
  #lastId = 0;
  /** Called when the leader of a command has exited. */
  onExit: (id: number, status: number) => void = () => {};
  /** Called when the command channel was lost. */
  onDisconnect: () => void = () => {};
  /** The start of the tag in the environment of each command, by which its processes are found. */
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
        return { spool: this.#spool!.path, facts: [...this.place.facts].join(" "), path: this.place.path };
      },
      drop: () => this.drop(),
      isAnswering: (ms) => this.isAnswering(ms),
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
    if (this.#place === undefined) throw unavailable(this.#options.name, "no connection was ever made");
    return this.#place;
  }

  /** The name of the current spool directory. */
  get spoolName(): string | undefined {
    return this.#spool?.name;
  }

  /** The absolute path of the current spool directory. */
  get spoolPath(): string | undefined {
    return this.#spool?.path;
  }

  get bulk(): BulkPool {
    return this.#bulk;
  }

  get state(): "open" | "reconnecting" | "closed" {
    if (this.#closing !== undefined) return "closed";
    return this.#channel === undefined || this.#channel.isDisconnected ? "reconnecting" : "open";
  }

  /** The next request id; all channels share one sequence, so ids are unique in a spool directory. */
  nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Opens the command channel if it was lost. @throws `BACKEND_UNAVAILABLE` */
  async ensure(): Promise<void> {
    await this.#command();
  }

  /**
   * Sends a request on the command channel, opening one when there is none.
   * @param signal - When it has fired before the channel is open, nothing is sent.
   * @throws `ChannelLost`, `BACKEND_UNAVAILABLE`
   */
  async request(request: CommandRequest, signal?: AbortSignal): Promise<Frame> {
    const channel = await this.#command();
    if (signal?.aborted) throw stoppedBefore();
    return channel.request(request);
  }

  /** Sends a request that may run twice; tries again on a new channel. @throws `BACKEND_UNAVAILABLE` */
  async ask(operation: string, words: readonly string[]): Promise<Frame> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.request({ id: this.nextId(), operation, words });
      } catch (thrown) {
        if (!(thrown instanceof ChannelLost)) throw thrown;
        if (tries === 2) throw unavailable(this.#options.name, thrown.why);
      }
    }
  }

  /** Withdraws a request that was not sent yet. Returns whether it could. */
  withdraw(id: number): boolean {
    return this.#channel?.withdraw(id) ?? false;
  }

  /** Sends a request without a response, if there is a channel. */
  send(operation: string, words: readonly string[]): void {
    if (this.#channel === undefined || this.#channel.isDisconnected || this.#closing !== undefined) return;
    this.#channel.request({ id: this.nextId(), operation, words, answers: false }).catch(() => {});
  }

  /** Kills a remote shell that hangs. */
  async stop(pid: number): Promise<void> {
    if (this.#closing === undefined) await this.ask("stop", [String(pid)]).catch(() => {});
  }

  /** Whether the remote side answers within `ms`; it does so at once, whatever its commands do. Opens a channel if there is none. */
  async isAnswering(ms: number): Promise<boolean> {
    const asked = this.#command().then((channel) => channel.isAnswering(ms));
    return (
      (await orAfter(
        asked.catch(() => false),
        ms,
      )) ?? false
    );
  }

  /** Milliseconds that commands continue without a channel. */
  get orphanMs(): number {
    return this.#options.orphanMs;
  }

  /** Closes the command channel; the next request opens another. */
  drop(): void {
    this.#channel?.destroy();
  }

  /** Ends what runs on the remote side. Resolves with the ids of processes that could not be ended. Idempotent. */
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
   * A new connection may be lost at once, so it is tried twice, but not for the first channel. Where the
   * old spool directory cannot be adopted, the second try creates a new one.
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
      quoteWords(Object.entries(this.#options.env ?? {}).map(([key, value]) => `${key}=${value}`)),
    ];
    const { shell, ready } = await RemoteShell.start({
      name,
      open,
      script: commandScript(),
      settings,
      timeoutMs,
      shellAdvice: this.#options.shellAdvice,
    });
    const [, pid, found, ...sizes] = ready.words;
    const [home = "", cwd = "", realCwd = "", spool = "", path = "", facts = ""] = split(
      ready.bytes,
      sizes.map(Number),
    );
    if (found !== "adopted") {
      // The old directory is gone, with all its records.
      this.#spool = { name: fresh, path: spool };
      this.#bulk.disconnect();
    }
    this.#place ??= { home, cwd, realCwd, path, facts: new Set(facts.split(" ").filter((one) => one !== "")) };
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
