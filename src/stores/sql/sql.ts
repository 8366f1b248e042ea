/** What the stores on SQL need from an engine. Statements are written once, for both, where the engines agree. */

/** Whole numbers beyond 2^53 are not stored. */
export type SqlValue = string | number | null | Uint8Array;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** Statements have `$1`, `$2` for their values; each number stands for one value and may be used again. */
export interface Sql {
  readonly engine: "sqlite" | "postgres";
  /** The rows that a statement returns. */
  rows(statement: string, values?: readonly SqlValue[]): Promise<readonly SqlRow[]>;
  /** How many rows a statement has changed. */
  run(statement: string, values?: readonly SqlValue[]): Promise<number>;
}

/**
 * One database. Rejects with `STORE_CONFLICT` when it is locked for 10 s or damaged, `STORE_UNWRITABLE` when it is full, read-only
 * or away, `STORE_CLOSED` after `close`.
 */
export interface SqlDatabase extends Sql {
  /**
   * Runs `body` in a transaction, which is rolled back when it throws. On SQLite one transaction at a time has the database. On
   * PostgreSQL those of one `lock` exclude each other, on all hosts, and others run beside them.
   */
  transaction<T>(lock: string, body: (sql: Sql) => Promise<T>): Promise<T>;
  /** Runs `body`, which only reads: all its statements see the database as it was at the first one, whatever others change meanwhile. */
  snapshot<T>(body: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
