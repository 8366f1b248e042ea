import { newNonce } from "../../host/index.js";
import { type Backend, closedBackend, HaftError, messageOf, type StartedTerminal } from "../../kernel/index.js";
import { posixQuote, shellWord } from "../../text/index.js";
import { processChannel } from "../posix/index.js";
import { ClientLost, ControlClient, terminalLost, terminalUnavailable } from "./control-client.js";
import { formatText, tmuxWord } from "./control-lines.js";
import { endPanesScript } from "./kill-script.js";
import { OPEN_SCRIPT } from "./open-script.js";
import type { TmuxOptions } from "./options.js";
import type { PaneFacts } from "./pane-facts.js";

/** Columns and rows of a new window that no user looks at. */
const SIZE = "200x50";
/** Milliseconds that a private server waits for a client when this process was killed, or the connection to its machine was lost. */
const ORPHAN_MS = { here: 60_000, remote: 12 * 3_600_000 } as const;

const WHY_NOT: Readonly<Record<string, string>> = {
  missing: "tmux is not installed there. Install tmux 3.2 or newer",
  old: "its tmux is too old. Install tmux 3.2 or newer",
  taken: "the directory of its server was replaced or opened to other users, so nothing there was used",
  directory: "no directory could be made in /tmp or $TMPDIR. Make one of them writable",
};

export interface ServerEvents {
  output(pane: string, bytes: Uint8Array): void;
  changed(): void;
  clientLost(): void;
}

/** What belongs to one tmux server while it runs. */
export interface OpenServer {
  readonly client: ControlClient;
  /** A private directory on the machine, for commands and their exit codes. */
  readonly directory: string;
  readonly session: string;
  /** The shell of panes, as a command. */
  readonly shell: readonly string[];
  /** Whether the session is ours. */
  readonly made: boolean;
}

/** The tmux server of a backend: started when it is first used, and connected to again when the client ends. */
export class TmuxServer {
  readonly #backend: Backend;
  readonly #options: TmuxOptions;
  readonly #events: ServerEvents;
  /** Identifies panes and sessions of ours. */
  readonly owner = newNonce();
  #open: Promise<OpenServer> | undefined;
  #last: OpenServer | undefined;
  #isClosed = false;
  #isNoticed = false;
  /** Increases with each new server. */
  generation = 0;
  /** The generation whose session was taken over. */
  #takenOver = 0;
  /** The highest number of a pane that was seen. */
  #lastId = -1;

  constructor(backend: Backend, options: TmuxOptions, events: ServerEvents) {
    this.#backend = backend;
    this.#options = options;
    this.#events = events;
  }

