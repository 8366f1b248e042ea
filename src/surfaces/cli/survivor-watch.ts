/** Collects the background processes that a call leaves, to report what happened to them. */
import type { Hooks, PaneState } from "../../kernel/index.js";
import { type ChosenTarget, type EndedAfterKill, nameOf, type ReportedHalfWrittenFile } from "../../toolkit/index.js";

interface Named {
  readonly pid: number;
  readonly name: string;
}

/** The state of a call's job after the call. */
interface JobAfter {
  readonly id: string;
  readonly status: "running" | "ended" | "lost";
  readonly endedBy?: string;
}

interface SurvivorWatch {
  readonly hooks: Hooks;
  /** Ids of the jobs in the results. */
  readonly jobs: readonly string[];
  /**
   * The lines to print after everything is closed.
   * @param left - Processes that could not be killed.
   * @param after - The jobs in the state directory.
   */
  report(left: readonly string[], after?: readonly JobAfter[]): readonly string[];
}

/**
 * Hooks that collect the survivors and jobs in the results.
 * @param targetNow - The call's target. Only jobs of "local" are in the state directory; those of other targets end with the
 *   backend, except kept ones on a remote machine.
 */
export function survivorWatch(targetNow: () => ChosenTarget = () => ({ target: "local" })): SurvivorWatch {
  const found: Named[] = [];
  const jobs = new Set<string>();
  const panes = new Set<string>();
  const elsewhere = new Map<string, { readonly target: string; readonly isKept: boolean }>();
  return {
    hooks: {
      async aroundRun(_call, run) {
        const result = await run();
        found.push(...survivorsIn(result.data));
        const chosen = targetNow();
        const { target } = chosen;
        for (const pane of panesIn(result.data)) panes.add(pane);
        for (const { id, isKept } of jobsIn(result.data)) {
          if (target === "local") jobs.add(id);
          else elsewhere.set(id, { target: nameOf(chosen), isKept: isKept && !endsWithCall(target) });
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
        ...(found.length === 0 ? [] : [`killed the background processes of the call: ${namesOf(found)}.`]),
        ...own.filter(({ endedBy }) => endedBy === "host").map(stoppedLine),
        ...own.filter(({ status }) => status === "running").map(stillRunsLine),
        ...[...elsewhere].map(([id, { target, isKept }]) =>
          isKept
            ? `${id} still runs on ${target}; \`haft call process action=stop id=${id} --on ${target}\` stops it.`
            : `stopped ${id} on ${target} at the end of this call.`,
        ),
        ...closedLines([...panes].filter((pane) => !left.some((one) => one.startsWith(`tmux pane ${pane} `)))),
        ...left.map((one) => (one.startsWith("tmux pane ") ? `left the ${one}.` : `could not kill ${one}.`)),
      ];
    },
  };
}

/** Whether the machine itself ends with the toolkit, and even kept jobs with it. */
const endsWithCall = (target: string) => target === "memory" || target.startsWith("image:");

/** Of a pane that the result shows, and of the command to watch it, nothing is left after the call. */
function closedLines(panes: readonly string[]): readonly string[] {
  if (panes.length === 0) return [];
  const [which, whose] = panes.length === 1 ? ["pane", "its"] : ["panes", "their"];
  return [
    `closed the ${which} ${panes.join(", ")} with ${whose} command at the end of this call; \`haft serve\` keeps panes open.`,
  ];
}

function stoppedLine({ id }: JobAfter): string {
  return `stopped ${id} at the end of this call; its output is stored. A job with "lifetime": "keep" continues.`;
}

function stillRunsLine({ id }: JobAfter): string {
  return `${id} runs in the background; \`haft jobs stop ${id}\` stops it.`;
}

/** What happened to the commands and files of a host process that was killed, a line each. */
export function endedAfterKill(reports: readonly EndedAfterKill[]): readonly string[] {
  return reports.flatMap(({ processes, jobs = [], halfWritten = [] }) => [
    ...(processes.length === 0
      ? []
      : [`an earlier haft process was killed; its background processes were killed: ${namesOf(processes)}.`]),
    ...endedLine(
      "jobs ended with an earlier haft process",
      jobs.filter(({ endedBy }) => endedBy === "host"),
    ),
    ...endedLine(
      "jobs that an earlier haft process started have ended since",
      jobs.filter(({ endedBy }) => endedBy !== "host"),
    ),
    ...halfWritten.map(halfWrittenLine),
  ]);
}

function endedLine(what: string, jobs: NonNullable<EndedAfterKill["jobs"]>): readonly string[] {
  const [first] = jobs;
  if (first === undefined) return [];
  return [
    `${what}: ${jobs.map(({ id }) => id).join(", ")}. \`haft jobs list\` shows how, and \`haft call process action=poll id=${first.id}\` its output.`,
  ];
}

function halfWrittenLine({ path, backup, oldBytes, restoreCommand: restore }: ReportedHalfWrittenFile): string {
  return `an earlier haft process was killed while it overwrote ${path}, which is now incomplete or missing. Its old ${oldBytes} bytes are in ${backup}. Restore them with: ${restore} (or delete that copy to keep the file as it is).`;
}

const MAX_NAMED = 10;

function namesOf(processes: readonly Named[]): string {
  const named = processes.slice(0, MAX_NAMED).map((one) => `${one.name} (process ${one.pid})`);
  const rest = processes.length - named.length;
  return named.join(", ") + (rest === 0 ? "" : ` and ${rest} more`);
}

function survivorsIn(data: unknown): readonly Named[] {
  const { survivors } = (data ?? {}) as { readonly survivors?: readonly Named[] };
  return Array.isArray(survivors) ? survivors : [];
}

/** The panes of Haft in a result: those that it lists, opens, shows or types into, and the one that a command was sent to. */
function panesIn(data: unknown): readonly string[] {
  const { dispatchedTo, panes, state } = (data ?? {}) as {
    readonly dispatchedTo?: { readonly pane: string };
    readonly panes?: readonly PaneState[];
    readonly state?: PaneState;
  };
  const shown = [...(Array.isArray(panes) ? panes : []), ...(typeof state === "object" ? [state] : [])];
  const own = shown.filter((one) => one?.owned === true).map(({ pane }) => pane);
  return dispatchedTo === undefined ? own : [...own, dispatchedTo.pane];
}

/** `process` returns the job that it started, `bash` the one that its command became. */
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
