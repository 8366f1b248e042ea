import type { Binding } from "../backend.js";
import type { Io } from "../fs.js";
import { requireLive } from "../guard.js";
import type { Clock } from "../services.js";
import { searchStop } from "./search-stop.js";
import type { SearchScope } from "./source.js";

/**
 * Runs one search for a call: the signals and time limits of query and call end it, and what the grant excepts is left out.
 * @throws `CALL_REVOKED` when the call has ended before; one that ends meanwhile still gets its end record.
 */
export async function* searchInCall<T>(
  { grant, call }: Binding,
  clock: Clock,
  query: Io,
  search: (scope: SearchScope) => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  requireLive(call);
  const stop = searchStop(query, call, clock);
  const workspace = call.workspace === undefined ? {} : { workspace: call.workspace };
  try {
    yield* search({ except: grant.except, signal: stop.signal, pause: stop.pause, ...workspace });
  } finally {
    stop.release();
  }
}
