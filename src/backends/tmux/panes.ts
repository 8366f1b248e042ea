import { newNonce } from "../../host/index.js";
import { DEFAULT_PANE, HaftError, type PaneState } from "../../kernel/index.js";
import { TmuxRefusal } from "./control-client.js";
import { formatText } from "./control-lines.js";
import { paneBusy, paneGone } from "./pane-errors.js";
import type { PaneEvents } from "./pane-events.js";
import { type PaneFacts, paneFormats, parsePaneFacts, textsByPane } from "./pane-facts.js";
import { outputMark, readyScript, typedLine } from "./pane-script.js";
import { currentPane, type TmuxServer } from "./tmux-server.js";
import { Waiter } from "./waiter.js";

/** Other names of the default pane, which models use. */
const DEFAULT_NAMES = [DEFAULT_PANE, "shared", "shared-pane", "default-pane", ""];

const DEFAULT_MAX_PANES = 16;
/** Milliseconds for a new shell to read its start-up files and answer. */
const READY_MS = 20_000;

/** A pane that was made here. */
export interface OwnPane {
  readonly id: string;
  readonly generation: number;
  /** The shell's name as tmux reports it, once the shell has answered. */
  shellName: string;
  ready: Promise<void>;
  /** The sessions that opened it or ran a command in it. Another one does not close it. */
  readonly sessions: Set<string>;
  /** A command of ours that runs or was dispatched here and may still run. */
  running: "run" | "dispatch" | undefined;
  /** Whether `/proc` shows which group has the terminal. */
  hasProc: boolean;
  /** Whether the prompt begins a line, as far as is known: the output before it ended with a newline. */
  isAtLineStart: boolean;
}

interface PaneOptions {
  readonly name?: string;
  readonly cwd?: string;
  readonly size?: readonly [number, number];
}

/** The panes of one session, and which of them are ours. */
export class Panes {
  readonly #server: TmuxServer;
  readonly #maxPanes: number;
  readonly #events: PaneEvents;
  readonly #own = new Map<string, OwnPane>();
  /** For commands that come while the default pane is in use. */
  readonly #extra: OwnPane[] = [];
  #default: Promise<OwnPane> | undefined;
  #adopted = -1;
  /** The pane that is being opened. */
  #opening: Promise<unknown> = Promise.resolve();
  #findingDefault: Promise<unknown> = Promise.resolve();

  constructor(server: TmuxServer, events: PaneEvents, maxPanes: number = DEFAULT_MAX_PANES) {
    this.#server = server;
    this.#events = events;
    this.#maxPanes = maxPanes;
  }

  isDefault(pane: string): boolean {
    return DEFAULT_NAMES.includes(pane);
  }

  own(id: string): OwnPane | undefined {
    const pane = this.#own.get(id);
    return pane?.generation === this.#server.generation ? pane : undefined;
  }

