/** The schedules of a toolkit: whether there are any, and who runs them. */

import type { HostServices } from "../../kernel/index.js";
import {
  type Approver,
  type Autonomy,
  HaftError,
  type Schedule,
  type State,
  schedulePlace,
  type Target,
} from "../../kernel/index.js";
import type { ToolkitSession } from "../toolkit.js";
import type { ScheduleOptions, ToolkitSchedules } from "./schedule-runner.js";

interface Parts {
  readonly host: Pick<HostServices, "state" | "clock" | "approver">;
  readonly autonomy: Autonomy;
  readonly targets: { readonly first: Target; readonly all: Readonly<Record<string, Target>> };
  session(owner: string | undefined): ToolkitSession;
}

export function toolkitSchedules({ host, autonomy, targets, session }: Parts): ToolkitSchedules {
  let opened: ReturnType<typeof open> | undefined;
  const open = async (schedules: NonNullable<State["schedules"]>, options: ScheduleOptions) => {
    const [{ ScheduleRunner, MIN_POLL_MS }, { runScheduled }, { duePlan, nextDue }, { hostName }] = await Promise.all([
      import("./schedule-runner.js"),
      import("./scheduled-call.js"),
      import("../../engines/schedule/index.js"),
      import("../../host/index.js"),
    ]);
    const { pollMs = MIN_POLL_MS } = options;
    if (!(pollMs >= MIN_POLL_MS))
      throw new HaftError("CONFIG_INVALID", `\`pollMs\` was ${pollMs}; send ${MIN_POLL_MS} milliseconds or more.`);
    const places = (stored: readonly Schedule[]) => placesOf(targets.all, stored);
    const report = options.onMissed === undefined ? async () => {} : await missedReport(schedules, options, places);
    const { approver } = host;
    const call = { session, autonomy, defaultTarget: targets.first.name, ...approverOf(approver) };
    const runner = new ScheduleRunner({
      ...options,
      schedules,
      clock: host.clock,
      host: hostName(),
      places,
      plan: duePlan,
      nextDue,
      run: (claimed, signal) => runScheduled(claimed, call, signal),
    });
    return { runner, report };
  };
  return {
    async start(options = {}) {
      const { schedules } = host.state;
      if (schedules === undefined) throw withoutSchedules();
      if (opened !== undefined) return;
      opened = open(schedules, options);
      opened.catch(() => {
        opened = undefined;
      });
      const { runner, report } = await opened;
      await runner.start();
      await report();
    },
    async stop() {
      const running = opened;
      opened = undefined;
      await (await running?.catch(() => undefined))?.runner.stop();
    },
  };
}

/** Looks before anything runs, and counts when it is called. A store that is away is reported by the first look. */
async function missedReport(
  schedules: NonNullable<State["schedules"]>,
  { onMissed }: ScheduleOptions,
  places: (stored: readonly Schedule[]) => Promise<readonly string[]>,
): Promise<() => Promise<void>> {
  const { missedTimes, overdueSchedules } = await import("./missed-times.js");
  const overdue = await overdueSchedules(schedules, places).catch(() => undefined);
  return async () => {
    const missed = overdue === undefined ? [] : missedTimes(overdue);
    if (missed.length > 0) onMissed?.(missed);
  };
}

function approverOf(approver: Approver | undefined): { readonly approver?: Approver } {
  return approver === undefined ? {} : { approver };
}

/** The workspace of a target may be known only once it is open: it is opened where a schedule is for it. */
async function placesOf(
  targets: Readonly<Record<string, Target>>,
  stored: readonly Schedule[],
): Promise<readonly string[]> {
  const places: string[] = [];
  for (const target of Object.values(targets)) {
    const { name } = target;
    const isNeeded = stored.some((one) => one.enabled && one.target === name);
    const workspace = target.workspace ?? (isNeeded ? await openedWorkspace(target) : undefined);
    if (workspace !== undefined) places.push(schedulePlace({ target: name, workspace }));
  }
  return places;
}

async function openedWorkspace(target: Target): Promise<string | undefined> {
  try {
    return (await target.open()).cwd;
  } catch {
    return undefined; // it cannot be reached now; its schedules wait
  }
}

export function withoutSchedules(): HaftError {
  return new HaftError(
    "BACKEND_UNSUPPORTED",
    "Schedules are not available: the state is not in SQLite or PostgreSQL. Use Node.js 22.13 or later, install the package `libsql`, or name a PostgreSQL database (`--store`, or `store` of `createToolkit`).",
    { details: { backend: "state", feature: "schedules" } },
  );
}
