/** A SQLite database that any number of processes use at once. */
import { setTimeout as pause } from "node:timers/promises";
import { closedState, HaftError, messageOf } from "../../kernel/index.js";
import type { Sql, SqlDatabase } from "../sql/index.js";
import { type SqliteConnection, type SqliteDriver, sqliteCode } from "./sqlite-driver.js";

/** Milliseconds that a statement or transaction waits for other processes. */
const LOCK_WAIT_MS = 10_000;
/** Milliseconds between two attempts, at first and at most. */
const FIRST_PAUSE_MS = 1;
const MAX_PAUSE_MS = 25;

/** Result codes of SQLite (sqlite3.h). */
const CODES = { busy: 5, locked: 6, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 };

export interface SqliteDatabaseOptions {
  readonly driver: SqliteDriver;
  /** Absolute, or ":memory:". Created by the first statement; its directory must be there. */
  readonly path: string;
  /** Brings the database to the schema that is used here, before all else. */
  prepare(sql: SqlDatabase): Promise<void>;
}

/**
 * The database in a file. Waiting for another process does not block the event loop: SQLite would sleep inside the call, so its own
 * waiting is off, and attempts are repeated here. Statements and transactions of this connection run one after another; `body` of a
 * transaction uses the `Sql` that it gets and awaits nothing else.
 */
export function sqliteDatabase({ driver, path, prepare }: SqliteDatabaseOptions): SqlDatabase {
  let opened: Promise<SqliteConnection> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const connect = async (): Promise<SqliteConnection> => {
    const connection = await patiently(path, () => driver.open(path));
    try {
      for (const pragma of ["busy_timeout = 0", "journal_mode = WAL", "synchronous = FULL"])
        await patiently(path, () => connection.exec(`PRAGMA ${pragma}`));
      await prepare({ ...databaseOn(connection, path), close: async () => undefined });
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  };
  const queued = <T>(act: (database: Omit<SqlDatabase, "close">) => Promise<T>): Promise<T> => {
    if (isClosed) return Promise.reject(closedState());
    const next = last.then(async () => {
      opened ??= connect().catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      return act(databaseOn(await opened, path));
    });
    last = next.catch(() => undefined);
    return next;
  };
  return {
    engine: "sqlite",
    rows: (statement, values) => queued((database) => database.rows(statement, values)),
    run: (statement, values) => queued((database) => database.run(statement, values)),
    transaction: (lock, body) => queued((database) => database.transaction(lock, body)),
    async close() {
      isClosed = true;
      await last;
      const connection = await opened?.catch(() => undefined);
      opened = undefined;
      connection?.close();
    },
  };
}

function databaseOn(connection: SqliteConnection, path: string): Omit<SqlDatabase, "close"> {
  const sql: Sql = {
    engine: "sqlite",
    rows: (statement, values = []) => patiently(path, () => connection.all(numbered(statement), values)),
    run: (statement, values = []) => patiently(path, () => connection.run(numbered(statement), values)),
  };
  return {
    ...sql,
    async transaction(_lock, body) {
      // A deferred transaction that writes later fails at once where another process has written since.
      await patiently(path, () => connection.exec("BEGIN IMMEDIATE"));
      try {
        const result = await body(sql);
        await patiently(path, () => connection.exec("COMMIT"));
        return result;
      } catch (error) {
        // SQLite has rolled back by itself after some errors.
        try {
          connection.exec("ROLLBACK");
        } catch {}
        throw error;
      }
    },
  };
}

/** `$1` is a named parameter in SQLite; `?1` is the first value. */
function numbered(statement: string): string {
  return statement.replace(/\$(\d+)/g, "?$1");
}

/** Repeats an attempt while another process has the database. */
async function patiently<T>(path: string, attempt: () => T): Promise<T> {
  const startedMs = performance.now();
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    try {
      return attempt();
    } catch (error) {
      const code = sqliteCode(error);
      const isBusy = code === CODES.busy || code === CODES.locked;
      const waitedMs = performance.now() - startedMs;
      if (!isBusy || waitedMs > LOCK_WAIT_MS) throw storeError(path, error, waitedMs);
    }
    await pause(pauseMs * (0.5 + Math.random()));
  }
}

/** What an error of SQLite means for whoever has to act on it. */
function storeError(path: string, error: unknown, waitedMs: number): unknown {
  const code = sqliteCode(error);
  if (code === undefined) return error;
  const shown = `"${path}"`;
  const unwritable = (reason: string, next: string) =>
    new HaftError("STORE_UNWRITABLE", `Did not use the state in ${shown}: ${reason}. ${next}`, {
      details: { path, reason },
      cause: error,
    });
  const conflict = (reason: string, next: string) =>
    new HaftError("STORE_CONFLICT", `Did not use the state in ${shown}: ${reason}. ${next}`, { cause: error });
  switch (code) {
    case CODES.busy:
    case CODES.locked:
      return conflict(
        `another process has locked it for the ${Math.round(waitedMs)} ms that this call waited`,
        "Try again later.",
      );
    case CODES.full:
      return unwritable("the disk is full", "Free space; nothing was lost.");
    case CODES.readOnly:
    case CODES.cannotOpen:
      return unwritable(
        messageOf(error),
        "Make it and its directory writable for this user, or use another state directory.",
      );
    case CODES.corrupt:
    case CODES.notADatabase:
      return conflict(
        code === CODES.notADatabase ? "it is not a SQLite database" : "it is damaged",
        "Restore it from a backup, or move it away to start anew.",
      );
    case CODES.ioError:
      return unwritable(messageOf(error), "Check the disk.");
    default:
      return error;
  }
}
