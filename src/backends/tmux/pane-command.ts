import { newNonce } from "../../host/index.js";
import {
  type Binding,
  DEFAULT_GRACE_MS,
  grantedDirectories,
  HaftError,
  type PaneResult,
  requireAuthorizedDirectory,
  type ShellExit,
  type ShellOptions,
  type TreeState,
} from "../../kernel/index.js";
import { exitOfStatus } from "../exit-status.js";
import { stopWith } from "../shell-call.js";
import { terminalLost } from "./control-client.js";
import { signalGroupScript } from "./kill-script.js";
import { OutputReader } from "./output-reader.js";
import { noDirectory, paneBusy } from "./pane-errors.js";
import type { PaneMachine } from "./pane-machine.js";
import { COLLECTED_ENV, paneCommandScript, typedLine } from "./pane-script.js";
import type { OwnPane } from "./panes.js";
import { LIST_CLIENTS, UserKeys } from "./user-keys.js";
import { Waiter } from "./waiter.js";

/** Milliseconds after which the shell must have begun a command that was typed. */
const BEGIN_MS = 15_000;
/** Milliseconds after the end of a command in which its last output must arrive. */
const LAST_OUTPUT_MS = 1_000;
/** Milliseconds between two checks, at first and at most. */
const CHECK_MS = [1, 500] as const;
const KILLED_MS = 3_000;

type Settled = Pick<PaneResult, "began" | "exit" | "ended"> & { readonly problem?: string };

/** One command that is typed into a pane. */
export class PaneCommandRun {
  readonly #on: PaneMachine;
  readonly #pane: OwnPane;
  readonly #command: string;
  readonly #options: ShellOptions;
  readonly #binding: Binding | undefined;
  #nonce = newNonce();
  #output: OutputReader;
  readonly #startedMs = Date.now();
  readonly #startedAt = performance.now();
  #pid = 0;
  #files = { command: "", script: "", status: "", input: "" };
  #group: number | undefined;
  readonly #userKeys: UserKeys;
  #endedBy: "TERM" | "KILL" | null = null;

  constructor(on: PaneMachine, pane: OwnPane, command: string, options: ShellOptions, binding: Binding | undefined) {
    this.#on = on;
    this.#pane = pane;
    this.#command = command;
    this.#options = options;
    this.#binding = binding;
    this.#userKeys = new UserKeys(pane.id);
    this.#output = new OutputReader(this.#nonce, options);
  }

  /** A result for a command that was not started. */
  notBegun(ended: "cancelled" | "deadline" | "spawn-error", problem?: string): PaneResult {
    return this.#result({ began: "no", ended, exit: { by: "none" }, ...(problem === undefined ? {} : { problem }) });
  }

