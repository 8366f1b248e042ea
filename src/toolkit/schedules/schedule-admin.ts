/** Schedules for the user of a host, who sees those of all owners. */
import {
  blockText,
  HaftError,
  type HostServices,
  type Schedule,
  type ScheduleRun,
  schedulePlace,
} from "../../kernel/index.js";
import {
  foundSchedule,
  isFailure,
  type RunningHosts,
  runningHosts,
  runsOfRemoved,
  type ShownRun,
  type ShownSchedule,
  shownRun,
  shownSchedule,
} from "../../tools/index.js";
import { withoutSchedules } from "./toolkit-schedules.js";

export interface ListedSchedule extends ShownSchedule {
  readonly owner?: string;
  readonly workspace: string;
  /** Names and process ids of hosts that run schedules of its target and workspace now. */
  readonly hosts: readonly string[];
  /** Whether `next` is past: no host runs it, or none has begun it yet. */
  readonly isOverdue: boolean;
}

export interface ScheduleAdmin {
  /** The oldest first, each with its last run. */
  list(): Promise<readonly ListedSchedule[]>;
  /** Hosts that run schedules now, of any workspace. */
  hosts(): Promise<RunningHosts>;
  /** By id or name. @throws `SCHEDULE_UNKNOWN`, `SCHEDULE_AMBIGUOUS` */
  remove(idOrName: string): Promise<ListedSchedule>;
  /** Makes one due now. @throws As `remove`; `STORE_INVALID` for one that is disabled, and where 50 of its runs wait. */
  run(idOrName: string): Promise<ListedSchedule>;
  /**
   * A disabled schedule does not run until it is enabled. Times that pass meanwhile do not run later, and the user's approval remains.
   *
   * @throws As `remove`.
   */
  setEnabled(idOrName: string, enabled: boolean): Promise<ListedSchedule>;
  /**
   * Runs of one schedule, or of all; the newest first. A removed schedule is found by the id or the name that it had.
   *
   * @param filter - `limit`: 1 to 1,000.
   * @throws As `remove`.
   */
  log(filter: { readonly idOrName?: string; readonly limit: number }): Promise<readonly ShownRun[]>;
}

type AdminHost = Pick<HostServices, "redactor"> & { readonly state: Pick<HostServices["state"], "schedules"> };

/** Commands and names pass the redactor of the host. @throws `BACKEND_UNSUPPORTED` where the state has no schedules. */
export function scheduleAdmin({ state: { schedules }, redactor }: AdminHost): ScheduleAdmin {
  if (schedules === undefined) throw withoutSchedules();
  const shown = (text: string) => redactor?.redact(text) ?? text;
  const now = async () => ({ nowMs: await schedules.now(), all: await schedules.hosts() });
  type Now = Awaited<ReturnType<typeof now>>;
  const listed = async (one: Schedule, { nowMs, all }: Now, lastRun?: ScheduleRun): Promise<ListedSchedule> => {
    const { owner, workspace, name, command } = one;
    const serving = all.filter(({ places }) => places.includes(schedulePlace(one)));
    const { hosts } = await runningHosts({ now: async () => nowMs, hosts: async () => serving });
    const { next, ...more } = await shownSchedule(one, lastRun);
    return {
      ...more,
      command: shown(command),
      workspace,
      hosts,
      isOverdue: next !== undefined && next.ms < nowMs,
      ...(next === undefined ? {} : { next }),
      ...(name === undefined ? {} : { name: shown(name) }),
      ...(owner === undefined ? {} : { owner }),
    };
  };
  const found = async (idOrName: string): Promise<Schedule> => {
    const one = await foundSchedule(schedules, idOrName);
    if (!isFailure(one)) return one;
    const code = one.code === "SCHEDULE_AMBIGUOUS" ? "SCHEDULE_AMBIGUOUS" : "SCHEDULE_UNKNOWN";
    const message = blockText(one.content[0] ?? { kind: "text", text: code });
    throw new HaftError(code, one.message ?? message, { details: one.details ?? {} });
  };
  return {
    async list() {
      const last = new Map((await schedules.lastRuns()).map((run) => [run.schedule, run]));
      const at = await now();
      return Promise.all((await schedules.list()).map((one) => listed(one, at, last.get(one.id))));
    },
    hosts: () => runningHosts(schedules),
    async remove(idOrName) {
      const one = await found(idOrName);
      await schedules.update(one.id, () => undefined);
      return listed(one, await now());
    },
    async run(idOrName) {
      const one = await found(idOrName);
      await schedules.trigger(one.id);
      return listed(one, await now());
    },
    async setEnabled(idOrName, enabled) {
      const { id } = await found(idOrName);
      const [{ nextDue }, nowMs] = await Promise.all([import("../../engines/schedule/index.js"), schedules.now()]);
      const changed = await schedules.update(id, (old) =>
        enabled && !old.enabled ? enabledAgain(old, nextDue(old.timing, nowMs)) : { ...old, enabled },
      );
      return listed(changed ?? (await found(id)), await now()); // `found` refuses one that was removed meanwhile
    },
    async log({ idOrName, limit }) {
      const named = new Map((await schedules.list()).map((schedule) => [schedule.id, schedule]));
      const logged = (runs: readonly ScheduleRun[]) =>
        runs.map((run) => {
          const { name, ...more } = shownRun(run, named.get(run.schedule));
          return { ...more, command: shown(run.command), ...(name === undefined ? {} : { name: shown(name) }) };
        });
      if (idOrName === undefined) return logged(await schedules.runs({ limit }));
      try {
        return logged(await schedules.runs({ limit, schedule: (await found(idOrName)).id }));
      } catch (thrown) {
        const runs = HaftError.is(thrown, "SCHEDULE_UNKNOWN") ? await runsOfRemoved(schedules, idOrName, limit) : [];
        if (runs.length === 0) throw thrown;
        return logged(runs);
      }
    },
  };
}

function enabledAgain({ nextMs: _, ...old }: Schedule, nextMs: number | undefined): Schedule {
  return { ...old, enabled: true, ...(nextMs === undefined ? {} : { nextMs }) };
}
