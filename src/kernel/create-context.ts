/** Creates the context of one dispatch from a host, a session and a target. */
import type { HostContext, HostServices } from "./context.js";
import type { Dialect } from "./dialect.js";
import { LazyFs, LazyShell } from "./lazy-ports.js";
import { type OutputBudget, standardBudget } from "./output.js";
import type { Framework, Session } from "./session.js";
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
  /** Why no call can run in this context, such as the error of a session that could not be loaded. */
  readonly problem?: unknown;
}

/** Creates the context of one dispatch. Its ports are unguarded and for the host; each call binds its own. */
export function createHostContext(options: HostContextOptions): HostContext {
  return contextOf(options, options.host.nextContextId(), options.signal);
}

function contextOf(options: HostContextOptions, contextId: number, cancel: AbortSignal | undefined): HostContext {
  const { host, session, target, targets, dialect, onEvent } = options;
  const cwd = options.cwd ?? session.cwd(target.name) ?? target.workspace;
  let signal = cancel;
  let fs: LazyFs | undefined;
  let shell: LazyShell | undefined;
  const context: Writable<HostContext> & Uncancellable = {
    contextId,
    session,
    host,
    target,
    cwd,
    workspace: options.workspace ?? options.cwd ?? target.workspace,
    get fs() {
      fs ??= new LazyFs(target);
      return fs;
    },
    get shell() {
      shell ??= new LazyShell(target);
      return shell;
    },
    budget: options.budget ?? standardBudget(),
    framework: options.framework ?? {},
    [NEVER_FIRES]: cancel === undefined,
    get signal() {
      signal ??= new AbortController().signal;
      return signal;
    },
    withCancel: (own) => contextOf(options, contextId, own),
  };
  if (targets !== undefined) context.targets = targets;
  if (dialect !== undefined) context.dialect = dialect;
  if (onEvent !== undefined) context.onEvent = onEvent;
  if (options.problem !== undefined) context.problem = options.problem;
  return context;
}

/** Marks a context whose signal is created on demand and can never fire, so that calls need not listen to it. */
const NEVER_FIRES = Symbol("never fires");

interface Uncancellable {
  readonly [NEVER_FIRES]?: boolean;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The signal that can cancel a call in this context; undefined if none can. */
export function cancelOf(context: HostContext & Uncancellable): AbortSignal | undefined {
  return context[NEVER_FIRES] === true ? undefined : context.signal;
}
