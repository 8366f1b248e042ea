/** The schedules that one call may use: those of its owner, on its target and workspace. */
import { REMEMBERED_ANSWER } from "./approved-call.js";
import { type Autonomy, strictestLevel } from "./autonomy.js";
import type { Grant } from "./claims.js";
import { HaftError } from "./errors.js";
import { unclaimed } from "./guard.js";
import { type Schedule, type ScheduleContent, type Schedules, scheduleBasis, schedulePlace } from "./schedules.js";
import type { CallSchedule, CallSchedules } from "./state.js";

/** The call that uses the state, as the kernel knows it. */
export interface StateCaller {
  readonly session: string;
  readonly owner?: string;
  readonly autonomy: Autonomy;
  /** Who approved the call. Absent: the call needed no approval. */
  readonly approvedBy?: string;
  /** The `scheduleBasis` of the schedule that it was asked about; empty where that was none. Absent: no user was asked. */
  readonly basis?: string;
  readonly askedMs?: number;
  /** The name of its target, and the workspace there. */
  readonly target: string;
  readonly workspace: string;
}

export interface ScheduleBinding {
  /** @throws where the call has not claimed it. */
  open(access: "read" | "write"): Schedules;
  /** @throws once the call has ended. */
  requireLife(): void;
  readonly grant: Grant;
  readonly caller: StateCaller;
}

/** What a model does not choose. */
type Stamp = Pick<ScheduleContent, "session" | "owner" | "autonomy" | "approvedBy" | "target" | "workspace">;

export function boundSchedules({ open, requireLife, grant, caller }: ScheduleBinding): CallSchedules {
  const place = schedulePlace(caller);
  const of = { place, ...(caller.owner === undefined ? {} : { owner: caller.owner }) };
  const isOwn = (one: Schedule) => one.owner === caller.owner && schedulePlace(one) === place;
  const own = async (schedules: Schedules, id: string): Promise<Schedule | undefined> => {
    const found = await schedules.get(id);
    return found !== undefined && isOwn(found) ? found : undefined;
  };
  const isClaimed = ({ command, cwd }: Pick<CallSchedule, "command" | "cwd">): boolean =>
    grant.commands.some((one) => one.command === command && one.cwd === cwd);
  /** Of a command that this call has claimed, and that policy has therefore judged. */
  const claimedStamp = ({ command, cwd }: Pick<CallSchedule, "command" | "cwd">): Stamp => {
    if (!isClaimed({ command, cwd })) throw unclaimed("schedule the command", { command, cwd });
    if (caller.approvedBy === REMEMBERED_ANSWER) throw rememberedAnswer();
    return caller;
  };
  return Object.freeze<CallSchedules>({
    async add(content, nextMs) {
      const schedules = open("write");
      return schedules.add(stamped(content, claimedStamp(content)), nextMs);
    },
    get: async (id) => own(open("read"), id),
    list: async () => (await open("read").list()).filter(isOwn),
    async update(id, change) {
      const schedules = open("write");
      if ((await own(schedules, id)) === undefined) return undefined;
      return schedules.update(id, (old) => {
        requireLife();
        if (!isOwn(old)) return old;
        if (caller.basis !== undefined && caller.basis !== scheduleBasis(old)) throw hasChanged();
        const next = change(old);
        if (next === undefined) return undefined;
        if (isClaimed(next) || next.command !== old.command || next.cwd !== old.cwd)
          return stamped(next, claimedStamp(next));
        return stamped(next, isSameRuns(old, next) ? old : unapprovedStamp(old, caller));
      });
    },
    async trigger(id) {
      const schedules = open("write");
      const found = await own(schedules, id);
      if (found === undefined) return undefined;
      requireMayTrigger(found, caller);
      return schedules.trigger(id);
    },
    runs: async (filter) => open("read").runs({ ...filter, of }),
    lastRuns: async () => open("read").lastRuns(of),
    now: async () => open("read").now(),
    hosts: async () =>
      (await open("read").hosts())
        .filter(({ places }) => places.includes(place))
        .map((one) => ({ ...one, places: [place] })),
    ...(caller.askedMs === undefined ? {} : { askedMs: caller.askedMs }),
  });
}

/** Whether nothing has changed but the name, and that it no longer runs. */
function isSameRuns(old: Schedule, next: CallSchedule & { readonly nextMs?: number }): boolean {
  const runsOf = ({ timing, nextMs, missed, retries, timeoutMs, deleteAfterRun }: typeof next) =>
    JSON.stringify([timing, nextMs, missed, retries, timeoutMs, deleteAfterRun]);
  return runsOf(old) === runsOf(next) && (old.enabled || !next.enabled);
}

/** The user approved the command as it was to run; not with other times and limits. */
function unapprovedStamp(old: Schedule, { session, autonomy }: StateCaller): Stamp {
  const { approvedBy: _, ...kept } = old;
  return { ...kept, session, autonomy: strictestLevel(old.autonomy, autonomy) ?? autonomy };
}

/** What is not stamped is absent, whatever the content says. */
function stamped<Content extends CallSchedule>(content: Content, stamp: Stamp): Content & Stamp {
  const { approvedBy: _, owner: __, ...said } = content as Content & Partial<Stamp>;
  const { session, owner, autonomy, approvedBy, target, workspace } = stamp;
  return {
    ...(said as unknown as Content),
    ...{ session, autonomy, target, workspace },
    ...(owner === undefined ? {} : { owner }),
    ...(approvedBy === undefined ? {} : { approvedBy }),
  };
}

/** A call has not claimed the command that it starts: it starts none that it could not have started itself. @throws `POLICY_DENIED` */
function requireMayTrigger({ id, autonomy, approvedBy }: Schedule, caller: StateCaller): void {
  if (strictestLevel(autonomy, caller.autonomy) !== autonomy)
    throw notTriggered(
      id,
      "schedule-autonomy",
      `it runs at level ${autonomy}, and this call has the stricter level ${caller.autonomy}`,
    );
  if (approvedBy !== undefined)
    throw notTriggered(id, "schedule-approval", "the user approved its command for its times only");
}

function notTriggered(id: string, rule: string, why: string): HaftError {
  const next = `Ask the user to run \`haft schedule run ${id}\`.`;
  return new HaftError("POLICY_DENIED", `Did not run the schedule: ${why}. ${next}`, { details: { rule } });
}

function hasChanged(): HaftError {
  return new HaftError(
    "POLICY_DENIED",
    "Did not change the schedule: it has changed since it was approved. Send the call again.",
    { details: { rule: "schedule-approval" } },
  );
}

function rememberedAnswer(): HaftError {
  return new HaftError(
    "POLICY_DENIED",
    "Did not store the schedule: its command was allowed by an answer that was remembered, which does not hold for runs without a user. Ask the user to allow it by a rule, with `haft policy allow '…'`.",
    { details: { rule: "schedule-approval" } },
  );
}
