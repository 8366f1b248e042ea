/** The state in a PostgreSQL database, which any number of hosts may use at once. */
import type { State } from "../../kernel/index.js";
import { prepareSchema, sqlState } from "../sql/index.js";
import { type PostgresDatabaseOptions, postgresDatabase, postgresNow } from "./postgres-database.js";

export interface PostgresStateOptions extends Pick<PostgresDatabaseOptions, "url" | "waitMs"> {
  /** Milliseconds since the epoch. Default: by the clock of the server, which all hosts share. */
  now?(): number;
}

/** Connects to nothing until it is used. @throws As `postgresDatabase`. */
export function postgresState({ now, ...options }: PostgresStateOptions): State {
  const database = postgresDatabase({ ...options, prepare: prepareSchema });
  return sqlState({ database, now: now === undefined ? postgresNow : async () => now() });
}
