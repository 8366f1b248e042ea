/** The state that one call may use: that of its `state` claims. */

import type { Autonomy } from "./autonomy.js";
import { boundMemories } from "./bound-memories.js";
import { coversState, type Grant } from "./claims.js";
import type { Embed } from "./context.js";
import { HaftError } from "./errors.js";
import { unclaimed } from "./guard.js";
import { type Schedule, type Schedules, schedulePlace } from "./schedules.js";
import type { Clock, Redactor } from "./services.js";
import type { CallMemories, CallSchedule, CallSchedules, CallState, Documents, State } from "./state.js";

/** The call that uses the state, as the kernel knows it. */
export interface StateCaller {
  readonly session: string;
  readonly owner?: string;
  readonly autonomy: Autonomy;
  /** Who approved the call. Absent: the call needed no approval. */
  readonly approvedBy?: string;
  /** The name of its target, and the workspace there. */
  readonly target: string;
  readonly workspace: string;
}

interface StateBinding {
  readonly state: Pick<State, "documents" | "memories" | "schedules">;
  readonly grant: Grant;
  readonly caller: StateCaller;
  readonly clock: Pick<Clock, "timer">;
  /** What is remembered passes it. */
  readonly redactor?: Redactor;
  readonly embed?: Embed;
  /** @throws once the call has ended. */
  requireLife(): void;
}

/** Where memories of sessions without an owner are. */
export const DEFAULT_NAMESPACE = "default";

export function boundState(binding: StateBinding): CallState {
  const { state, requireLife } = binding;
  const requireAccess = accessCheck(binding);
  let memories: CallMemories | undefined;
  return Object.freeze<CallState>({
    documents(collection) {
      requireLife();
      const documents = state.documents(collection);
      return Object.freeze<Documents>({
        async get(key) {
          requireAccess(collection, "read", key);
          return documents.get(key);
        },
        async update(key, change) {
          requireAccess(collection, "write", key);
          return documents.update(key, (old, version) => {
            requireLife();
            return change(old, version);
          });
        },
        async *list(query) {
          requireAccess(collection, "read", undefined);
          for await (const one of documents.list(query)) {
            requireLife();
            yield one;
          }
        },
      });
    },
    get memories() {
      requireLife();
      memories ??= memoriesOf(binding);
      return memories;
    },
    get schedules() {
      requireLife();
      return boundSchedules(binding);
    },
  });
}

function accessCheck({ grant, requireLife }: StateBinding) {
  return (collection: string, access: "read" | "write", key?: string): void => {
    requireLife();
    if (coversState(grant, collection, access, key)) return;
    const what = key === undefined ? `the documents of "${collection}"` : `"${key}" of "${collection}"`;
    throw unclaimed(`${access} ${what}`, { collection, access, ...(key === undefined ? {} : { key }) });
  };
}

function memoriesOf(binding: StateBinding): CallMemories {
  const { state, caller } = binding;
  const requireAccess = accessCheck(binding);
  return boundMemories({
    ...binding,
    session: caller.session,
    open(access) {
      requireAccess("memories", access);
      const memories = state.memories?.(caller.owner ?? DEFAULT_NAMESPACE);
      if (memories === undefined) throw unsupported("memories");
      return memories;
    },
  });
}

function boundSchedules(binding: StateBinding): CallSchedules {
  const { state, caller, grant, requireLife } = binding;
  const requireAccess = accessCheck(binding);
  const open = (access: "read" | "write"): Schedules => {
    requireAccess("schedules", access);
    if (state.schedules === undefined) throw unsupported("schedules");
    return state.schedules;
  };
  const isOwn = ({ owner }: Pick<Schedule, "owner">) => owner === caller.owner;
  const own = async (schedules: Schedules, id: string): Promise<Schedule | undefined> => {
    const found = await schedules.get(id);
    return found !== undefined && isOwn(found) ? found : undefined;
  };
  const requireCommand = ({ command, cwd }: Pick<CallSchedule, "command" | "cwd">): void => {
    if (grant.commands.some((one) => one.command === command && one.cwd === cwd)) return;
    throw unclaimed("schedule the command", { command, cwd });
  };
  /** What the model does not choose. */
  const stamp = () => {
    const { session, owner, autonomy, approvedBy, target, workspace } = caller;
    const known = { session, autonomy, target, workspace };
    return { ...known, ...(owner === undefined ? {} : { owner }), ...(approvedBy === undefined ? {} : { approvedBy }) };
  };
  return Object.freeze<CallSchedules>({
    async add(content, nextMs) {
      const schedules = open("write");
      requireCommand(content);
      return schedules.add(stamped(content, stamp()), nextMs);
    },
    get: async (id) => own(open("read"), id),
    list: async () => (await open("read").list()).filter(isOwn),
    async update(id, change) {
      const schedules = open("write");
      if ((await own(schedules, id)) === undefined) return undefined;
      return schedules.update(id, (old) => {
        requireLife();
        if (!isOwn(old)) return old;
        const next = change(old);
        if (next === undefined) return undefined;
        if (next.command === old.command && next.cwd === old.cwd) return stamped(next, stampOf(old));
        requireCommand(next);
        return stamped(next, stamp());
      });
    },
    async trigger(id) {
      const schedules = open("write");
      return (await own(schedules, id)) === undefined ? undefined : schedules.trigger(id);
    },
    async runs(filter) {
      const schedules = open("read");
      if (filter?.schedule !== undefined) {
        return (await own(schedules, filter.schedule)) === undefined ? [] : schedules.runs(filter);
      }
      const mine = new Set((await schedules.list()).filter(isOwn).map(({ id }) => id));
      return (await schedules.runs({ ...filter, limit: 1_000 }))
        .filter(({ schedule }) => mine.has(schedule))
        .slice(0, filter?.limit ?? 20);
    },
    now: async () => open("read").now(),
    async hosts() {
      const place = schedulePlace(caller);
      return (await open("read").hosts())
        .filter(({ places }) => places.includes(place))
        .map((one) => ({ ...one, places: [place] }));
    },
  });
}

/** What is not stamped is absent, whatever the content says: a new command has no approval of the old one. */
function stamped<Content extends CallSchedule>(content: Content, stamp: Stamp): Content & Stamp {
  const { approvedBy: _, owner: __, ...own } = content as Content & Partial<Stamp>;
  return { ...(own as unknown as Content), ...stamp };
}

type Stamp = ReturnType<typeof stampOf>;

function stampOf({ session, owner, autonomy, approvedBy, target, workspace }: Schedule) {
  const known = { session, autonomy, target, workspace };
  return { ...known, ...(owner === undefined ? {} : { owner }), ...(approvedBy === undefined ? {} : { approvedBy }) };
}

function unsupported(feature: "memories" | "schedules"): HaftError {
  return new HaftError(
    "BACKEND_UNSUPPORTED",
    `Did not use the ${feature}: the state of this host has none. Keep state in SQLite or PostgreSQL.`,
    { details: { backend: "state", feature } },
  );
}
