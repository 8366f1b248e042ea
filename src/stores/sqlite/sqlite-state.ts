/** The state in one SQLite file, which any number of processes of this machine may use at once. */
import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { closedState } from "../../kernel/index.js";
import {
  prepareSchema,
  type SchemaOptions,
  type Sql,
  type SqlDatabase,
  type SqlState,
  type SqlStateOptions,
  sqlState,
} from "../sql/index.js";
import { sqliteDatabase } from "./sqlite-database.js";
import type { SqliteDriver } from "./sqlite-driver.js";

export interface SqliteStateOptions
  extends SchemaOptions,
    Pick<SqlStateOptions, "directories" | "isHeld" | "requireFree"> {
  readonly driver: SqliteDriver;
  readonly path: string;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
  /** Before the database is opened, and so created: makes its directory. Default: it is there. */
  beforeOpen?(): void;
  /** Before each change. @throws where nothing must be changed. */
  beforeChange?(): void;
  /** Whether there is something to take over. Otherwise there is nothing to read while there is no database. Default false. */
  hasMore?(): boolean;
}

export interface SqliteState extends SqlState {
  /** Whether this process has used the database. */
  isOpen(): boolean;
  /** Whether there is a database. */
  exists(): boolean;
}

/** Opens nothing until it is used, and creates nothing until something is stored. */
export function sqliteState(options: SqliteStateOptions): SqliteState {
  const path = resolve(options.path);
  const { now = Date.now, isHeld, requireFree, directories = filesOf(path) } = options;
  const database = new LazyDatabase({ ...options, path });
  const state = sqlState({
    database,
    now: async () => now(),
    directories,
    ...(isHeld === undefined ? {} : { isHeld }),
    ...(requireFree === undefined ? {} : { requireFree }),
  });
  return {
    ...state,
    problem: async () => (isThere(path) ? state.problem() : undefined),
    isOpen: () => database.isOpen,
    exists: () => isThere(path),
  };
}

class LazyDatabase implements SqlDatabase {
  readonly engine = "sqlite";
  readonly #options: SqliteStateOptions;
  readonly #database: SqlDatabase;
  #isOpen = false;
  #isClosed = false;

  constructor(options: SqliteStateOptions) {
    const { driver, path, takeOver } = options;
    this.#options = options;
    const prepare = (sql: SqlDatabase) => prepareSchema(sql, takeOver === undefined ? {} : { takeOver });
    this.#database = sqliteDatabase({ driver, path, prepare });
  }

  /** Whether this process has used it. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  async rows(...statement: Parameters<SqlDatabase["rows"]>) {
    const { path, hasMore } = this.#options;
    if (this.#isClosed) throw closedState();
    if (!this.#isOpen && !isThere(path) && hasMore?.() !== true) return [];
    return this.#opened().rows(...statement);
  }

  async run(...statement: Parameters<SqlDatabase["run"]>): Promise<number> {
    return this.#changed().run(...statement);
  }

  async transaction<T>(lock: string, body: (sql: Sql) => Promise<T>): Promise<T> {
    return this.#changed().transaction(lock, body);
  }

  async snapshot<T>(body: (sql: Sql) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closedState();
    // Without a database each statement reads nothing.
    return isThere(this.#options.path) ? this.#opened().snapshot(body) : body(this);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#database.close();
  }

  #changed(): SqlDatabase {
    if (this.#isClosed) throw closedState();
    this.#options.beforeChange?.();
    return this.#opened();
  }

  #opened(): SqlDatabase {
    if (!this.#isOpen) this.#options.beforeOpen?.();
    this.#isOpen = true;
    return this.#database;
  }
}

/** Whatever it is. Where that cannot be seen, as in a directory of another user, opening it says why. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** The files of a database, under each name of their directory. */
function filesOf(path: string): readonly string[] {
  const names = [path, join(realDirectory(dirname(path)), basename(path))];
  return [...new Set(names)].flatMap((one) => ["", "-wal", "-shm"].map((suffix) => `${one}${suffix}`));
}

function realDirectory(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
