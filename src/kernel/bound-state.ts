/** The documents that one call may use: those of its `state` claims. */
import { coversState, type Grant } from "./claims.js";
import { unclaimed } from "./guard.js";
import type { CallState, Documents, State } from "./state.js";

/** @param requireLife - Throws once the call has ended. */
export function boundState(state: Pick<State, "documents">, grant: Grant, requireLife: () => void): CallState {
  const require = (store: string, access: "read" | "write", key: string | undefined): void => {
    requireLife();
    if (coversState(grant, store, access, key)) return;
    const what = key === undefined ? `the documents of "${store}"` : `"${key}" of "${store}"`;
    throw unclaimed(`${access} ${what}`, { store, access, ...(key === undefined ? {} : { key }) });
  };
  return Object.freeze<CallState>({
    documents(store) {
      requireLife();
      const documents = state.documents(store);
      return Object.freeze<Documents>({
        async get(key) {
          require(store, "read", key);
          return documents.get(key);
        },
        async update(key, change) {
          require(store, "write", key);
          return documents.update(key, (old, version) => {
            requireLife();
            return change(old, version);
          });
        },
        async *list(query) {
          require(store, "read", undefined);
          for await (const one of documents.list(query)) {
            requireLife();
            yield one;
          }
        },
      });
    },
  });
}