  /** Types the command and waits for its end. */
  async run(signals: readonly AbortSignal[], timeoutMs: number): Promise<PaneResult> {
    for (let real: string | undefined; ; ) {
      const answer = await this.#once(real ?? this.#realCwd(), signals, timeoutMs);
      if (!("directory" in answer)) return answer;
      if (real !== undefined) return this.notBegun("spawn-error", "its directory was replaced");
      real = answer.directory;
      if (this.#binding !== undefined)
        await requireAuthorizedDirectory(this.#binding, this.#command, this.#options.cwd, real);
    }
  }

  /**
   * Types the command and returns when it has begun: before, the pane would seem to wait for another one.
   * @throws `SHELL_SPAWN` when it could not start in its directory, `TERMINAL_BUSY` when the shell does not begin it,
   * `BACKEND_UNAVAILABLE` when the client is lost before it has begun, as far as was seen.
   */
  async dispatch(real: string, env: Readonly<Record<string, string>>): Promise<void> {
    const { id } = this.#pane;
    const waiter = new Waiter();
    let isTyped = false;
    const stop = this.#on.events.listen(id, {
      output: (bytes) => {
        this.#output.push(bytes);
        if (this.#output.hasBegun) waiter.wake();
      },
      clientLost: () => {
        if (!isTyped) return;
        this.#output.noteGap();
        waiter.wake();
      },
    });
    try {
      await this.type(real, env);
      isTyped = true;
      await waiter.next(BEGIN_MS);
    } finally {
      stop();
    }
    if (this.#output.wasBegun) return;
    if (this.#output.hasEnded) throw noDirectory(this.#options.cwd);
    // The mark may have been in output that did not arrive.
    if (this.#output.hasGap) throw terminalLost(this.#on.backend.name, "its client ended");
    await this.#revoke();
    throw paneBusy(id, "its shell", `did not begin the command in ${BEGIN_MS / 1000} s`);
  }

  #realCwd(): string {
    const { cwd } = this.#options;
    return this.#binding === undefined ? cwd : (grantedDirectories(this.#binding.grant, this.#command, cwd)[0] ?? cwd);
  }

  /** Stages the files and types the line. @throws `TERMINAL_BUSY`, `TERMINAL_PANE_GONE`. */
  async type(real: string, env: Readonly<Record<string, string>>): Promise<void> {
    const { panes, server, backend } = this.#on;
    const { id } = this.#pane;
    await this.#pane.ready;
    const { state, pid } = await panes.factsOf(id);
    if (!(await panes.isPrompt(this.#pane, pid, state)))
      throw paneBusy(id, state.command, state.alternate ? "shows its own screen" : "is running there");
    this.#pid = pid;
    const { directory } = await server.open();
    const [number, { input }] = [id.slice(1), this.#options];
    this.#files = {
      command: `${directory}/c${number}`,
      script: `${directory}/${number}`,
      status: `${directory}/s${number}`,
      input: input === undefined ? "" : `${directory}/i${number}`,
    };
    if (input !== undefined) await backend.root.fs.writeFile(this.#files.input, input);
    const script = paneCommandScript({
      nonce: this.#nonce,
      command: this.#command,
      isZsh: this.#pane.shellName === "zsh",
      commandFile: this.#files.command,
      statusFile: this.#files.status,
      ...(input === undefined ? {} : { inputFile: this.#files.input }),
      cwd: this.#options.cwd,
      realCwd: real,
      env,
      clears: this.#pane.isAtLineStart && !state.alternate,
      leavesAlternate: state.alternate,
    });
    this.#pane.isAtLineStart = false;
    const [users] = await server.sendAll([
      LIST_CLIENTS,
      ...panes.writeFile(this.#files.command, `${this.#command}\n`),
      ...panes.writeFile(this.#files.script, script),
      ...panes.typeText(id, typedLine(this.#files.script, true)),
    ]);
    this.#userKeys.note(users ?? [], true);
  }

  async #once(
    real: string,
    signals: readonly AbortSignal[],
    timeoutMs: number,
  ): Promise<PaneResult | { readonly directory: string }> {
    const waiter = new Waiter();
    const { events } = this.#on;
    this.#nonce = newNonce();
    this.#output = new OutputReader(this.#nonce, this.#options);
    let stopped: "cancelled" | "deadline" | undefined;
    const endListening = events.listen(this.#pane.id, {
      output: (bytes) => {
        const hadBegun = this.#output.hasBegun;
        this.#output.push(bytes);
        // After its end the prompt follows.
        if (hadBegun !== this.#output.hasBegun || this.#output.hasEnded) waiter.wake();
      },
      changed: () => waiter.wake(),
      clientLost: () => this.#output.noteGap(),
    });
    const endStopping = stopWith(signals, timeoutMs, (why) => {
      stopped ??= why;
      waiter.wake();
    });
    try {
      if (stopped !== undefined) return this.notBegun(stopped);
      await this.type(real, { ...COLLECTED_ENV, ...this.#options.env });
      return await this.#wait(waiter, () => stopped);
    } finally {
      endListening();
      endStopping();
      await this.#removeInput();
    }
  }

  async #removeInput(): Promise<void> {
    const { input } = this.#files;
    // Where the machine is gone, so is the private directory, or it is removed later.
    if (input !== "")
      await this.#on.backend.root.fs.rm(input, { recursive: false, ignoreMissing: true }).catch(() => {});
  }

  async #wait(
    waiter: Waiter,
    stopped: () => "cancelled" | "deadline" | undefined,
  ): Promise<PaneResult | { readonly directory: string }> {
    const typedAt = performance.now();
    let pause: number = CHECK_MS[0];
    let hadEnded = false;
    let endedAt: number | undefined;
    let goneTwice = false;
    for (;;) {
      if (stopped() !== undefined) return this.#stop(waiter, stopped()!);
      await waiter.next(this.#output.hasEnded ? pause : Math.max(pause, 100));
      pause = this.#output.hasEnded === hadEnded ? Math.min(pause * 2, CHECK_MS[1]) : CHECK_MS[0];
      hadEnded = this.#output.hasEnded;
      const seen = await this.#look();
      if (seen === "gone" || seen === "lost") return this.#lost(seen);
      if (seen.directory !== undefined && seen.isPrompt) return { directory: seen.directory };
      if (seen.isMissing && seen.isPrompt)
        return this.notBegun("spawn-error", `"${this.#options.cwd}" is not a directory or cannot be entered`);
      if (seen.exit !== undefined && seen.isPrompt) {
        endedAt ??= performance.now();
        if (this.#output.hasEnded || performance.now() - endedAt > LAST_OUTPUT_MS)
          return this.#result({ began: "yes", ended: "itself", exit: seen.exit });
      } else if (seen.isPrompt && seen.exit === undefined) {
        if (this.#output.hasBegun && !(await this.#isStopped())) {
          // Its group has ended, and so has the subshell that reports the exit code.
          if (goneTwice) {
            const problem = "its processes were killed before they could report an exit code";
            return this.#result({ began: "yes", ended: "itself", exit: { by: "none" }, problem });
          }
          goneTwice = true;
        } else if (!this.#output.hasBegun && performance.now() - typedAt > BEGIN_MS) {
          await this.#revoke();
          throw paneBusy(this.#pane.id, "its shell", `did not begin the command in ${BEGIN_MS / 1000} s`);
        }
      } else goneTwice = false;
    }
  }

  /** The pane and the status file at this moment. */
  async #look(): Promise<
    | "gone"
    | "lost"
    | {
        readonly isPrompt: boolean;
        readonly exit?: ShellExit;
        readonly directory?: string;
        readonly isMissing?: boolean;
      }
  > {
    const { panes, server } = this.#on;
    const { generation } = this.#pane;
    try {
      const [facts, stat, status, users] = await Promise.all([
        // With /proc the name of its program is not needed.
        panes.facts(!this.#pane.hasProc),
        panes.stat(this.#pid),
        panes.readFile(this.#files.status),
        server.send(LIST_CLIENTS),
      ]);
      if (server.generation !== generation) return "lost";
      const found = facts.find(({ state }) => state.pane === this.#pane.id);
      if (found === undefined || found.dead) return "gone";
      this.#userKeys.note(users);
      const isName = found.state.command === this.#pane.shellName;
      const isPrompt = this.#pane.hasProc ? stat !== undefined && stat.foreground === stat.group : isName;
      if (stat !== undefined && !isPrompt && stat.foreground > 0) this.#group ??= stat.foreground;
      // A shell may write it in parts, so only a line that ends with the full stop counts.
      const [, nonce, kind, rest = ""] =
        /^(\w+) (exit|directory|missing) ?(.*) ?\.$/s.exec((status ?? "").trim()) ?? [];
      if (nonce !== this.#nonce) return { isPrompt };
      if (kind === "missing") return { isPrompt, isMissing: true };
      if (kind === "directory") return { isPrompt, directory: rest.trimEnd() };
      return { isPrompt, exit: exitOfStatus(Number(rest)) };
    } catch (error) {
      if (!HaftError.is(error, "BACKEND_UNAVAILABLE")) throw error;
      // The client has ended: the next look is through another one, if the server is still there.
      const isThere = await server.open().then(
        () => server.generation === generation,
        () => false,
      );
      return isThere ? { isPrompt: false } : "lost";
    }
  }

  /** Whether the command was stopped with Ctrl-Z. */
  async #isStopped(): Promise<boolean> {
    if (this.#group === undefined) return false;
    return (await this.#on.panes.stat(this.#group))?.state === "T";
  }

  async #revoke(): Promise<void> {
    const { panes, server } = this.#on;
    await server.sendAll(panes.writeFile(this.#files.script, ":\n"));
  }

  async #stop(waiter: Waiter, why: "cancelled" | "deadline"): Promise<PaneResult> {
    if (!this.#output.hasBegun) {
      await this.#revoke();
      await waiter.next(200);
      const seen = await this.#look();
      if (seen !== "gone" && seen !== "lost" && seen.isPrompt && !this.#mayHaveBegun(seen.exit))
        return this.notBegun(why);
    }
    const graceMs = this.#options.graceMs ?? DEFAULT_GRACE_MS;
    for (const [signal, waitMs] of [
      ["TERM", graceMs],
      ["KILL", KILLED_MS],
    ] as const) {
      const seen = await this.#look();
      if (seen === "gone" || seen === "lost") return this.#lost(seen);
      if (!seen.isPrompt || (await this.#isStopped())) {
        this.#endedBy = signal;
        await this.#signal(signal);
      }
      const until = performance.now() + waitMs;
      for (let pause: number = CHECK_MS[0]; ; pause = Math.min(pause * 2, 50)) {
        const after = await this.#look();
        if (after === "gone" || after === "lost") return this.#lost(after);
        if (after.isPrompt && !(await this.#isStopped())) {
          if (after.exit !== undefined && !this.#output.hasEnded) await waiter.next(200);
          await this.#resetScreen();
          const began = after.exit === undefined ? this.#began() : "yes";
          return this.#result({ began, ended: why, exit: after.exit ?? { by: "none" } });
        }
        if (performance.now() >= until) break;
        await waiter.next(pause);
      }
    }
    const problem = "it could not be ended";
    return this.#result({ began: this.#began(), ended: why, exit: { by: "none" }, problem });
  }

  async #signal(signal: "TERM" | "KILL"): Promise<void> {
    const { backend, server } = this.#on;
    if (this.#group === undefined) {
      // Without /proc its group is not known: Ctrl-C goes to whatever has the terminal.
      await server.send(["send-keys", "-t", this.#pane.id, signal === "TERM" ? "C-c" : "C-\\"]);
      return;
    }
    await backend.root.shell.exec(signalGroupScript(signal, this.#pid, this.#group), { cwd: "/", timeoutMs: 10_000 });
  }

  /** A program that was killed may have left its own screen. */
  async #resetScreen(): Promise<void> {
    const { panes, server } = this.#on;
    const facts = await panes.factsOf(this.#pane.id);
    if (facts.state.alternate) await server.send(["send-keys", "-R", "-t", this.#pane.id]);
  }

  #lost(why: "gone" | "lost"): PaneResult {
    const problem =
      why === "gone" ? `the pane ${this.#pane.id} was closed` : "the tmux server ended, or the connection to it";
    this.#output.noteGap();
    return this.#result({ began: this.#began(), ended: "channel-lost", exit: { by: "none" }, problem });
  }

  #mayHaveBegun(exit: ShellExit | undefined): boolean {
    return this.#output.hasBegun || this.#output.hasGap || exit !== undefined;
  }

  /** Of a command whose exit code is not known. The mark of its begin may be in output that did not arrive. */
  #began(): "yes" | "unknown" {
    return this.#output.wasBegun ? "yes" : "unknown";
  }

  #result(settled: Settled): PaneResult {
    this.#output.finish();
    this.#pane.isAtLineStart = settled.ended !== "channel-lost" && this.#output.endsLine && !this.#output.hasGap;
    const state = settled.began === "no" ? "gone" : "unseen";
    const tree: TreeState = { state, survivors: [], endedBy: this.#endedBy };
    const nothing = new Uint8Array();
    return {
      ...settled,
      merged: true,
      pane: this.#pane.id,
      userTyped: this.#userKeys.wasTyped,
      stdout: this.#output.captured(),
      stderr: { head: nothing, tail: nothing, produced: 0, omittedBytes: 0, final: true },
      tree,
      startedMs: this.#startedMs,
      tookMs: Math.round(performance.now() - this.#startedAt),
    };
  }
}
