/** The state that one call may use: that of its `state` claims. */

import { boundMemories, memoryNamespace } from "./bound-memories.js";
import { boundSchedules, type StateCaller } from "./bound-schedules.js";
import { coversState, type Grant } from "./claims.js";
import type { Embed } from "./context.js";
import { HaftError } from "./errors.js";
import { unclaimed } from "./guard.js";
import type { Clock, Redactor } from "./services.js";
import type { CallMemories, CallSchedules, CallState, Documents, State } from "./state.js";

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
      return schedulesOf(binding);
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
      const memories = state.memories?.(memoryNamespace(caller.owner));
      if (memories === undefined) throw unsupported("memories");
      return memories;
    },
  });
}

function schedulesOf(binding: StateBinding): CallSchedules {
  const { state } = binding;
  const requireAccess = accessCheck(binding);
  return boundSchedules({
    ...binding,
    open(access) {
      requireAccess("schedules", access);
      if (state.schedules === undefined) throw unsupported("schedules");
      return state.schedules;
    },
  });
}

function unsupported(feature: "memories" | "schedules"): HaftError {
  return new HaftError(
    "BACKEND_UNSUPPORTED",
    `Did not use the ${feature}: the state of this host has none. Keep state in SQLite or PostgreSQL.`,
    { details: { backend: "state", feature } },
  );
}
