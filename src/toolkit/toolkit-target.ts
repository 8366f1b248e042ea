/** One target of a toolkit: opened by the first call that chooses it, and again after a failure. */
import {
  type Autonomy,
  type Backend,
  type Clock,
  HaftError,
  isBackend,
  type SessionEnd,
  type Target,
  withTimeout,
} from "../kernel/index.js";
import { type ChosenTarget, nameOf } from "./chosen-target.js";
import { type OpenBackendOptions, openFound, sharesWorkspace, type TargetScheme } from "./target-schemes.js";
import type { TargetTerminal } from "./target-terminal.js";

/** Milliseconds that an attempt to open a target may take: less than `DEFAULT_DEADLINE_MS`, so that the call gets its error. */
export const OPEN_TIMEOUT_MS = 25_000;

export interface ToolkitTargetParts {
  readonly scheme: TargetScheme;
  readonly address: string;
  readonly terminal?: TargetTerminal;
  /** What the targets of this machine start with where nothing else is chosen. */
  readonly machine: { readonly home: string; currentDirectory(): string | undefined };
  readonly options: Omit<OpenBackendOptions, "cwd">;
  readonly clock: Pick<Clock, "timer">;
}

export class ToolkitTarget implements Target {
  readonly name: string;
  readonly spec: string;
  readonly home: string | undefined;
  readonly terminal: boolean;
  readonly autonomy: Autonomy | undefined;
  readonly #chosen: ChosenTarget;
  readonly #parts: ToolkitTargetParts;
  #backend: Backend | undefined;
  #workspace: string | undefined;
  #opening: Promise<Backend> | undefined;
  #isClosed = false;

  constructor(chosen: ChosenTarget, parts: ToolkitTargetParts) {
    const { scheme, machine } = parts;
    const { home = scheme.isThisMachine === true ? machine.home : undefined } = scheme;
    this.name = nameOf(chosen);
    this.spec = chosen.target;
    this.home = home;
    this.terminal = parts.terminal !== undefined;
    this.autonomy = chosen.autonomy;
    this.#chosen = chosen;
    this.#workspace = chosen.workspace ?? scheme.workspace;
    this.#parts = parts;
  }

  /** Where the directories are those of this machine, by default the current directory at the first use. */
  get workspace(): string | undefined {
    const { scheme, machine } = this.#parts;
    if (sharesWorkspace(scheme)) this.#workspace ??= machine.currentDirectory();
    return this.#workspace;
  }

  /** The backend that was opened last. */
  get backend(): Backend | undefined {
    return this.#backend;
  }

  open(): Backend | Promise<Backend> {
    const backend = this.#backend;
    if (backend !== undefined && (this.#isClosed || backend.state() !== "closed")) return backend;
    if (this.#isClosed) throw notOpened(this.name, "the toolkit was closed");
    this.#opening ??= this.#attempt();
    return this.#opening;
  }

  /** Does not wait for a backend that is being opened, which may never end. @returns What could not be ended. */
  async close(): Promise<SessionEnd | undefined> {
    this.#isClosed = true;
    return this.#backend?.close();
  }

  #attempt(): Promise<Backend> {
    const { scheme, address, terminal, options, clock } = this.#parts;
    const { ssh, container } = this.#chosen;
    const { workspace, name, spec } = this;
    let isAwaited = true;
    const open = async () => {
      const request = {
        ...options,
        target: spec,
        address,
        ...(workspace === undefined ? {} : { cwd: workspace }),
        ...(ssh === undefined ? {} : { ssh }),
        ...(container === undefined ? {} : { container }),
      };
      const backend = await openFound({ scheme, ...(terminal === undefined ? {} : { terminal }) }, request);
      if (!isBackend(backend)) throw notOpened(name, "the `open` of its scheme returned no backend");
      if (isAwaited && !this.#isClosed) return backend;
      // No call waits for it any longer.
      await backend.close().catch(() => {});
      throw notOpened(name, "the toolkit was closed");
    };
    const late = () => {
      isAwaited = false;
      throw notOpened(name, `no answer within ${OPEN_TIMEOUT_MS} ms`);
    };
    const attempt = withTimeout<Backend>({ clock, ms: OPEN_TIMEOUT_MS }, open, late).then(
      (backend) => {
        this.#opening = undefined;
        this.#backend = backend;
        return backend;
      },
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    // The calls that began it may have been cancelled.
    attempt.catch(() => {});
    return attempt;
  }
}

function notOpened(target: string, why: string): HaftError {
  return new HaftError("BACKEND_UNAVAILABLE", `Did not open "${target}": ${why}.`, { details: { target } });
}
