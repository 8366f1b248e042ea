/** The targets of one toolkit: each is opened by its first call, all are closed together. */
import { type Backend, type Shell, type Target, targetOf } from "../kernel/index.js";
import { type ChosenTarget, nameOf } from "./chosen-target.js";
import { schemeOf, type TargetSchemes } from "./target-schemes.js";
import { ToolkitTarget, type ToolkitTargetParts } from "./toolkit-target.js";

/** What an earlier host that was killed left behind, and what a backend ended of it. */
export interface EndedAfterKill {
  /** Milliseconds since the epoch. */
  readonly endedMs: number;
  readonly processes: readonly { readonly pid: number; readonly name: string }[];
  /** Jobs that have ended; their output can still be asked for. */
  readonly jobs?: readonly { readonly id: string; readonly command: string }[];
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

/** A backend that reports what it ended for an earlier host. */
interface Reporting {
  takeReports(): readonly EndedAfterKill[];
}

/** What targets are made of. */
interface TargetParts extends Omit<ToolkitTargetParts, "scheme" | "address"> {
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
  readonly #given: readonly Backend[];

  /** @throws `CONFIG_INVALID` when a target is neither given nor of a known scheme. */
  constructor(chosen: readonly ChosenTarget[], parts: TargetParts) {
    const own: ToolkitTarget[] = [];
    const given = new Set<Backend>();
    const targets = chosen.map((one): Target => {
      const { target: spec, workspace } = one;
      const name = nameOf(one);
      const backend = Object.hasOwn(parts.backends, spec) ? parts.backends[spec] : undefined;
      if (backend !== undefined) {
        given.add(backend);
        return { ...targetOf(backend, workspace === undefined ? { name } : { name, workspace }), spec };
      }
      const target = new ToolkitTarget(one, { ...parts, ...schemeOf(spec, parts.schemes) });
      own.push(target);
      return target;
    });
    this.first = targets[0]!;
    this.all = Object.fromEntries(targets.map((target) => [target.name, target]));
    this.#own = own;
    this.#given = [...given];
  }

  /** What the opened backends report of hosts that were killed, each entry once. */
  async takeReports(): Promise<readonly EndedAfterKill[]> {
    const backends: readonly (Backend & Partial<Reporting>)[] = this.#usable();
    return backends.flatMap((backend) => backend.takeReports?.() ?? []);
  }

  /** Ends what a session left running on any of them, those that were given included. @returns What could not be ended. */
  async endSession(id: string, options: { readonly forgets?: boolean } = {}): Promise<readonly string[]> {
    const ends = await ofAll(this.#usable(), (backend) => backend.endSession?.(id, options));
    return ends.flatMap((end) => end?.left ?? []);
  }

  /** Ends every job that was started here, whatever its lifetime, and forgets it with its output. */
  async forgetJobs(): Promise<void> {
    await ofAll(this.#usable(), ({ root }) => forgetJobs(root.shell));
  }

  /** Closes what was opened here; backends that were given stay open. One that opens later is closed then. */
  async close(): Promise<readonly string[]> {
    return (await ofAll(this.#own, (target) => target.close())).flat();
  }

  #usable(): readonly Backend[] {
    const opened = this.#own.flatMap(({ backend }) => (backend === undefined ? [] : [backend]));
    return [...opened, ...this.#given].filter((backend) => backend.state() !== "closed");
  }
}

/** Rejects with the first failure once all have settled: a target that fails keeps none of the others from ending. */
async function ofAll<One, Result>(
  all: readonly One[],
  end: (one: One) => Result | PromiseLike<Result>,
): Promise<Result[]> {
  const ends = await Promise.allSettled(all.map(async (one) => end(one)));
  return ends.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

async function forgetJobs(shell: Shell): Promise<void> {
  const own = (await shell.jobs()).filter(({ adopted }) => adopted !== "host");
  await Promise.all(
    own.map(async ({ id }) => {
      const job = await shell.attach(id);
      const tree = await job?.kill("TERM");
      if (tree?.state !== "alive") await job?.forget?.();
    }),
  );
}
