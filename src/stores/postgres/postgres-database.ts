/** A PostgreSQL database that any number of processes on any number of hosts use at once. */
import { createHash } from "node:crypto";
import type { Pool, QueryResult } from "pg";
import { closedState, HaftError } from "../../kernel/index.js";
import type { Sql, SqlDatabase, SqlRow, SqlValue } from "../sql/index.js";
import { shownStoreUrl } from "../store-url.js";
import { hasBrokenConnection, isUndone, postgresError } from "./postgres-errors.js";

/** Connections of one process. */
const MAX_CONNECTIONS = 5;
/** How many milliseconds longer a statement may take than wait for a lock, and this process than the server. */
const STATEMENT_MS = 1_000;
const SILENCE_MS = 5_000;
/** Milliseconds after which a connection that is not used is closed. */
const IDLE_MS = 10_000;
/** How often a transaction is tried that the server undoes because of others. */
const ATTEMPTS = 5;

export interface PostgresDatabaseOptions {
  /** "postgres://USER:PASSWORD@HOST:PORT/DATABASE"; what it leaves out comes from the variables of libpq, such as PGPASSWORD. */
  readonly url: string;
  /** Brings the database to the schema that is used here, before all else. */
  prepare(sql: SqlDatabase): Promise<void>;
  /** Milliseconds for a connection to be made or to become free, for a lock, and between statements of a change. Default 10,000. */
  readonly waitMs?: number;
}

/**
 * The database at a URL. Nothing is connected before the first statement, and open connections do not keep the process alive. A
 * statement or transaction takes one of the connections: `body` of a transaction uses the `Sql` that it gets and awaits nothing
 * else; it runs again where the server undid it because of a deadlock. An error within a transaction undoes all of it, also
 * where `body` catches it.
 *
 * @throws `CONFIG_INVALID` for a text that is not such a URL. Statements reject with `CONFIG_MISSING_PACKAGE` where `pg` is missing.
 */
export function postgresDatabase({ url, prepare, waitMs = 10_000 }: PostgresDatabaseOptions): SqlDatabase {
  const place: Place = { url, shown: shownStoreUrl(url), waitMs };
  let pool: Promise<Pool> | undefined;
  let prepared: Promise<void> | undefined;
  let isClosed = false;

  const connected = (): Promise<Pool> => {
    pool ??= openPool(place).catch((error: unknown) => {
      pool = undefined;
      throw error;
    });
    return pool;
  };
  const ready = async (): Promise<SqlDatabase> => {
    if (isClosed) throw closedState();
    const database = { ...databaseIn(await connected(), place), close: async () => undefined };
    prepared ??= prepare(database).catch((error: unknown) => {
      prepared = undefined;
      throw error;
    });
    await prepared;
    if (isClosed) throw closedState();
    return database;
  };
  return {
    engine: "postgres",
    rows: async (statement, values) => (await ready()).rows(statement, values),
    run: async (statement, values) => (await ready()).run(statement, values),
    transaction: async (lock, body) => (await ready()).transaction(lock, body),
    snapshot: async (body) => (await ready()).snapshot(body),
    async close() {
      if (isClosed) return;
      isClosed = true;
      const open = await pool?.catch(() => undefined);
      await open?.end();
    },
  };
}

/** Milliseconds since the epoch by the clock of the server; `offsetMs` is added, for tests. */
export async function postgresNow(sql: Sql, offsetMs = 0): Promise<number> {
  const [row] = await sql.rows("SELECT floor(extract(epoch FROM clock_timestamp()) * 1000) AS now");
  return Number(row?.now) + offsetMs;
}

interface Place {
  readonly url: string;
  /** The URL as it may be shown. */
  readonly shown: string;
  readonly waitMs: number;
}

async function openPool({ url, shown, waitMs }: Place): Promise<Pool> {
  const { Pool } = await loadPg(shown);
  const pool = new Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: IDLE_MS,
    allowExitOnIdle: true,
    keepAlive: true,
    fallback_application_name: "haft",
    lock_timeout: waitMs,
    statement_timeout: waitMs + STATEMENT_MS,
    // A host that stops in the middle of a change must not hold its lock.
    idle_in_transaction_session_timeout: waitMs,
    query_timeout: waitMs + SILENCE_MS,
    types: { getTypeParser: ((type: number) => PARSERS[type] ?? asText) as never },
  });
  // The server ends connections when it stops; that is seen by the next statement.
  pool.on("error", () => {});
  return pool;
}

