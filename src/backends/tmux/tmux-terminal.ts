import {
  type Binding,
  type CaptureOptions,
  coversPane,
  DEFAULT_PANE,
  HaftError,
  type Keys,
  keysAsText,
  type PaneAction,
  type PaneCapture,
  type PaneResult,
  type PaneState,
  requireAuthorizedDirectory,
  type ShellOptions,
  sealPort,
  type Terminal,
} from "../../kernel/index.js";
import { ShellCall } from "../shell-call.js";
import { TmuxRefusal } from "./control-client.js";
import { keyName } from "./key-names.js";
import { longLineBytes, readsWholeLines } from "./long-lines.js";
import { runsBelow } from "./own-terminal.js";
import { PaneCommandRun } from "./pane-command.js";
import { lineTooLong, paneBusy, paneGone } from "./pane-errors.js";
import type { PaneMachine } from "./pane-machine.js";
import type { OwnPane } from "./panes.js";

/** The panes of a backend as one call may use them. */
export class TmuxTerminal implements Terminal {
  readonly #on: PaneMachine;
  readonly #call: ShellCall;
  readonly #closing: AbortSignal;

  /**
   * @param requireOpen - Throws once the backend is closed.
   * @param closing - Fires then.
   */
  constructor(on: PaneMachine, requireOpen: () => void, closing: AbortSignal, binding?: Binding) {
    this.#on = on;
    this.#closing = closing;
    this.#call = new ShellCall(requireOpen, binding);
  }

  async list(): Promise<readonly PaneState[]> {
    this.#require("*", "list");
    return this.#on.panes.list();
  }

