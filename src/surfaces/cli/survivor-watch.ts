/** Noticing what a call leaves running, so that its end can be told. */
import type { Hooks } from "../../kernel/index.js";
import type { EndedAfterKill, ReportedHalfWrittenFile } from "../../toolkit/index.js";

interface Named {
  readonly pid: number;
  readonly name: string;
}

/** A job that a call has started, as it was afterwards. */
interface After {
  readonly id: string;
  readonly status: "running" | "ended" | "lost";
  readonly endedBy?: string;
}

export interface SurvivorWatch {
  readonly hooks: Hooks;
  /** Ids of the jobs that results name. */
  readonly jobs: readonly string[];
  /**
   * What to say once everything was closed.
   * @param left - What could not be ended.
   * @param after - What is known then of the jobs.
   */
  report(left: readonly string[], after?: readonly After[]): readonly string[];
}

/**
 * Hooks that collect the survivors and jobs which results name.
 * @param targetNow - Returns where the call runs. Only jobs of "local" can be looked up in the state directory; those of any
 *   other target end with its backend, except kept ones of a machine that outlives it.
 */
export function survivorWatch(targetNow: () => string | undefined = () => "local"): SurvivorWatch {
  const found: Named[] = [];
  const jobs = new Set<string>();
  const elsewhere = new Map<string, { readonly target: string; readonly isKept: boolean }>();
  return {
    hooks: {
      async aroundRun(_call, run) {
        const result = await run();
        found.push(...survivorsIn(result.data));
        const target = targetNow() ?? "local";
        for (const { id, isKept } of jobsIn(result.data)) {
          if (target === "local") jobs.add(id);
          else elsewhere.set(id, { target, isKept: isKept && target !== "memory" });
        }
        return result;
      },
    },
    get jobs() {
      return [...jobs];
    },
    report(left, after = []) {
      const own = after.filter(({ id }) => jobs.has(id));
      return [
        ...(found.length === 0 ? [] : [`ended what the call left running: ${namesOf(found)}.`]),
        ...own.filter(({ endedBy }) => endedBy === "host").map(endedLine),
        ...own.filter(({ status }) => status === "running").map(continuesLine),
        ...[...elsewhere].map(([id, { target, isKept }]) =>
          isKept
            ? `${id} continues on ${target}; \`process\` with "action": "stop" ends it.`
            : `ended ${id} on ${target} with this call.`,
        ),
        ...left.map((one) => `could not end ${one}.`),
      ];
    },
  };
}

function endedLine({ id }: After): string {
  return `ended ${id} with this call; its output is kept. With "lifetime": "keep" one goes on.`;
}

function continuesLine({ id }: After): string {
  return `${id} goes on; \`haft jobs stop ${id}\` ends it.`;
}

/** What became of the commands and files of a host that was killed, a line each. */
export function endedAfterKill(reports: readonly EndedAfterKill[]): readonly string[] {
  return reports.flatMap(({ processes, jobs = [], halfWritten = [] }) => [
    ...(processes.length === 0
      ? []
      : [`an earlier haft was killed; what it had running was ended: ${namesOf(processes)}.`]),
    ...(jobs.length === 0
      ? []
      : [
          `jobs that have ended since: ${jobs.map(({ id }) => id).join(", ")}. Their output is kept; \`haft jobs list\` tells of them.`,
        ]),
    ...halfWritten.map(halfWrittenLine),
  ]);
}

function halfWrittenLine({ path, backup, oldBytes, restoreCommand: restore }: ReportedHalfWrittenFile): string {
  return `an earlier haft was killed while it overwrote ${path}, which holds neither its old bytes nor the new ones whole, or is missing. Its old ${oldBytes} bytes are in ${backup}. Restore them with: ${restore} (or delete that copy to keep the file as it is).`;
}

function namesOf(processes: readonly Named[]): string {
  return processes.map((one) => `${one.name} (process ${one.pid})`).join(", ");
}

function survivorsIn(data: unknown): readonly Named[] {
  const { survivors } = (data ?? {}) as { readonly survivors?: readonly Named[] };
  return Array.isArray(survivors) ? survivors : [];
}

/** `process` names the job it has started, `bash` the one that its command has become. */
function jobsIn(data: unknown): readonly { readonly id: string; readonly isKept: boolean }[] {
  const { job, ended, action } = (data ?? {}) as {
    readonly job?: unknown;
    readonly ended?: string;
    readonly action?: string;
  };
  if (typeof job === "string") return ended === "detached" ? [{ id: job, isKept: false }] : [];
  const { id, lifetime, status } = (job ?? {}) as { readonly [Key in "id" | "lifetime" | "status"]?: unknown };
  if (action !== "start" || typeof id !== "string" || status !== "running") return [];
  return [{ id, isKept: lifetime === "keep" }];
}