  get kind(): "private" | "named" | "current" {
    if (this.#options.current === true) return "current";
    return this.#options.session === undefined ? "private" : "named";
  }

  /** The name of the backend with these panes, as in the string of a target. */
  get name(): string {
    const session = this.kind === "current" ? "current" : this.#options.session;
    return `${this.#backend.name}+tmux${session === undefined ? "" : `=${session}`}`;
  }

  /** @throws `BACKEND_UNAVAILABLE` with the reason, `BACKEND_UNSUPPORTED` without tmux. */
  open(): Promise<OpenServer> {
    if (this.#isClosed) return Promise.reject(closedBackend(this.name));
    if (this.#open === undefined) {
      const opening = this.#connect().catch((error) => {
        throw error instanceof ClientLost ? this.#unavailable(error.message) : error;
      });
      this.#open = opening;
      opening.catch(() => this.#forget(opening));
    }
    return this.#open;
  }

  get cwd(): string {
    return this.#backend.cwd;
  }

  /** See `Backend.startTerminal`. The current session is what the user sees already. */
  async start(): Promise<StartedTerminal> {
    const { session, interactive = this.#backend.machine === "local" ? asIs : undefined } = this.#options;
    if (this.kind === "current") return {};
    const { directory, made } = await this.open();
    const created = made && session !== undefined ? { createdSession: session } : {};
    if (interactive === undefined) return created;
    const argv = session === undefined ? ["-S", `${directory}/s`, "attach"] : ["attach", "-t", session];
    const command = interactive(["tmux", ...argv]);
    return { ...created, attachCommand: command.map(shellWord).join(" ") };
  }

  /** Once, for a result: that the named session did not exist, whose name may be misspelled. */
  async takeNotice(): Promise<string | undefined> {
    const { session } = this.#options;
    if (session === undefined || !(await this.open()).made || this.#isNoticed) return undefined;
    this.#isNoticed = true;
    const { attachCommand } = await this.start();
    const watch = attachCommand === undefined ? "" : ` The user can watch it: ${attachCommand}`;
    return `There was no tmux session "${session}": it was created.${watch}`;
  }

  /** Ends what runs in these panes, which must be ours. The number of a shell that has ended may be another process's by now. */
  async endProcesses(panes: readonly Pick<PaneFacts, "pid" | "dead">[]): Promise<void> {
    const shellPids = panes.filter(({ dead }) => !dead).map(({ pid }) => pid);
    if (shellPids.length === 0) return;
    await this.#backend.root.shell.exec(endPanesScript(shellPids), { cwd: "/", timeoutMs: 15_000 });
  }

  /** @param line - Begins with the id of a pane. */
  noteId(line: string): void {
    this.#lastId = Math.max(this.#lastId, Number(/^%(\d+)/.exec(line)?.[1] ?? -1));
  }

  /** The server if it was used. */
  opened(): OpenServer | undefined {
    return this.#last;
  }

  /** Sends commands to the server. A client that has ended is replaced first. */
  async sendAll(commands: readonly (readonly string[])[]): Promise<readonly (readonly string[])[]> {
    const { client } = await this.open();
    try {
      return await client.sendAll(commands);
    } catch (error) {
      if (!(error instanceof ClientLost)) throw error;
      throw error.wasSent ? terminalLost(this.#backend.name, error.message) : this.#unavailable(error.message);
    }
  }

  async send(words: readonly string[]): Promise<readonly string[]> {
    return (await this.sendAll([words]))[0]!;
  }

  /** Ends a session of ours that has no panes of others, and a private server. Nothing is used after it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = this.#last;
    if (open === undefined) return;
    if (this.kind === "private" && open.client.why === undefined)
      await open.client.send(["kill-server"]).catch(() => {});
    await open.client.close();
    await this.#removeDirectory(open.directory);
    this.#last = undefined;
  }

  /** A new server counts its panes from 0. Uses up the ids that were seen, so that none of them means another pane. */
  async #skipIds({ client, session, shell }: OpenServer): Promise<void> {
    const cwd = formatText(this.#backend.cwd);
    const window = ["new-window", "-d", "-t", `${session}:`];
    await client.sendAll([
      ...Array.from({ length: this.#lastId }, () => [...window, "--", "true"]),
      [...window, "-n", "shared", "-c", cwd, "--", "env", ...shell],
      ["kill-window", "-t", `${session}:0`],
      this.#markFirst(session),
    ]);
  }

  #unavailable(why: string): HaftError {
    return terminalUnavailable(this.#backend.name, why);
  }

  #forget(opening: Promise<OpenServer>): void {
    if (this.#open === opening) this.#open = undefined;
  }

  async #connect(): Promise<OpenServer> {
    if (this.#last !== undefined) {
      const again = await this.#start(this.#last);
      if (again !== "gone") return again;
      await this.#removeDirectory(this.#last.directory);
      this.#last = undefined;
    }
    const open = await this.#start(undefined);
    if (open === "gone") throw this.#unavailable("its session has ended");
    if (open.made && this.#lastId >= 0) await this.#skipIds(open);
    return open;
  }

  async #start(last: OpenServer | undefined): Promise<OpenServer | "gone"> {
    const { session, paneShell, historyLines = 50_000 } = this.#options;
    const [socket, target] = this.kind === "current" ? currentPane() : ["", last?.session ?? session ?? "haft"];
    const mark = `haft-${newNonce()}`;
    const cwd = formatText(this.#backend.cwd);
    // On another machine the owner is its end of a connection, which may be lost while this process waits for it.
    const staleMinutes = this.#backend.machine === "local" ? 0 : ORPHAN_MS.remote / 60_000;
    const numbers = [String(historyLines), String(staleMinutes)];
    const args = [this.kind, last?.directory ?? "", socket, target, cwd, SIZE, ...numbers];
    const argv = ["sh", "-c", OPEN_SCRIPT, "haft", mark, ...args, ...(paneShell ?? last?.shell ?? [])];
    const { env } = this.#options;
    const channel = await processChannel(this.#options.run(argv), env === undefined ? {} : { env })();
    let opening: Promise<OpenServer> | undefined;
    const client = new ControlClient(channel, mark, {
      output: (pane, bytes) => this.#events.output(pane, bytes),
      changed: () => this.#events.changed(),
      ended: () => {
        if (opening !== undefined) this.#forget(opening);
        this.#events.clientLost();
        this.#events.changed();
      },
    });
    const line = await client.opened.catch((error) => {
      throw this.#unavailable(messageOf(error));
    });
    const [directory = "", made = "", id = "", ...shell] = line.split(" ");
    if (directory === "fail") {
      await client.close();
      if (made === "gone") return "gone";
      if (made === "taken") this.#last = undefined;
      throw this.#notStarted(made, [id, ...shell].join(" "));
    }
    opening = this.#open;
    if (last === undefined) this.generation += 1;
    const open: OpenServer = {
      client,
      directory,
      session: id,
      shell: last?.shell ?? paneShell ?? shell,
      made: last?.made ?? made === "yes",
    };
    // Before it is taken over: if this client is lost meanwhile, the next one does that.
    this.#last = open;
    if (open.made && this.#takenOver !== this.generation) {
      await this.#own(open);
      this.#takenOver = this.generation;
    }
    return open;
  }

  /** Marks the pane of a new session, and not the session: panes that a user opens there would have that mark too. */
  #markFirst(session: string): readonly string[] {
    return ["set-option", "-p", "-t", session, "@haft", this.owner];
  }

  /** Takes a new session over. A private server ends when no client has been attached for a while. */
  async #own({ client, directory, session }: OpenServer): Promise<void> {
    const commands = [this.#markFirst(session)];
    if (this.kind === "private") {
      const { orphanMs = ORPHAN_MS[this.#backend.machine === "local" ? "here" : "remote"] } = this.#options;
      const socket = posixQuote(`${directory}/s`);
      const end = `[ "$(tmux -S ${socket} list-clients | wc -l)" -gt 0 ] || { trap "" TERM HUP; tmux -S ${socket} kill-server; rm -rf ${posixQuote(directory)}; }`;
      commands.push([
        "set-hook",
        "-g",
        "client-detached",
        `run-shell -b -d ${orphanMs / 1_000} ${tmuxWord(formatText(end))}`,
      ]);
    }
    await client.sendAll(commands);
  }

  async #removeDirectory(directory: string): Promise<void> {
    await this.#backend.root.shell
      .exec(`rm -rf -- ${posixQuote(directory)}`, { cwd: "/", timeoutMs: 5_000 })
      .catch(() => undefined);
  }

  #notStarted(why: string, words: string): HaftError {
    const { name } = this.#backend;
    const cause = WHY_NOT[why];
    if (why === "missing" || why === "old")
      return new HaftError("BACKEND_UNSUPPORTED", `Did not open a pane on "${name}": ${cause}.`, {
        details: { backend: name, feature: "terminal" },
      });
    return this.#unavailable(cause ?? `tmux reported: ${words}`);
  }
}

const asIs = (argv: readonly string[]): readonly string[] => argv;

/** The socket and the pane that this process runs in. @throws `CONFIG_INVALID` outside of tmux. */
export function currentPane(): readonly [socket: string, pane: string] {
  const { TMUX = "", TMUX_PANE = "" } = process.env;
  const socket = TMUX.split(",")[0] ?? "";
  if (socket !== "" && /^%\d+$/.test(TMUX_PANE)) return [socket, TMUX_PANE];
  throw new HaftError(
    "CONFIG_INVALID",
    "Cannot use the current tmux pane: this process does not run in tmux ($TMUX_PANE is not set). Start it in tmux, or name a session: +tmux=SESSION.",
  );
}
