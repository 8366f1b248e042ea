/** The state in one SQLite file, which any number of processes of this machine may use at once. */

import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { State } from "../../kernel/index.js";
import { prepareSchema, type SchemaOptions, type SqlDatabase, type SqlStateOptions, sqlState } from "../sql/index.js";
import { sqliteDatabase } from "./sqlite-database.js";
import type { SqliteDriver } from "./sqlite-driver.js";

export interface SqliteStateOptions
  extends SchemaOptions,
    Pick<SqlStateOptions, "directories" | "isHeld" | "requireFree"> {
  readonly driver: SqliteDriver;
  /** Absolute; its directory must be there when it is first used. Nothing is created before. */
  readonly path: string;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

/** Opens nothing until it is used. */
export function sqliteState({ driver, path, takeOver, now = Date.now, ...more }: SqliteStateOptions): State {
  const database: SqlDatabase = sqliteDatabase({
    driver,
    path,
    prepare: (sql) => prepareSchema(sql, takeOver === undefined ? {} : { takeOver }),
  });
  return sqlState({ database, now: async () => now(), directories: filesOf(path), ...more });
}

/** The files of a database, under each name of their directory. */
function filesOf(path: string): readonly string[] {
  const names = [path, realNameOf(path)].filter((one, index, all) => all.indexOf(one) === index);
  return names.flatMap((one) => ["", "-wal", "-shm"].map((suffix) => `${one}${suffix}`));
}

function realNameOf(path: string): string {
  try {
    return join(realpathSync(dirname(path)), path.slice(dirname(path).length));
  } catch {
    return path;
  }
}
