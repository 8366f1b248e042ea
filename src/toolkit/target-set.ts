/** The targets of one toolkit: each is opened by its first call, all are closed together. */
import {
  type Backend,
  type Clock,
  HaftError,
  messageOf,
  type SessionEnd,
  type Shell,
  type Target,
  targetOf,
  withTimeout,
} from "../kernel/index.js";
import { type ChosenTarget, nameOf } from "./chosen-target.js";
import { leftOfAll } from "./left-of-all.js";
import { schemeOf, type TargetSchemes } from "./target-schemes.js";
import { ToolkitTarget, type ToolkitTargetParts } from "./toolkit-target.js";

/** What an earlier host that was killed left behind, and what a backend ended of it. */
export interface EndedAfterKill {
  /** Milliseconds since the epoch. */
  readonly endedMs: number;
  readonly processes: readonly { readonly pid: number; readonly name: string }[];
  /** Jobs that have ended, with that host ("host") or since; their output can still be asked for. */
  readonly jobs?: readonly {
    readonly id: string;
    readonly command: string;
    readonly endedBy?: "itself" | "stopped" | "host";
  }[];
  /** Files that it was overwriting in place: they hold neither their old bytes nor the new ones whole. */
  readonly halfWritten?: readonly ReportedHalfWrittenFile[];
}

/** A half-written file, and how to get its old bytes back. It is reported by each start until it is whole or the backup is deleted. */
export interface ReportedHalfWrittenFile {
  readonly path: string;
  /** Absolute; a file that holds all of the old bytes. */
  readonly backup: string;
  readonly oldBytes: number;
  /** Milliseconds since the epoch: when the write began. */
  readonly startedMs: number;
  /** A shell command that puts the old bytes back. */
  readonly restoreCommand: string;
}

/**
 * Milliseconds that a target may take to end a session, to close, or to forget its jobs: more than the grace period of a command and
 * the kill after it.
 */
export const END_TIMEOUT_MS = 10_000;

/** A backend that reports what it ended for an earlier host. */
interface Reporting {
  takeReports(): readonly EndedAfterKill[];
}

/** What targets are made of. */
interface TargetParts extends Omit<ToolkitTargetParts, "scheme" | "address" | "terminal"> {
  /** Ready backends by the name that a target has; they are not closed here. */
  readonly backends: Readonly<Record<string, Backend>>;
  readonly schemes: TargetSchemes;
}

export class TargetSet {
  /** The default. */
  readonly first: Target;
  /** What a call may choose from, the default first. */
  readonly all: Readonly<Record<string, Target>>;
  readonly #own: readonly ToolkitTarget[];
  /** The ready backends, each once, with the name of its first target. */
  readonly #given: readonly Opened[];
  readonly #clock: Pick<Clock, "timer">;

  /** @throws `CONFIG_INVALID` when a target is neither given nor of a known scheme. */
  constructor(chosen: readonly ChosenTarget[], parts: TargetParts) {
    const own: ToolkitTarget[] = [];
    const given = new Map<Backend, Opened>();
    const targets = chosen.map((one): Target => {
      const { target: spec, workspace } = one;
      const name = nameOf(one);
      const backend = Object.hasOwn(parts.backends, spec) ? parts.backends[spec] : undefined;
      if (backend !== undefined) {
        if (!given.has(backend)) given.set(backend, { name, backend });
        const { autonomy } = one;
        return { ...targetOf(backend, workspace === undefined ? { name } : { name, workspace }), spec, autonomy };
      }
      const target = new ToolkitTarget(one, { ...parts, ...schemeOf(spec, parts.schemes) });
      own.push(target);
      return target;
    });
    this.first = targets[0]!;
    this.all = Object.fromEntries(targets.map((target) => [target.name, target]));
    this.#own = own;
    this.#given = [...given.values()];
    this.#clock = parts.clock;
  }

  /** What the opened backends report of hosts that were killed, each entry once. */
  async takeReports(): Promise<readonly EndedAfterKill[]> {
    return this.#opened().flatMap(({ backend }) => {
      const reporting: Backend & Partial<Reporting> = backend;
      return isUsable(backend) ? (reporting.takeReports?.() ?? []) : [];
    });
  }

  /**
   * Ends what a session left running on any of them, those that were given included.
   * @returns What could not be ended, a target without an answer among it.
   */
  endSession(id: string, options: { readonly forgets?: boolean } = {}): Promise<readonly string[]> {
    return this.#ofAll(this.#opened(), {
      failed: `did not end the session "${id}"`,
      end: ({ backend }) => (isUsable(backend) ? backend.endSession?.(id, options) : undefined),
    });
  }

  /** Ends every job that was started here, whatever its lifetime, and forgets it with its output. */
  async forgetJobs(): Promise<void> {
    await this.#ofAll(this.#opened(), {
      failed: "did not forget its jobs",
      end: ({ backend }) => (isUsable(backend) ? forgetJobs(backend.root.shell) : undefined),
      late() {
        throw new HaftError("BACKEND_UNAVAILABLE", NO_ANSWER);
      },
    });
  }

  /**
   * Closes what was opened here; backends that were given stay open. One that opens later is closed then.
   * @returns What could not be ended, a target without an answer among it.
   */
  close(): Promise<readonly string[]> {
    return this.#ofAll(this.#own, { failed: "did not close", end: (target) => target.close() });
  }

  #opened(): readonly Opened[] {
    const own = this.#own.flatMap(({ name, backend }) => (backend === undefined ? [] : [{ name, backend }]));
    return [...own, ...this.#given];
  }

  /**
   * Each on its own and for a limited time, so that a target that fails or hangs keeps none of the others from ending. Rejects once
   * all have settled, with what failed on which target.
   */
  async #ofAll<One extends { readonly name: string }>(
    all: readonly One[],
    ending: Ending<One>,
  ): Promise<readonly string[]> {
    const { failed, end, late = ({ name }) => ({ left: [`what runs on "${name}": ${NO_ANSWER}`] }) } = ending;
    const bound = { clock: this.#clock, ms: END_TIMEOUT_MS };
    const ends = all.map(async (one) => {
      try {
        return await withTimeout<SessionEnd | undefined>(
          bound,
          () => end(one),
          () => late(one),
        );
      } catch (error) {
        throw failure(one.name, failed, error);
      }
    });
    return leftOfAll(await Promise.allSettled(ends));
  }
}

interface Opened {
  readonly name: string;
  readonly backend: Backend;
}

interface Ending<One> {
  /** What the target did not do, for the error. */
  readonly failed: string;
  end(one: One): SessionEnd | undefined | PromiseLike<SessionEnd | undefined>;
  /** Default: it counts as left. */
  readonly late?: (one: One) => SessionEnd;
}

const NO_ANSWER = `no answer within ${END_TIMEOUT_MS} ms`;

function failure(target: string, failed: string, cause: unknown): HaftError {
  const { code = "BACKEND_UNAVAILABLE", details = {} } = HaftError.is(cause) ? cause : {};
  const message = `The target "${target}" ${failed}: ${messageOf(cause).replace(/\.$/, "")}.`;
  return new HaftError(code, message, { cause, details: { ...details, target } });
}

function isUsable(backend: Backend): boolean {
  return backend.state() !== "closed";
}

async function forgetJobs(shell: Shell): Promise<undefined> {
  const own = (await shell.jobs()).filter(({ adopted }) => adopted !== "host");
  await Promise.all(
    own.map(async ({ id }) => {
      const job = await shell.attach(id);
      const tree = await job?.kill("TERM");
      if (tree?.state !== "alive") await job?.forget?.();
    }),
  );
}
