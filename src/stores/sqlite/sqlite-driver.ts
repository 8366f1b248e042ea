/** The two programs that can open a SQLite database: Node.js from 22.13 on, and the package `libsql`. */
import { createRequire } from "node:module";
import { sqliteSupport } from "../../host/index.js";
import { messageOf } from "../../kernel/index.js";
import type { SqlRow, SqlValue } from "../sql/index.js";

/** One connection. Every call blocks until it is done: statements are small, and waiting for locks is done by the caller. */
export interface SqliteConnection {
  /** Statements with `?1` for values. */
  all(statement: string, values: readonly SqlValue[]): readonly SqlRow[];
  run(statement: string, values: readonly SqlValue[]): number;
  exec(statements: string): void;
  close(): void;
}

export interface SqliteDriver {
  /** "node:sqlite" or "libsql". */
  readonly name: string;
  open(path: string): SqliteConnection;
}

/** Prepared statements that a connection keeps. */
const MAX_STATEMENTS = 200;

const require = createRequire(import.meta.url);

/** Undefined where nothing can open a database. What opens it is loaded with the first one. */
export function sqliteDriver(): SqliteDriver | undefined {
  const support = sqliteSupport();
  if (support === undefined) return undefined;
  return support.name === "libsql" ? libsql(support.path) : builtIn();
}

interface Statement {
  all(...values: readonly unknown[]): unknown[];
  run(...values: readonly unknown[]): { readonly changes: number | bigint };
}

interface Database {
  prepare(statement: string): Statement;
  exec(statements: string): unknown;
  close(): void;
}

function builtIn(): SqliteDriver {
  return {
    name: "node:sqlite",
    open(path) {
      const { DatabaseSync } = withoutExperimentalWarning(() => require("node:sqlite")) as {
        readonly DatabaseSync: new (path: string) => Database;
      };
      return connection(new DatabaseSync(path), (values) => values);
    },
  };
}

function libsql(path: string): SqliteDriver {
  return {
    name: "libsql",
    open(file) {
      const Database = require(path) as new (path: string) => Database;
      return connection(new Database(file), (values) => [values]);
    },
  };
}

/** Node.js 22 announces its `sqlite` as experimental at its first use; users of Haft cannot act on that. */
function withoutExperimentalWarning<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (/SQLite/.test(String(warning))) return;
    emitWarning.call(process, warning, ...rest);
  }) as typeof process.emitWarning;
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function connection(
  database: Database,
  argumentsOf: (values: readonly SqlValue[]) => readonly unknown[],
): SqliteConnection {
  const prepared = new Map<string, Statement>();
  const statementOf = (text: string): Statement => {
    const found = prepared.get(text) ?? database.prepare(text);
    if (prepared.size >= MAX_STATEMENTS) prepared.clear();
    prepared.set(text, found);
    return found;
  };
  return {
    all: (statement, values) =>
      statementOf(statement)
        .all(...argumentsOf(values))
        .map(rowOf),
    run: (statement, values) => Number(statementOf(statement).run(...argumentsOf(values)).changes),
    exec: (statements) => void database.exec(statements),
    close: () => database.close(),
  };
}

/** `libsql` returns blobs as `ArrayBuffer`. */
function rowOf(row: unknown): SqlRow {
  const found = row as Record<string, SqlValue | ArrayBuffer>;
  for (const [name, value] of Object.entries(found))
    if (value instanceof ArrayBuffer) found[name] = new Uint8Array(value);
  return found as SqlRow;
}

/**
 * The result code of SQLite in an error, without its extension: 5 is SQLITE_BUSY. Undefined for another error. `libsql` has the code
 * of a database that cannot be opened in the message alone.
 */
export function sqliteCode(error: unknown): number | undefined {
  const { errcode, rawCode } = error as { readonly errcode?: unknown; readonly rawCode?: unknown };
  const code =
    typeof errcode === "number"
      ? errcode
      : (rawCode ?? /^ConnectionFailed\(.*: (\d+)"?\)$/s.exec(messageOf(error))?.[1]);
  return code === undefined || Number.isNaN(Number(code)) ? undefined : Number(code) & 0xff;
}
