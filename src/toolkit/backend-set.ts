/** The backends of one toolkit: opened at the first use, closed together. */
import type { Backend, Shell } from "../kernel/index.js";
import { type OpenBackendOptions, openBackend, requireTarget } from "./open-backend.js";

interface OpenBackends {
  readonly first: Backend;
  readonly all: Readonly<Record<string, Backend>>;
}

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

/** @throws `CONFIG_INVALID` when a target is neither given nor known. */
export function requireTargets(targets: readonly string[], given: Readonly<Record<string, Backend>>): void {
  for (const target of targets) if (!Object.hasOwn(given, target)) requireTarget(target);
}

export class BackendSet {
  /** What a call may choose from, the default first. */
  readonly names: readonly string[];
  readonly #given: Readonly<Record<string, Backend>>;
  readonly #options: OpenBackendOptions;
  #opening: Promise<OpenBackends> | undefined;
  #opened: OpenBackends | undefined;

  constructor(targets: readonly string[], given: Readonly<Record<string, Backend>>, options: OpenBackendOptions) {
    this.names = targets;
    this.#given = given;
    this.#options = options;
  }

  /** All of them, opened once; at once when they are. A failure is not kept: the next call tries again. */
  open(): OpenBackends | Promise<OpenBackends> {
    return this.#opened ?? this.#openOnce();
  }

  #openOnce(): Promise<OpenBackends> {
    this.#opening ??= this.#openAll().then(
      (opened) => {
        this.#opened = opened;
        return opened;
      },
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  /** What the opened backends report of hosts that were killed, each entry once. */
  async takeReports(): Promise<readonly EndedAfterKill[]> {
    const opened = await this.#opening?.catch(() => undefined);
    const backends: readonly (Backend & Partial<Reporting>)[] = Object.values(opened?.all ?? {});
    return backends.flatMap((backend) => backend.takeReports?.() ?? []);
  }

  /** Ends what a session left running on any of them, those that were given included. @returns What could not be ended. */
  async endSession(id: string, options: { readonly forgets?: boolean } = {}): Promise<readonly string[]> {
    const opened = await this.#opening?.catch(() => undefined);
    const usable = Object.values(opened?.all ?? {}).filter((backend) => backend.state() !== "closed");
    const ends = await Promise.all(usable.map((backend) => backend.endSession?.(id, options)));
    return ends.flatMap((end) => end?.left ?? []);
  }

  /** Ends every job that was started here, whatever its lifetime, and forgets it with its output. */
  async forgetJobs(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined);
    const usable = Object.values(opened?.all ?? {}).filter((backend) => backend.state() !== "closed");
    await Promise.all(usable.map(({ root }) => forgetJobs(root.shell)));
  }

  /** Closes what was opened here; backends that were given stay open. */
  async close(): Promise<readonly string[]> {
    const opened = await this.#opening?.catch(() => undefined);
    if (opened === undefined) return [];
    const ends = await Promise.all(this.#own(Object.entries(opened.all)).map((backend) => backend.close()));
    return ends.flatMap((end) => end.left);
  }

  /** Those of the backends that were opened here. */
  #own(backends: readonly (readonly [name: string, backend: Backend])[]): readonly Backend[] {
    return backends.filter(([name]) => !Object.hasOwn(this.#given, name)).map(([, backend]) => backend);
  }

  async #openAll(): Promise<OpenBackends> {
    const opened: [string, Backend][] = [];
    try {
      for (const name of this.names) opened.push([name, this.#given[name] ?? (await openBackend(name, this.#options))]);
    } catch (error) {
      // Why it could not be opened is reported, whatever the others say at their end.
      await Promise.allSettled(this.#own(opened).map((backend) => backend.close()));
      throw error;
    }
    return { first: opened[0]![1], all: Object.fromEntries(opened) };
  }
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
