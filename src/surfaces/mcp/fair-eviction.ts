/** Which of too many sessions has to go. */

/** One that may go, unless it is busy. */
export interface Evictable {
  readonly client: string;
  readonly isBusy: boolean;
}

/**
 * The key of the one to end: of the client that has the most, the one that stands first; undefined when every one of them
 * is busy. So a client that opens many loses its own, never those of others.
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
