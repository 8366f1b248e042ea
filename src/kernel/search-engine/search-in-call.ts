import type { Binding } from "../backend.js";
import { requireLive } from "../guard.js";
import type { WalkQuery } from "../search.js";
import type { Clock } from "../services.js";
import { searchBinding } from "./search-binding.js";
import { searchStop } from "./search-stop.js";
import type { SearchScope } from "./source.js";

/**
 * Runs one search for a call: the signals and time limits of query and call end it, and what the grant excepts is left out.
 *
 * @param search - Gets the binding that its source judges by; see {@link searchBinding}.
 * @throws `CALL_REVOKED` when the call has ended before; one that ends meanwhile still gets its end record.
 */
export async function* searchInCall<T>(
  bound: Binding,
  clock: Clock,
  query: WalkQuery,
  search: (scope: SearchScope, binding: Binding) => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const { call } = bound;
  requireLive(call);
  const stop = searchStop(query, call, clock);
  const binding = searchBinding(bound, query.root);
  const workspace = call.workspace === undefined ? {} : { workspace: call.workspace };
  const scope = {
    except: binding.grant.except,
    signal: stop.signal,
    pause: stop.pause,
    isPauseDue: stop.isPauseDue,
    ...workspace,
  };
  try {
    yield* search(scope, binding);
  } finally {
    stop.release();
  }
}
