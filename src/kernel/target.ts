/** A place where calls run, named by a string such as "posix:dash", and opened by the first call that chooses it. */
import type { Autonomy } from "./autonomy.js";
import type { Backend } from "./backend.js";

/** Where calls can run. Listing tools opens nothing. */
export interface Target {
  /** What a call names with `on`, and what messages show. */
  readonly name: string;
  /** What it is, such as "posix:dash", where it was given a name of its own. Default: `name`. */
  readonly spec?: string;
  /** Absolute, on the target: where relative paths start and what ignore rules and policy count as the workspace. Absent: the backend's `cwd`, known once it is open. */
  readonly workspace?: string | undefined;
  /** Absent: known once it is open. */
  readonly home?: string | undefined;
  /** Whether it has a terminal, known before it is open. Default false. */
  readonly terminal?: boolean | undefined;
  /** The level of calls on it. Absent: that of the host. */
  readonly autonomy?: Autonomy | undefined;
  /**
   * The open backend: at once if it is open. A failure is not kept, so the next call tries again.
   * @throws Why it cannot be opened: `BACKEND_UNAVAILABLE`, or what the opener throws.
   */
  open(): Backend | Promise<Backend>;
}

/** The target that a call reads from, where it is not the call's own. */
export interface SourceTarget {
  readonly target: string;
  /** What it is, such as "posix:dash", where that is not its name. */
  readonly spec?: string;
}

/** The target of a backend that is open already. Default name: the backend's. */
export function targetOf(backend: Backend, { name = backend.name, workspace = backend.cwd } = {}): Target {
  return {
    name,
    workspace,
    home: backend.home,
    terminal: backend.flags.terminal === true,
    open: () => backend,
  };
}
