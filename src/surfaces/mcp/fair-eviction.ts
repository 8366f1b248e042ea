/** Selects the session to end when there are too many. */

/** The most sessions at once; beyond it, the least recently used session of the client with the most sessions is closed. */
export const MAX_SESSIONS = 1_000;

/** A session, which can be ended unless it is busy. */
export interface Evictable {
  readonly client: string;
  readonly isBusy: boolean;
}

/**
 * The key of the session to end: the first idle one of the client with the most sessions; undefined if all sessions are busy.
 * So a client that opens many sessions loses its own, not those of others.
 */
export function sessionToEvict<One extends Evictable>(sessions: ReadonlyMap<string, One>): string | undefined {
  const counts = new Map<string, number>();
  for (const { client } of sessions.values()) counts.set(client, (counts.get(client) ?? 0) + 1);
  let chosen: { readonly key: string; readonly count: number } | undefined;
  for (const [key, { client, isBusy }] of sessions) {
    const count = counts.get(client) ?? 0;
    if (!isBusy && count > (chosen?.count ?? 0)) chosen = { key, count };
  }
  return chosen?.key;
}
