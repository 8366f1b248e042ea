/** The documents that one call may use: those of its `state` claims. */
import { coversState, type Grant } from "./claims.js";
import { unclaimed } from "./guard.js";
import type { CallState, Documents, State } from "./state.js";

/** @param requireLife - Throws once the call has ended. */
export function boundState(state: Pick<State, "documents">, grant: Grant, requireLife: () => void): CallState {
  const require = (collection: string, access: "read" | "write", key: string | undefined): void => {
    requireLife();
    if (coversState(grant, collection, access, key)) return;
    const what = key === undefined ? `the documents of "${collection}"` : `"${key}" of "${collection}"`;
    throw unclaimed(`${access} ${what}`, { collection, access, ...(key === undefined ? {} : { key }) });
  };
  return Object.freeze<CallState>({
    documents(collection) {
      requireLife();
      const documents = state.documents(collection);
      return Object.freeze<Documents>({
        async get(key) {
          require(collection, "read", key);
          return documents.get(key);
        },
        async update(key, change) {
          require(collection, "write", key);
          return documents.update(key, (old, version) => {
            requireLife();
            return change(old, version);
          });
        },
        async *list(query) {
          require(collection, "read", undefined);
          for await (const one of documents.list(query)) {
            requireLife();
            yield one;
          }
        },
      });
    },
  });
}
