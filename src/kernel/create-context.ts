/** Makes the context of one dispatch from a host, a session and a backend. */
import type { Backend } from "./backend.js";
import type { HostContext, HostServices, ToolEvent } from "./context.js";
import type { Dialect } from "./dialect.js";
import { type OutputBudget, standardBudget } from "./output.js";
import type { Framework, Session } from "./session.js";

/** What `createHostContext` needs; the rest has defaults. */
export interface HostContextOptions {
  readonly host: HostServices;
  readonly session: Session;
  readonly backend: Backend;
  readonly targets?: Readonly<Record<string, Backend>>;
  /** Default: the session's working directory on the backend, else the backend's. */
  readonly cwd?: string;
  /** Default: `cwd`. */
  readonly workspace?: string;
  /** Default: one that never fires. */
  readonly signal?: AbortSignal;
  /** Default: `standardBudget()`. */
  readonly budget?: OutputBudget;
  /** Default: empty. */
  readonly framework?: Framework;
  readonly dialect?: Dialect;
  readonly onEvent?: (event: ToolEvent & { readonly callId: string }) => void;
}

/** Makes the context of one dispatch. Its ports are unguarded and for the host; each call binds its own. */
export function createHostContext(options: HostContextOptions): HostContext {
  const { host, session, backend, targets, dialect, onEvent } = options;
  const cwd = options.cwd ?? session.cwd(backend.name) ?? backend.cwd;
  const context: Omit<HostContext, "withCancel" | "signal"> = {
    contextId: host.nextContextId(),
    session,
    host,
    backend,
    cwd,
    workspace: options.workspace ?? cwd,
    fs: backend.root.fs,
    shell: backend.root.shell,
    budget: options.budget ?? standardBudget(),
    framework: options.framework ?? {},
    ...(targets === undefined ? {} : { targets }),
    ...(dialect === undefined ? {} : { dialect }),
    ...(onEvent === undefined ? {} : { onEvent }),
  };
  const withSignal = (signal: AbortSignal): HostContext => ({ ...context, signal, withCancel: withSignal });
  return withSignal(options.signal ?? new AbortController().signal);
}