  /** Every pane of the session. @param hasTexts - Without them the command and the title are "". */
  async facts(hasTexts = true): Promise<readonly PaneFacts[]> {
    const { session } = await this.#server.open();
    const { owner } = this.#server;
    const formats = paneFormats(owner).slice(0, hasTexts ? undefined : 1);
    const [lines = [], commands = [], titles = []] = await this.#server.sendAll(
      formats.map((format) => ["list-panes", "-s", "-t", session, "-F", format]),
    );
    const texts = [textsByPane(commands, owner), textsByPane(titles, owner)] as const;
    const about = { owner, isKnown: (pane: string) => this.own(pane) !== undefined };
    return lines.map((line) => {
      this.#server.noteId(line);
      return parsePaneFacts(line, texts, about);
    });
  }

  /** @throws `TERMINAL_PANE_GONE`. */
  async factsOf(id: string): Promise<PaneFacts> {
    const found = (await this.facts()).find(({ state }) => state.pane === id);
    if (found === undefined || found.dead) throw paneGone(id);
    return found;
  }

  async list(): Promise<readonly PaneState[]> {
    const made = (await this.#server.open()).made ? await this.defaultPane() : undefined;
    await Promise.allSettled([...this.#own.values()].map(({ ready }) => ready));
    const states = await Promise.all((await this.facts()).map((facts) => this.stateOf(facts)));
    const { notice, pane } = made ?? {};
    return states.map((state) => (notice === undefined || state.pane !== pane?.id ? state : { ...state, notice }));
  }

  async stateOf(facts: PaneFacts): Promise<PaneState> {
    return { ...facts.state, shell: await this.#shellOf(facts) };
  }

  async #shellOf({ state, pid, dead }: PaneFacts): Promise<PaneState["shell"]> {
    if (dead) return "gone";
    const own = this.own(state.pane);
    if (!state.owned || own === undefined) return "unknown";
    if (own.running === "run") return "busy";
    await own.ready.catch(() => {});
    return (await this.isPrompt(own, pid, state)) ? "prompt" : "busy";
  }

  /**
   * Whether the shell of a pane of ours waits for a command: it is still that shell, and its group has the terminal. A program that was
   * killed may have left its screen there. Without /proc only the name of the foreground program is known, and its screen.
   */
  async isPrompt(own: OwnPane, pid: number, state: Pick<PaneState, "command" | "alternate">): Promise<boolean> {
    if (state.command !== own.shellName) return false;
    if (!own.hasProc) return !state.alternate;
    const stat = await this.stat(pid);
    return stat !== undefined && stat.foreground === stat.group;
  }

  /** From `/proc/PID/stat`, read by the tmux server. Undefined for no such process, or no /proc. */
  async stat(pid: number): Promise<{ state: string; group: number; session: number; foreground: number } | undefined> {
    const text = await this.readFile(`/proc/${pid}/stat`);
    if (text === undefined) return undefined;
    const [state = "", , group, session, , foreground] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state, group: Number(group), session: Number(session), foreground: Number(foreground) };
  }

  /** A small text file, read by the tmux server. */
  async readFile(path: string): Promise<string | undefined> {
    const buffer = `haft-read-${this.#server.owner}`;
    const [, shown] = await this.#server
      .sendAll([
        ["load-buffer", "-b", buffer, formatText(path)],
        ["show-buffer", "-b", buffer],
        ["delete-buffer", "-b", buffer],
      ])
      .catch((error) => {
        if (error instanceof TmuxRefusal) return [];
        throw error;
      });
    return shown?.join("\n");
  }

  /** The commands for `sendAll` that write a text to a file. The tmux server writes it. */
  writeFile(path: string, text: string): readonly (readonly string[])[] {
    const buffer = `haft-write-${this.#server.owner}`;
    return [
      ["set-buffer", "-b", buffer, "--", text === "" ? "\n" : text],
      ["save-buffer", "-b", buffer, formatText(path)],
      ["delete-buffer", "-b", buffer],
    ];
  }

  /** The commands that type a text: a newline in it is Enter. */
  typeText(pane: string, text: string): readonly (readonly string[])[] {
    if (text === "") return [];
    const buffer = `haft-type-${this.#server.owner}`;
    return [
      ["set-buffer", "-b", buffer, "--", text],
      ["paste-buffer", "-d", "-b", buffer, "-t", pane],
    ];
  }

  /** The id of a pane as a call names it. `notice`: the default pane was gone and was opened again. */
  async resolve(pane: string): Promise<{ readonly id: string; readonly notice?: string }> {
    if (!this.isDefault(pane)) return { id: pane };
    if (this.#server.kind === "current") return { id: currentPane()[1] };
    const { pane: own, notice } = await this.defaultPane();
    return { id: own.id, ...(notice === undefined ? {} : { notice }) };
  }

  /** The pane for commands, made when it is first used, and once more when it is gone. */
  defaultPane(): Promise<{ readonly pane: OwnPane; readonly notice?: string }> {
    const found = this.#findingDefault.then(() => this.#findDefault());
    this.#findingDefault = found.catch(() => undefined);
    return found;
  }

  async #findDefault(): Promise<{ readonly pane: OwnPane; readonly notice?: string }> {
    await this.#server.open();
    const before = await this.#default?.catch(() => undefined);
    if (before !== undefined && this.own(before.id) !== undefined) {
      if ((await this.facts()).some(({ state, dead }) => state.pane === before.id && state.owned && !dead))
        return { pane: before };
    }
    const made = this.#adoptOrOpen();
    this.#default = made;
    made.catch(() => {
      this.#default = undefined;
    });
    const pane = await made;
    const gone = () => `The default pane ${before?.id} was gone; a new one was opened, ${pane.id}.`;
    const notice = before === undefined ? await this.#server.takeNotice() : gone();
    return { pane, ...(notice === undefined ? {} : { notice }) };
  }

  /** The default pane, if one was made. */
  madeDefault(): Promise<OwnPane> | undefined {
    return this.#default;
  }

  /**
   * The default pane for a command, or another one while a command of ours occupies it.
   * @throws `TERMINAL_BUSY` when a user runs something there.
   */
  async claimDefault(how: "run" | "dispatch"): Promise<{ readonly pane: OwnPane; readonly notice?: string }> {
    const { pane, notice } = await this.defaultPane();
    const noticed = notice === undefined ? {} : { notice };
    const take = (one: OwnPane) => {
      one.running = how;
      return { pane: one, ...noticed };
    };
    if (pane.running === undefined) return take(pane);
    const alive = await this.facts();
    for (const one of [pane, ...this.#extra]) {
      if (one.running === "run" || this.own(one.id) !== one) continue;
      const facts = alive.find(({ state }) => state.pane === one.id && state.owned);
      if (facts === undefined) continue;
      const before = one.running;
      one.running = "run"; // so that no other command takes it meanwhile
      try {
        if (await this.isPrompt(one, facts.pid, facts.state)) return take(one);
        one.running = before;
      } catch (error) {
        one.running = before;
        throw error;
      }
    }
    const { cwd } = this.#server;
    const extra = await this.open({ cwd });
    this.#extra.push(extra);
    return take(extra);
  }

  /**
   * Closes a pane of ours and ends what runs there.
   * @param session - Of the call. Absent: it may close panes of every session.
   * @throws `TERMINAL_PANE_GONE`, `TERMINAL_NOT_OWNED`.
   */
  async close(id: string, session?: string): Promise<void> {
    const facts = await this.factsOf(id);
    const { state } = facts;
    const users = this.own(id)?.sessions ?? [];
    const isShared = session !== undefined && [...users].some((one) => one !== session);
    if (!state.owned || isShared) {
      const why = state.owned ? "another session opened it or uses it" : "Haft did not open it";
      throw new HaftError("TERMINAL_NOT_OWNED", `Did not close the pane "${id}": ${why}. Leave it to the user.`, {
        details: { pane: id },
      });
    }
    this.#own.delete(id);
    await this.#server.endProcesses([facts]);
    await this.#server.send(["kill-pane", "-t", id]).catch(() => {});
  }

  /** Ends every pane of ours. A pane of a named session that a user looks at is left. @returns What is left, for users. */
  async closeAll(): Promise<readonly string[]> {
    const own = (await this.facts()).filter(({ isMarked }) => isMarked);
    const watched =
      this.#server.kind === "private"
        ? []
        : await this.#server.send(["list-clients", "-F", "#{client_control_mode}#{pane_id}"]);
    const ending = own.filter(({ state }) => !watched.includes(`0${state.pane}`));
    await this.#server.endProcesses(ending);
    // tmux 3.3a crashes, with all sessions of the user, if the current window is not the last one of a session that ends.
    const ordered = [...ending.filter((one) => !one.isCurrent), ...ending.filter((one) => one.isCurrent)];
    await this.#server.sendAll(ordered.map(({ state }) => ["kill-pane", "-t", state.pane])).catch(() => {});
    return own
      .filter((one) => !ending.includes(one))
      .map(({ state }) => `tmux pane ${state.pane} of the session "${state.session}" (a user is attached)`);
  }

  /** A new session of ours has one pane already. */
  async #adoptOrOpen(): Promise<OwnPane> {
    const { made } = await this.#server.open();
    const { generation } = this.#server;
    if (made && this.#adopted !== generation) {
      this.#adopted = generation;
      // A user may have opened others there.
      const first = (await this.facts()).find(({ isMarked }) => isMarked);
      if (first !== undefined) return this.#add(first.state.pane, "shared");
    }
    return this.open({});
  }

  /** One after the other, so that none is opened beyond the limit. @throws `TERMINAL_BUSY` when there are too many. */
  open(options: PaneOptions): Promise<OwnPane> {
    const opened = this.#opening.then(() => this.#openNext(options));
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  async #openNext(options: PaneOptions): Promise<OwnPane> {
    const { session, shell } = await this.#server.open();
    const count = (await this.facts()).filter(({ state }) => state.owned).length;
    if (count >= this.#maxPanes)
      throw new HaftError("TERMINAL_BUSY", `Did not open a pane: ${count} are open, the most allowed. Close one.`, {
        details: { pane: DEFAULT_PANE },
      });
    const { name = "haft", cwd, size } = options;
    const where = cwd === undefined ? [] : ["-c", formatText(cwd)];
    const answer = await this.#server
      .send([
        "new-window",
        "-d",
        "-P",
        "-F",
        "#{pane_id}",
        "-t",
        `${session}:`,
        "-n",
        formatText(name),
        ...where,
        "--",
        "env",
        ...shell,
      ])
      .catch((error) => {
        if (!(error instanceof TmuxRefusal)) throw error;
        throw new HaftError("TERMINAL_PANE_GONE", `Did not open a pane: tmux reported "${error.message}".`, {
          details: { pane: name },
        });
      });
    const id = answer[0] ?? "";
    if (!/^%\d+$/.test(id)) throw paneGone(id);
    if (size !== undefined)
      await this.#server.send(["resize-window", "-t", id, "-x", String(size[0]), "-y", String(size[1])]);
    return this.#add(id, name);
  }

  async #add(id: string, title: string): Promise<OwnPane> {
    await this.#server.sendAll([
      ["set-option", "-p", "-t", id, "@haft", this.#server.owner],
      ["select-pane", "-t", id, "-T", formatText(title)],
    ]);
    const pane: OwnPane = {
      id,
      generation: this.#server.generation,
      shellName: "",
      ready: Promise.resolve(),
      sessions: new Set(),
      running: undefined,
      hasProc: false,
      isAtLineStart: true,
    };
    this.#own.set(id, pane);
    pane.ready = this.#greet(pane);
    pane.ready.catch(() => {});
    return pane;
  }

  /** Waits until the shell of a new pane has read its start-up files and answers. */
  async #greet(pane: OwnPane): Promise<void> {
    const { directory } = await this.#server.open();
    const nonce = newNonce();
    const mark = outputMark(nonce, "ready");
    const path = `${directory}/r${pane.id.slice(1)}`;
    const waiter = new Waiter();
    let seen = "";
    let hasAnswered = false;
    const stop = this.#events.listen(pane.id, {
      output: (bytes) => {
        seen = (seen + Buffer.from(bytes).toString("latin1")).slice(-4_096 - bytes.length);
        hasAnswered ||= seen.includes(mark);
        if (hasAnswered) waiter.wake();
      },
    });
    try {
      await this.#server.sendAll([
        ...this.writeFile(path, readyScript(nonce, path)),
        ...this.typeText(pane.id, typedLine(path, false)),
      ]);
      await waiter.next(READY_MS);
    } catch (error) {
      // Whether it was asked is unknown, so another pane is opened for the next command.
      if (!(error instanceof TmuxRefusal)) {
        this.#own.delete(pane.id);
        throw error;
      }
    } finally {
      stop();
    }
    if (!hasAnswered) throw paneBusy(pane.id, "its shell", "did not answer after it was started");
    const { state, pid } = await this.factsOf(pane.id);
    pane.shellName = state.command;
    pane.hasProc = (await this.stat(pid)) !== undefined;
  }
}