  async attachCommand(): Promise<string | undefined> {
    this.#require("*", "list");
    return (await this.#on.server.start()).attachCommand;
  }

  async open(options: Parameters<Terminal["open"]>[0]): Promise<PaneState> {
    this.#require("*", "open");
    const { panes, backend, server } = this.#on;
    const pane = await panes.open({ cwd: backend.cwd, ...options });
    this.#use(pane);
    await pane.ready;
    const state = await panes.stateOf(await panes.factsOf(pane.id));
    const notice = await server.takeNotice();
    return notice === undefined ? state : { ...state, notice };
  }

  async close(pane: string): Promise<void> {
    this.#require(pane, "close");
    const { panes } = this.#on;
    if (panes.isDefault(pane) && panes.madeDefault() === undefined) return;
    const { id } = await panes.resolve(pane);
    await panes.close(id, this.#call.binding?.call.sessionId);
  }

  async capture(pane: string, options: CaptureOptions): Promise<PaneCapture> {
    this.#require(pane, "read");
    const { panes, server } = this.#on;
    const { id, notice } = await panes.resolve(pane);
    // Before, a program that starts the shell runs there, and the screen is empty.
    await panes.own(id)?.ready.catch(() => {});
    const facts = await panes.factsOf(id);
    const alternate = options.alternate && facts.state.alternate;
    const lines = await server.send(captureWords(id, { ...options, alternate })).catch(refusedPane(id));
    const state = { ...(await panes.stateOf(facts)), ...(notice === undefined ? {} : { notice }) };
    const text = options.trailing ? lines : lines.map((line) => line.trimEnd());
    return { text: text.join("\n"), state, fellBack: options.alternate && !alternate };
  }

  async send(pane: string, keys: readonly Keys[]): Promise<PaneState> {
    const own = keys.map((one): Keys => ("text" in one ? { text: one.text } : { key: one.key }));
    this.#require(pane, "write", keysAsText(own));
    const commands = own.map((one): Keys => ("text" in one ? one : { key: keyName(one.key) }));
    const { panes, server, backend } = this.#on;
    const { id, notice } = await panes.resolve(pane);
    const facts = await panes.factsOf(id);
    this.#requireNotOwnTerminal(id, facts.pid);
    if (facts.state.owned) await panes.own(id)?.ready;
    const longest = longLineBytes(commands);
    if (longest > 0 && (await readsWholeLines(backend.root.shell, facts.tty)))
      throw lineTooLong(id, facts.state.command, longest);
    this.#call.requireLive();
    await server
      .sendAll([
        ...(facts.inMode ? [["copy-mode", "-q", "-t", id]] : []),
        ...commands.flatMap((one) =>
          "text" in one ? panes.typeText(id, one.text) : [["send-keys", "-t", id, "--", one.key]],
        ),
      ])
      .catch(refusedPane(id));
    const state = await panes.stateOf(await panes.factsOf(id));
    return notice === undefined ? state : { ...state, notice };
  }

  async run(pane: string, command: string, options: ShellOptions): Promise<PaneResult> {
    const own = this.#call.requireCommand(command, options, "foreground");
    requireCommandText(command);
    const signals = [...this.#call.signals(own), this.#closing];
    const timeoutMs = this.#call.leftMs(own.timeoutMs);
    const sinceMs = performance.now();
    const { queue, panes, running: others } = this.#on;
    const claim = () => this.#claim(pane, "run");
    const claimed = await (panes.isDefault(pane) ? queue.take(claim, others, signals, timeoutMs) : claim());
    const running = new PaneCommandRun(this.#on, claimed.pane, command, own, this.#call.binding).run(
      signals,
      timeoutMs - (performance.now() - sinceMs),
    );
    this.#on.running.add(running);
    try {
      const result = await running;
      const notices = [claimed.notice ?? [], missedOutput(result) ?? []].flat();
      return notices.length === 0 ? result : { ...result, notice: notices.join(" ") };
    } finally {
      this.#on.running.delete(running);
      claimed.pane.running = undefined;
    }
  }

  async dispatch(pane: string, command: string, options: { readonly cwd?: string }): Promise<PaneState> {
    const { cwd = this.#on.backend.cwd } = options;
    const own = this.#call.requireCommand<ShellOptions>(command, { cwd }, "foreground");
    requireCommandText(command);
    const { panes, backend } = this.#on;
    const { binding } = this.#call;
    let real = cwd;
    if (binding !== undefined) {
      // Nothing waits for the answer of the pane's shell, so the directory is resolved first.
      const [found] = await backend.root.fs.resolve([cwd]);
      real = found === undefined ? cwd : found.missing === "" ? found.real : cwd;
      await requireAuthorizedDirectory(binding, command, cwd, real);
    }
    const claimed = await this.#claim(pane, "dispatch");
    const run = new PaneCommandRun(this.#on, claimed.pane, command, own, binding);
    await run.dispatch(real, own.env ?? {}).catch((error) => {
      claimed.pane.running = undefined;
      throw error;
    });
    const state = await panes.stateOf(await panes.factsOf(claimed.pane.id));
    return { ...state, ...(claimed.notice === undefined ? {} : { notice: claimed.notice }) };
  }

  /** Takes a pane for a command; a default pane that a command of ours occupies is replaced by another one. */
  async #claim(pane: string, how: "run" | "dispatch"): Promise<{ readonly pane: OwnPane; readonly notice?: string }> {
    const { panes } = this.#on;
    if (panes.isDefault(pane)) {
      const claimed = await panes.claimDefault(how);
      this.#use(claimed.pane);
      return claimed;
    }
    const facts = await panes.factsOf(pane);
    const own = panes.own(pane);
    if (own === undefined || !facts.state.owned) {
      throw new HaftError(
        "TERMINAL_NOT_OWNED",
        `Did not run the command in the pane "${pane}": Haft did not open it. Use the pane "${DEFAULT_PANE}", open one, or send keys.`,
        { details: { pane } },
      );
    }
    if (own.running === "run") throw paneBusy(pane, facts.state.command, "is running there");
    own.running = how;
    this.#use(own);
    return { pane: own };
  }

  #use(pane: OwnPane): void {
    const { binding } = this.#call;
    if (binding !== undefined) pane.sessions.add(binding.call.sessionId);
  }

  /** Keys in the pane of this process would answer what it asks its user. */
  #requireNotOwnTerminal(id: string, pid: number): void {
    const { backend, server } = this.#on;
    if (backend.machine !== "local") return;
    if ((server.kind === "private" || process.env.TMUX_PANE !== id) && !runsBelow(pid)) return;
    throw new HaftError(
      "TERMINAL_NOT_OWNED",
      `Did not type into the pane "${id}": this process runs in it, and keys could answer its questions. Use another pane, or open one.`,
      { details: { pane: id } },
    );
  }

  #require(pane: string, action: PaneAction, input?: string): void {
    this.#call.requireLive();
    const grant = this.#call.binding?.grant;
    if (grant === undefined || coversPane(grant, pane, action, input)) return;
    const what = pane === "*" ? `${action} panes` : `${action} the pane "${pane}"`;
    throw new HaftError(
      "CALL_UNCLAIMED",
      `Did not ${what}: the call did not claim it. Claim it in the tool's \`claims\`.`,
      { details: { pane, action } },
    );
  }
}

sealPort(TmuxTerminal);

/** The options of `capture-pane`. */
export function captureWords(pane: string, options: CaptureOptions): readonly string[] {
  const flags = (
    [
      ["-J", options.join],
      ["-N", options.trailing],
      ["-e", options.escapes],
      ["-C", options.escapeNonPrintable],
      ["-a", options.alternate],
    ] as const
  ).flatMap(([flag, isSet]) => (isSet ? [flag] : []));
  const from = options.from === undefined ? [] : ["-S", String(options.from)];
  const to = options.to === undefined ? [] : ["-E", String(options.to)];
  return ["capture-pane", "-p", ...flags, ...from, ...to, "-t", pane];
}

function requireCommandText(command: string): void {
  if (!command.includes("\0")) return;
  throw new HaftError("CALL_INVALID", "Did not run the command: it contains a NUL character. Remove it.", {
    details: { parameter: "command", problem: "NUL" },
  });
}

function refusedPane(id: string): (error: unknown) => never {
  return (error) => {
    throw error instanceof TmuxRefusal ? paneGone(id) : error;
  };
}

/** A client that was lost has missed what the pane printed until the next one was there. */
function missedOutput({ pane, ended, exit, stdout }: PaneResult): string | undefined {
  if (stdout.final || ended !== "itself" || exit.by === "none") return undefined;
  return `The connection to the pane ${pane} was interrupted: output may be missing here, which the pane may still show.`;
}