async function loadPg(shown: string): Promise<typeof import("pg").default> {
  try {
    return (await import("pg")).default;
  } catch (error) {
    throw new HaftError(
      "CONFIG_MISSING_PACKAGE",
      `Did not use the state in "${shown}": the package pg is not installed. Install it beside Haft: \`npm install pg\`.`,
      { details: { package: "pg" }, cause: error },
    );
  }
}

const asText = (text: string): SqlValue => text;
const asNumber = (text: string): SqlValue => Number(text);
const asBytes = (text: string): SqlValue => new Uint8Array(Buffer.from(text.slice(2), "hex"));
const asBit = (text: string): SqlValue => (text === "t" ? 1 : 0);

/** By the number that PostgreSQL has for a type; all others are read as their text. */
const PARSERS: Readonly<Record<number, (text: string) => SqlValue>> = {
  16: asBit,
  17: asBytes,
  20: asNumber,
  21: asNumber,
  23: asNumber,
  700: asNumber,
  701: asNumber,
  1700: asNumber,
};

type Ask = (statement: string, values: readonly SqlValue[]) => Promise<QueryResult>;

function sqlOf(ask: Ask): Sql {
  return {
    engine: "postgres",
    rows: async (statement, values = []) => (await ask(statement, values)).rows as readonly SqlRow[],
    run: async (statement, values = []) => (await ask(statement, values)).rowCount ?? 0,
  };
}

function databaseIn(pool: Pool, place: Place): Omit<SqlDatabase, "close"> {
  const ask: Ask = (statement, values) =>
    repeated(async () => {
      try {
        return await pool.query(statement, [...values]);
      } catch (error) {
        throw postgresError(place, error);
      }
    });
  const within = <T>(begin: readonly Statement[], body: (sql: Sql) => Promise<T>): Promise<T> =>
    repeated(() => transactionIn(pool, place, begin, body));
  return {
    ...sqlOf(ask),
    // What is read after the lock has to be as new as the lock, whatever the server has as its default.
    transaction: (lock, body) =>
      within(
        [["BEGIN ISOLATION LEVEL READ COMMITTED"], ["SELECT pg_advisory_xact_lock($1::bigint)", lockNumber(lock)]],
        body,
      ),
    snapshot: (body) => within([["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"]], body),
  };
}

/** Tries again what the server has undone because of others. */
async function repeated<T>(attempt: () => Promise<T>): Promise<T> {
  for (let count = 1; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!isUndone((error as Error | undefined)?.cause) || count >= ATTEMPTS) throw error;
    }
  }
}

type Statement = readonly [text: string, ...values: SqlValue[]];

async function transactionIn<T>(
  pool: Pool,
  place: Place,
  begin: readonly Statement[],
  body: (sql: Sql) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch((error: unknown) => {
    throw postgresError(place, error);
  });
  // A connection that breaks between two statements would end the process.
  const ignore = () => {};
  client.on("error", ignore);
  let broken: Error | undefined;
  let failed: HaftError | undefined;
  const ask: Ask = async (statement, values) => {
    try {
      return await client.query(statement, [...values]);
    } catch (error) {
      if (hasBrokenConnection(error)) broken = error as Error;
      failed = postgresError(place, error);
      throw failed;
    }
  };
  try {
    for (const [text, ...values] of begin) await ask(text, values);
    const result = await body(sqlOf(ask));
    // The server answers COMMIT with ROLLBACK where a statement has failed.
    if ((await ask("COMMIT", [])).command !== "COMMIT") throw failed;
    return result;
  } catch (error) {
    if (broken === undefined) await ask("ROLLBACK", []).catch(() => {});
    throw error;
  } finally {
    client.off("error", ignore);
    client.release(broken);
  }
}

/** A number of 64 bits that all hosts compute alike, as text. */
function lockNumber(lock: string): string {
  return createHash("sha256").update(`haft ${lock}`).digest().readBigInt64BE().toString();
}
