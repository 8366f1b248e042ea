/** The tables of a database, and the way from an older version of them to this one. */
import { HaftError } from "../../kernel/index.js";
import { createPostings } from "./memory-postings.js";
import { scheduleTables } from "./schedule-rows.js";
import type { Sql, SqlDatabase } from "./sql.js";
import { memoryTables } from "./sql-memories.js";

/** What brings a database from each version to the next, from an empty one on. A released one is never changed. */
const MIGRATIONS: readonly ((sql: Sql) => Promise<void>)[] = [
  async (sql) => {
    const { engine } = sql;
    for (const statement of [...documentTables(engine), ...scheduleTables(engine), ...memoryTables(engine)])
      await sql.run(statement);
  },
  async (sql) => {
    if (sql.engine === "postgres") await createPostings(sql);
  },
];

/** The version of the tables that is read and written here. */
export const SCHEMA_VERSION = MIGRATIONS.length;

const VERSION = "version";
const TAKEN_OVER = "taken-over";

export interface SchemaOptions {
  /**
   * Runs once in the life of a database, in the transaction that prepares it: what was stored elsewhere is stored here. Returns what
   * to do once that is committed.
   */
  takeOver?(sql: Sql): Promise<() => void>;
}

/**
 * Brings a database to this version in one transaction: whoever comes at the same time waits, and a crash leaves the old tables or
 * the new. @throws `STORE_NEWER` for a database of a later version, `STORE_CONFLICT` for one that does not state its version.
 */
export async function prepareSchema(database: SqlDatabase, { takeOver }: SchemaOptions = {}): Promise<void> {
  const isReady = async (sql: Sql): Promise<{ readonly version: number; readonly isTaken: boolean }> => {
    const found = await readMeta(sql);
    const version = versionIn(found);
    return { version, isTaken: takeOver === undefined || found.has(TAKEN_OVER) };
  };
  const before = await isReady(database);
  if (before.version === SCHEMA_VERSION && before.isTaken) return;
  const afterwards = await database.transaction("schema", async (sql) => {
    const { version, isTaken } = await isReady(sql);
    if (version === 0) {
      const name = sql.engine === "postgres" ? 'TEXT COLLATE "C"' : "TEXT";
      await sql.run(`CREATE TABLE haft_meta (name ${name} PRIMARY KEY, value TEXT NOT NULL)`);
    }
    for (const migrate of MIGRATIONS.slice(version)) await migrate(sql);
    const after = isTaken ? undefined : await takeOver?.(sql);
    const note = "INSERT INTO haft_meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2";
    await sql.run(note, [VERSION, `${SCHEMA_VERSION}`]);
    if (takeOver !== undefined) await sql.run(note, [TAKEN_OVER, "files"]);
    return after;
  });
  afterwards?.();
}

/** Empty for a database without tables of Haft. */
async function readMeta(sql: Sql): Promise<ReadonlyMap<string, string>> {
  // `to_regclass` may still know of no table that another connection has created during this transaction.
  const exists =
    sql.engine === "sqlite"
      ? "SELECT name FROM sqlite_master WHERE name = 'haft_meta'"
      : "SELECT relname FROM pg_catalog.pg_class WHERE relname = 'haft_meta' AND pg_catalog.pg_table_is_visible(oid)";
  if ((await sql.rows(exists)).length === 0) return new Map();
  const rows = await sql.rows("SELECT name, value FROM haft_meta");
  const found = new Map(rows.map(({ name, value }) => [String(name), String(value)]));
  if (!found.has(VERSION)) found.set(VERSION, "missing");
  return found;
}

function versionIn(found: ReadonlyMap<string, string>): number {
  const stated = found.get(VERSION) ?? "0";
  const version = Number(stated);
  if (!Number.isInteger(version) || version < 0)
    throw new HaftError(
      "STORE_CONFLICT",
      `Did not use the database: its table haft_meta states no version (${stated.slice(0, 40)}). Restore it from a backup.`,
    );
  if (version <= SCHEMA_VERSION) return version;
  throw new HaftError(
    "STORE_NEWER",
    `Did not use the database: its tables have version ${version}, and this Haft knows version ${SCHEMA_VERSION}. Use the newer Haft, or another database.`,
    { details: { version, known: SCHEMA_VERSION } },
  );
}

/** Sessions, and all documents: those of the host have the session "". */
function documentTables(engine: Sql["engine"]): readonly string[] {
  // Both engines then compare keys as UTF-8 bytes.
  const key = engine === "postgres" ? 'TEXT COLLATE "C" NOT NULL' : "TEXT NOT NULL";
  return [
    `CREATE TABLE haft_sessions (id ${key} PRIMARY KEY, version TEXT NOT NULL, owner TEXT, is_temporary INTEGER NOT NULL, created_ms BIGINT NOT NULL, used_ms BIGINT NOT NULL)`,
    "CREATE INDEX haft_sessions_used ON haft_sessions (used_ms)",
    `CREATE TABLE haft_documents (session ${key}, collection ${key}, key ${key}, version TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (session, collection, key))`,
  ];
}
