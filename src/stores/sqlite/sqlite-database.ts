/** A SQLite database that any number of processes use at once. */
import { randomBytes } from "node:crypto";
import { closeSync, linkSync, lstatSync, openSync, renameSync, rmSync, type Stats, statfsSync } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { closedState, HaftError, messageOf, shortageOf, systemCode } from "../../kernel/index.js";
import type { Sql, SqlDatabase } from "../sql/index.js";
import { type SqliteConnection, type SqliteDriver, sqliteCode } from "./sqlite-driver.js";

/** Milliseconds that a statement or transaction waits for other processes. */
const LOCK_WAIT_MS = 10_000;
/** Milliseconds between two attempts, at first and at most. */
const FIRST_PAUSE_MS = 1;
const MAX_PAUSE_MS = 25;

/** Bytes with which a database that is small can be opened and changed. */
const SPACE_BYTES = 96 * 1024;

/** Result codes of SQLite (sqlite3.h). */
const CODES = { busy: 5, locked: 6, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cannotOpen: 14, notADatabase: 26 };

/** The files with changes that are not in the database yet. */
const LOGS = ["-wal", "-journal"];

/** "Haft" in ASCII: `application_id` of the header, which says whose SQLite file it is. */
const APPLICATION_ID = 0x48616674;

export interface SqliteDatabaseOptions {
  readonly driver: SqliteDriver;
  /** Absolute. Created by the first statement, with mode 0600; its directory must be there. A symlink is refused. */
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
    createPrivate(driver, path);
    const connection = await patiently(path, () => driver.open(path));
    const pragma = (text: string) => patiently(path, () => connection.exec(`PRAGMA ${text}`));
    try {
      await pragma("busy_timeout = 0");
      if (await patiently(path, () => isNew(connection, path))) await pragma(`application_id = ${APPLICATION_ID}`);
      await pragma("journal_mode = WAL");
      await pragma("synchronous = FULL");
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
    snapshot: (body) => queued((database) => database.snapshot(body)),
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
  const within = async <T>(begin: string, body: (sql: Sql) => Promise<T>): Promise<T> => {
    await patiently(path, () => connection.exec(begin));
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
  };
  return {
    ...sql,
    // A deferred transaction that writes later fails at once where another process has written since.
    transaction: (_lock, body) => within("BEGIN IMMEDIATE", body),
    snapshot: (body) => within("BEGIN DEFERRED", body),
  };
}

/**
 * SQLite gives its other files the mode of the database. A file that exists is not opened here: closing it would end the locks that
 * other connections of this process have on it.
 *
 * A new database gets its name only once it has its header: an empty file has therefore lost its contents.
 * The log of a database that is gone would be played into a new one of its name.
 */
function createPrivate(driver: SqliteDriver, path: string): void {
  const found = statOf(path);
  if (found?.isFile() && found.size > 0) return;
  if (found?.isFile()) throw conflict(path, "it is empty, so that what it held is lost", restored(path));
  const advice = "Move it away, or use another state directory.";
  if (found !== undefined) throw conflict(path, `it is ${found.isSymbolicLink() ? "a symlink" : "not a file"}`, advice);
  const left = LOGS.map((suffix) => path + suffix).find((log) => (statOf(log)?.size ?? 0) > 0);
  // Another process may have created the database meanwhile, with this log.
  if (left !== undefined && statOf(path) === undefined)
    throw conflict(path, `it is missing, and "${basename(left)}" has changes of it`, returned(path, left));
  const unnamed = `${path}-${randomBytes(6).toString("hex")}`;
  try {
    closeSync(openSync(unnamed, "wx", 0o600));
    const connection = driver.open(unnamed);
    try {
      connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    } finally {
      connection.close();
    }
    giveName(unnamed, path);
  } catch (error) {
    throw sqliteCode(error) === undefined ? systemError(path, error) : storeError(path, error, 0);
  } finally {
    rmSync(unnamed, { force: true });
  }
}

/** Does nothing where another process was faster. */
function giveName(unnamed: string, path: string): void {
  try {
    linkSync(unnamed, path);
  } catch (error) {
    // A disk without hard links refuses them whether or not the name is taken.
    if (statOf(path) !== undefined) return;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(systemCode(error) ?? "")) throw error;
    renameSync(unnamed, path); // a disk without hard links, such as exFAT
  }
}

