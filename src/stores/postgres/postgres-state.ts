/** The state in a PostgreSQL database, which any number of hosts may use at once. */
import { prepareSchema, type SqlState, sqlState } from "../sql/index.js";
import { shownStoreUrl } from "../store-url.js";
import { type PostgresDatabaseOptions, postgresDatabase, postgresNow } from "./postgres-database.js";

export interface PostgresStateOptions extends Pick<PostgresDatabaseOptions, "url" | "waitMs"> {
  /** Milliseconds since the epoch. Default: by the clock of the server, which all hosts share. */
  now?(): number;
}

/** Connects to nothing until it is used. @throws As `postgresDatabase`. */
export function postgresState({ now, ...options }: PostgresStateOptions): SqlState {
  const database = postgresDatabase({ ...options, prepare: prepareSchema });
  return sqlState({ database, now: now === undefined ? postgresNow : async () => now() });
}

/** The server and how long it takes to answer, after it was found usable. @throws Why it is not, as a `HaftError`. */
export async function inspectPostgres(
  url: string,
): Promise<{ readonly shown: string; readonly version: string; readonly latencyMs: number }> {
  const database = postgresDatabase({ url, prepare: prepareSchema });
  try {
    const [row] = await database.rows("SHOW server_version");
    const startedMs = performance.now();
    await database.rows("SELECT 1");
    const latencyMs = performance.now() - startedMs;
    return { shown: shownStoreUrl(url), version: String(row?.server_version), latencyMs };
  } finally {
    await database.close();
  }
}
