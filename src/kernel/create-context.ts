/** Creates the context of one dispatch from a host, a session and a target. */
import type { HostContext, HostServices } from "./context.js";
import type { Dialect } from "./dialect.js";
import type { Fs } from "./fs.js";
import { LazyFs, LazyShell } from "./lazy-ports.js";
import { type OutputBudget, standardBudget } from "./output.js";
import type { Framework, Session } from "./session.js";
import type { Shell } from "./shell.js";
import type { Target } from "./target.js";
import type { CallEvent } from "./tool-event.js";

/** Options of `createHostContext`. */
export interface HostContextOptions {
  readonly host: HostServices;
  readonly session: Session;
  /** Of an open backend: `targetOf(backend)`. */
  readonly target: Target;
  readonly targets?: Readonly<Record<string, Target>>;
  /** Default: the session's working directory on the target, else the target's workspace. */
  readonly cwd?: string;
  /** Default: `cwd` where it is given, else the target's workspace. */
  readonly workspace?: string;
  /** Default: one that never fires. */
  readonly signal?: AbortSignal;
  /** Default: `standardBudget()`. */
  readonly budget?: OutputBudget;
  /** Default: empty. */
  readonly framework?: Framework;
  readonly dialect?: Dialect;
  readonly onEvent?: (event: CallEvent) => void;
}

/** Creates the context of one dispatch. Its ports are unguarded and for the host; each call binds its own. */
export function createHostContext(options: HostContextOptions): HostContext {
  return new DispatchContext(options, options.host.nextContextId(), options.signal);
}

class DispatchContext implements HostContext {
  readonly contextId: number;
  readonly session: Session;
  readonly host: HostServices;
  readonly target: Target;
  readonly cwd: string | undefined;
  readonly workspace: string | undefined;
  readonly budget: OutputBudget;
  readonly framework: Framework;
  declare readonly targets?: Readonly<Record<string, Target>>;
  declare readonly dialect?: Dialect;
  declare readonly onEvent?: (event: CallEvent) => void;
  readonly #options: HostContextOptions;
  readonly #cancel: AbortSignal | undefined;
  #signal: AbortSignal | undefined;
  #fs: LazyFs | undefined;
  #shell: LazyShell | undefined;

  constructor(options: HostContextOptions, contextId: number, cancel: AbortSignal | undefined) {
    this.#options = options;
    this.#cancel = cancel;
    this.contextId = contextId;
    this.session = options.session;
    this.host = options.host;
    this.target = options.target;
    this.cwd = options.cwd ?? options.session.cwd(this.target.name) ?? this.target.workspace;
    this.workspace = options.workspace ?? options.cwd ?? this.target.workspace;
    this.budget = options.budget ?? standardBudget();
    this.framework = options.framework ?? {};
    if (options.targets !== undefined) this.targets = options.targets;
    if (options.dialect !== undefined) this.dialect = options.dialect;
    if (options.onEvent !== undefined) this.onEvent = options.onEvent;
  }

  /** The signal that can cancel a call in a context; undefined if none can, so that calls need not listen to it. */
  static cancelOf(context: HostContext): AbortSignal | undefined {
    return #cancel in context ? context.#cancel : context.signal;
  }

  get fs(): Fs {
    this.#fs ??= new LazyFs(this.target);
    return this.#fs;
  }

  get shell(): Shell {
    this.#shell ??= new LazyShell(this.target);
    return this.#shell;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#cancel ?? new AbortController().signal;
    return this.#signal;
  }

  withCancel(own: AbortSignal): HostContext {
    return new DispatchContext(this.#options, this.contextId, own);
  }
}

export const { cancelOf } = DispatchContext;