/** Undefined for what is not there. @throws `STORE_UNWRITABLE` where nothing can be. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw systemError(path, error);
  }
}

/** Whether there is nothing in it yet. @throws `STORE_CONFLICT` for the database of another program, in which nothing was changed. */
function isNew(connection: SqliteConnection, path: string): boolean {
  const idOf = () => Number(connection.all("PRAGMA application_id", [])[0]?.application_id);
  if (idOf() === APPLICATION_ID) return false;
  const tables = Number(connection.all("SELECT COUNT(*) AS n FROM sqlite_master", [])[0]?.n);
  // Another process may have begun meanwhile.
  if (tables === 0 || idOf() === APPLICATION_ID) return tables === 0;
  throw conflict(path, "it is a database of another program", "Move it away, or use another state directory.");
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

function conflict(path: string, reason: string, next: string, cause?: unknown): HaftError {
  return new HaftError("STORE_CONFLICT", `Did not use the state in "${path}": ${reason}. ${next}`, {
    details: { path, reason },
    ...(cause === undefined ? {} : { cause }),
  });
}

function unwritable(path: string, reason: string, next: string, cause: unknown): HaftError {
  return new HaftError("STORE_UNWRITABLE", `Did not use the state in "${path}": ${reason}. ${next}`, {
    details: { path, reason },
    cause,
  });
}

const MAKE_WRITABLE = "Make it and its directory writable for this user, or use another state directory.";

/** The error for a database that cannot be created. */
function systemError(path: string, error: unknown): HaftError {
  const shortage = shortageOf(error);
  if (shortage !== undefined) return unwritable(path, shortage.why, `${shortage.next}.`, error);
  return unwritable(path, messageOf(error), MAKE_WRITABLE, error);
}

/** What an error of SQLite means for whoever has to act on it. */
function storeError(path: string, error: unknown, waitedMs: number): unknown {
  switch (sqliteCode(error)) {
    case CODES.busy:
    case CODES.locked:
      return conflict(
        path,
        `another process has locked it for the ${Math.round(waitedMs)} ms that this call waited`,
        "Try again later.",
        error,
      );
    case CODES.full:
      return unwritable(path, "the disk is full", FREE_SPACE, error);
    case CODES.readOnly:
      return unwritable(path, "it cannot be written", MAKE_WRITABLE, error);
    case CODES.cannotOpen:
      return unwritable(path, "it cannot be opened", MAKE_WRITABLE, error);
    case CODES.corrupt:
      return conflict(path, "it is damaged", restored(path), error);
    case CODES.notADatabase:
      return conflict(path, "it is not a SQLite database", restored(path), error);
    case CODES.ioError:
      // SQLite reports so when the file that processes share cannot grow.
      if (isFull(path)) return unwritable(path, "the disk is full", FREE_SPACE, error);
      return unwritable(path, messageOf(error), "Check the disk, and what limits the size of files.", error);
    default:
      return error;
  }
}

function isFull(path: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < SPACE_BYTES;
  } catch {
    return false;
  }
}

const FREE_SPACE = "Free some space there; nothing was lost.";

/** What is left of its log must not meet another database. */
function restored(path: string): string {
  const [name, wal, shm] = ["", "-wal", "-shm"].map((suffix) => `"${basename(path)}${suffix}"`);
  return `Move ${name}, ${wal} and ${shm} away; then restore it from a backup, or start anew.`;
}

function returned(path: string, log: string): string {
  const [name, left, shm] = [path, log, `${path}-shm`].map((one) => `"${basename(one)}"`);
  return `Put ${name} back beside it, or move ${left} and ${shm} away to start anew.`;
}
