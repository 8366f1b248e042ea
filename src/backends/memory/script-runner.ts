/** Runs a plan: one instance is one shell process with its variables, its directory and its last exit code. */
import type { Fs } from "../../kernel/index.js";
import { resolvePath } from "../../text/index.js";
import type { JobPlan, PipelinePlan, SimplePlan } from "./command-plan.js";
import { expandWord, expandWords } from "./expand-words.js";
import type { FileTree } from "./file-tree.js";
import { contextOf, type MemoryCommand, systemText } from "./memory-command.js";
import {
  type MemoryProcess,
  type ProcessEnd,
  type ProcessTable,
  releaseStreams,
  retainStreams,
  SIGNALS,
  type Streams,
} from "./process-table.js";
import { openRedirects, RedirectProblem } from "./redirects.js";
import { BytePipe, NO_INPUT } from "./streams.js";

/** What all shells of a backend share. */
export interface Machine {
  readonly tree: FileTree;
  readonly fs: Fs;
  readonly table: ProcessTable;
  readonly commands: Readonly<Record<string, MemoryCommand>>;
}

interface ShellState {
  readonly variables: Map<string, string>;
  readonly exported: Set<string>;
  cwd: string;
  /** `$$`: that of the outermost shell, in subshells too. */
  readonly shellPid: number;
  lastCode: number;
  lastBackground: number | undefined;
}

/** Thrown by `exit`. */
class Exit extends Error {
  constructor(readonly code: number) {
    super();
  }
}

export class ScriptRunner {
  readonly #machine: Machine;
  readonly #process: MemoryProcess;
  readonly #state: ShellState;

  constructor(machine: Machine, process: MemoryProcess, state: ShellState) {
    this.#machine = machine;
    this.#process = process;
    this.#state = state;
  }

  /** Runs the jobs one after the other; the exit code is that of the last, or of `exit`. */
  async run(jobs: readonly JobPlan[], streams: Streams): Promise<number> {
    try {
      for (const job of jobs) {
        if (job.isBackground) this.#startBackground(job, streams);
        else this.#state.lastCode = await this.#runJob(job, streams);
      }
      return this.#state.lastCode;
    } catch (thrown) {
      if (thrown instanceof Exit) return thrown.code;
      throw thrown;
    }
  }

  #startBackground(job: JobPlan, streams: Streams): void {
    const [pipeline, ...more] = job.pipelines;
    const single =
      more.length === 0 && pipeline?.commands.length === 1 && !pipeline.isNegated ? pipeline.commands[0] : undefined;
    // Like any shell without job control: no input unless it is redirected.
    const own = { ...streams, stdin: NO_INPUT };
    const started = this.#fork(this.#nameOf(single), own, (runner) =>
      single === undefined ? runner.#runJob(job, own) : runner.#runCommand(single, own, true),
    );
    this.#state.lastBackground = started.pid;
    this.#state.lastCode = 0;
  }

  async #runJob(job: JobPlan, streams: Streams): Promise<number> {
    let code = 0;
    for (const [index, pipeline] of job.pipelines.entries()) {
      const join = job.joins[index - 1];
      if ((join === "&&" && code !== 0) || (join === "||" && code === 0)) continue;
      code = await this.#runPipeline(pipeline, streams);
      this.#state.lastCode = code;
    }
    return code;
  }

  async #runPipeline(pipeline: PipelinePlan, streams: Streams): Promise<number> {
    const code =
      pipeline.commands.length === 1
        ? await this.#runCommand(pipeline.commands[0] as SimplePlan, streams, false)
        : await this.#runPiped(pipeline.commands, streams);
    return pipeline.isNegated ? Number(code === 0) : code;
  }

  async #runPiped(commands: readonly SimplePlan[], streams: Streams): Promise<number> {
    const pipes = commands.slice(1).map(() => new BytePipe());
    const members = commands.map((command, index) => {
      const own: Streams = {
        stdin: pipes[index - 1]?.source ?? streams.stdin,
        stdout: pipes[index]?.sink ?? streams.stdout,
        stderr: streams.stderr,
      };
      return this.#fork(this.#nameOf(command), own, (runner) => runner.#runCommand(command, own, true));
    });
    for (const pipe of pipes) {
      pipe.source.release();
      pipe.sink.release();
    }
    const ends = await this.#process.during(Promise.all(members.map((member) => member.done)));
    return codeOf(ends.at(-1) as ProcessEnd);
  }

  /** Runs one command. `isOwnProcess`: this process exists for it alone, so it does not need another. */
  async #runCommand(plan: SimplePlan, streams: Streams, isOwnProcess: boolean): Promise<number> {
    const lookUp = (name: string) => this.#lookUp(name);
    const words = expandWords(plan.words, lookUp);
    const assignments = plan.assignments.map(({ name, value }) => [name, expandWord(value, lookUp)] as const);
    let open: Streams;
    try {
      open = openRedirects(
        this.#machine.tree,
        plan.redirects,
        streams,
        (path) => resolvePath(this.#state.cwd, path),
        lookUp,
      );
    } catch (thrown) {
      if (!(thrown instanceof RedirectProblem)) throw thrown;
      await this.#complain(streams, `cannot open ${thrown.message}`);
      return 1;
    }
    try {
      const [name, ...args] = words;
      if (name === undefined) {
        for (const [variable, value] of assignments) this.#state.variables.set(variable, value);
        return 0;
      }
      const builtin = BUILTINS[name];
      if (builtin !== undefined)
        return await builtin(this.#state, args, (text) => this.#complain(open, text), this.#machine);
      const command = Object.hasOwn(this.#machine.commands, name) ? this.#machine.commands[name] : undefined;
      if (command === undefined) {
        await this.#complain(open, `${name}: not found`);
        return 127;
      }
      const about = {
        name,
        args,
        env: { ...this.#environment(), ...Object.fromEntries(assignments) },
        cwd: this.#state.cwd,
        fs: this.#machine.fs,
      };
      const body = async (process: MemoryProcess) =>
        (await command(contextOf(process, this.#machine.table, about))) ?? 0;
      if (isOwnProcess) {
        this.#process.adopt(retainStreams(open));
        return await body(this.#process);
      }
      const child = this.#start(name, open, body);
      return codeOf(await this.#process.during(child.done));
    } finally {
      releaseStreams(open);
    }
  }

  /** A shell in a process of its own, with a copy of the state. */
  #fork(name: string, streams: Streams, body: (runner: ScriptRunner) => Promise<number>): MemoryProcess {
    const state = {
      ...this.#state,
      variables: new Map(this.#state.variables),
      exported: new Set(this.#state.exported),
    };
    return this.#start(name, streams, async (process) => {
      try {
        return await body(new ScriptRunner(this.#machine, process, state));
      } catch (thrown) {
        if (thrown instanceof Exit) return thrown.code;
        throw thrown;
      }
    });
  }

  #start(name: string, streams: Streams, body: (process: MemoryProcess) => Promise<number>): MemoryProcess {
    // A shell that was ended between two commands starts no other: it would be in a group that counts as gone.
    this.#process.requireAlive();
    const about = { name, parent: this.#process.pid, group: this.#process.group, streams: retainStreams(streams) };
    return this.#machine.table.start(about, body);
  }

  #nameOf(plan: SimplePlan | undefined): string {
    const word = plan?.words[0];
    return word === undefined ? "sh" : expandWord(word, (name) => this.#lookUp(name)) || "sh";
  }

  #lookUp(name: string): string {
    if (name === "?") return String(this.#state.lastCode);
    if (name === "$") return String(this.#state.shellPid);
    if (name === "!") return this.#state.lastBackground === undefined ? "" : String(this.#state.lastBackground);
    return this.#state.variables.get(name) ?? "";
  }

  #environment(): Record<string, string> {
    return Object.fromEntries([...this.#state.variables].filter(([name]) => this.#state.exported.has(name)));
  }

  async #complain(streams: Streams, text: string): Promise<void> {
    await this.#process.during(streams.stderr.write(new TextEncoder().encode(`sh: ${text}\n`)));
  }
}

/** The state of a fresh shell. */
export function freshState(env: Readonly<Record<string, string>>, cwd: string, shellPid: number): ShellState {
  const variables = new Map(Object.entries({ ...env, PWD: cwd }));
  return { variables, exported: new Set(variables.keys()), cwd, shellPid, lastCode: 0, lastBackground: undefined };
}

type Builtin = (
  state: ShellState,
  args: readonly string[],
  complain: (text: string) => Promise<void>,
  machine: Machine,
) => Promise<number>;

const BUILTINS: Readonly<Record<string, Builtin>> = Object.assign(Object.create(null) as Record<string, Builtin>, {
  async exit(state, args, complain) {
    const [text] = args;
    if (text === undefined) throw new Exit(state.lastCode);
    if (/^\d+$/.test(text)) throw new Exit(Number(text));
    await complain(`exit: not a number: ${text}`);
    throw new Exit(2);
  },
  async cd(state, args, complain, machine) {
    const word = args[0] ?? state.variables.get("HOME") ?? "/";
    const path = resolvePath(state.cwd, word);
    try {
      if ((await machine.fs.stat(path)).kind !== "directory") throw new Error("Not a directory");
    } catch (thrown) {
      await complain(`cd: ${word}: ${systemText(thrown)}`);
      return 1;
    }
    state.cwd = path;
    state.variables.set("PWD", path);
    return 0;
  },
  async export(state, args) {
    for (const word of args) {
      const at = word.indexOf("=");
      const name = at === -1 ? word : word.slice(0, at);
      if (at !== -1) state.variables.set(name, word.slice(at + 1));
      state.exported.add(name);
    }
    return 0;
  },
} satisfies Record<string, Builtin>);

/** What a shell sees of an end: 128 and the signal's number for a signal. */
function codeOf(end: ProcessEnd): number {
  return "code" in end ? end.code : 128 + (SIGNALS[end.signal] ?? 0);
}
