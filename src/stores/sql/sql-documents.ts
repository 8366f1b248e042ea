/** Documents with versions in a table, for both engines. */
import { newNonce } from "../../host/index.js";
import {
  type DocumentQuery,
  documentText,
  endedSession,
  HaftError,
  type Json,
  requireDocumentKey,
  type StoredDocument,
} from "../../kernel/index.js";
import { compareUtf8 } from "../../text/index.js";
import type { CountedDocuments } from "../document-approvals.js";
import type { Sql, SqlDatabase, SqlRow, SqlValue } from "./sql.js";

/** Attempts on PostgreSQL that wait for no other. */
const QUICK_ATTEMPTS = 3;
/** Milliseconds for which an update is attempted again. */
const UPDATE_WAIT_MS = 10_000;
/** How many documents, of at most 1 MiB each, are read at once. */
const PAGE = 16;
/** No session has this id. */
const HOST = "";

/** Conditions on the documents of a collection, on one of them, and on one that is as it was read. */
const OWN = "session = $1 AND collection = $2";
const ONE = `${OWN} AND key = $3`;
const UNCHANGED = `${ONE} AND version = $4`;
const READ = "SELECT key, version, value FROM haft_documents WHERE";

export interface SqlDocumentsOptions {
  readonly database: SqlDatabase;
  readonly collection: string;
  /** Absent: of the host. Without `version`: of whichever session has the id, opened or not. */
  readonly session?: { readonly id: string; readonly version?: string };
}

type Change = (old: Json | undefined, version: string | undefined) => Json | undefined;

/**
 * The documents of one collection. On SQLite an update is a transaction. On PostgreSQL it is written if the document still has the
 * version that was read; after three misses, those who miss wait for each other.
 */
export function sqlDocuments(options: SqlDocumentsOptions): CountedDocuments {
  return new TableDocuments(options);
}

class TableDocuments implements CountedDocuments {
  readonly #database: SqlDatabase;
  readonly #place: readonly [session: string, collection: string];
  /** Of the session. */
  readonly #version: string | undefined;

  constructor({ database, collection, session }: SqlDocumentsOptions) {
    this.#database = database;
    this.#place = [session?.id ?? HOST, collection];
    this.#version = session?.version;
  }

  async get(key: string): Promise<StoredDocument | undefined> {
    this.#requireNames(key);
    return this.#read(this.#database, key);
  }

  async update(key: string, change: Change): Promise<StoredDocument | undefined> {
    this.#requireNames(key);
    const isShared = this.#database.engine === "postgres";
    for (let count = 0; isShared && count < QUICK_ATTEMPTS; count += 1) {
      const done = await this.#attempt(this.#database, key, change);
      if (done !== undefined) return done.stored;
    }
    const startedMs = performance.now();
    return this.#database.transaction(`document:${JSON.stringify([...this.#place, key])}`, async (sql) => {
      for (;;) {
        const done = await this.#attempt(sql, key, change, isShared ? " FOR UPDATE" : "");
        if (done !== undefined) return done.stored;
        if (performance.now() - startedMs > UPDATE_WAIT_MS) throw busy(key);
      }
    });
  }

  async count(): Promise<number> {
    this.#requireNames();
    const [row] = await this.#database.rows(`SELECT COUNT(*) AS n FROM haft_documents WHERE ${OWN}`, this.#place);
    return Number(row?.n ?? 0);
  }

  async *list({ prefix = "", after = "", limit = Number.POSITIVE_INFINITY }: DocumentQuery = {}) {
    this.#requireNames();
    // The keys with a prefix follow each other, beginning at the prefix itself.
    const isAfter = compareUtf8(after, prefix) >= 0;
    let [from, comparison] = isAfter ? [storable(after), ">"] : [storable(prefix), ">="];
    for (let left = limit; left > 0; ) {
      const wanted = Math.min(PAGE, left);
      const statement = `${READ} ${OWN} AND key ${comparison} $3${this.#isLive(5)} ORDER BY key LIMIT $4`;
      const rows = await this.#database.rows(statement, [...this.#place, from, wanted, ...this.#versions()]);
      for (const row of rows) {
        const found = documentIn(row);
        if (!found.key.startsWith(prefix)) return;
        yield found;
      }
      if (rows.length < wanted) return;
      left -= rows.length;
      [from, comparison] = [String(rows.at(-1)?.key), ">"];
    }
  }

  /** One attempt; undefined when another writer was faster. */
  async #attempt(
    sql: Sql,
    key: string,
    change: Change,
    lock = "",
  ): Promise<{ readonly stored: StoredDocument | undefined } | undefined> {
    const old = await this.#read(sql, key, lock);
    if (old === undefined) await this.#requireLive(sql, key);
    const next = change(old?.value, old?.version);
    if (next !== undefined) {
      const stored = await this.#write(sql, key, documentText(key, next), old?.version);
      return stored && { stored };
    }
    const isDone = old === undefined || (await this.#delete(sql, key, old.version));
    return isDone ? { stored: undefined } : undefined;
  }

  async #read(sql: Sql, key: string, lock = ""): Promise<StoredDocument | undefined> {
    const statement = `${READ} ${ONE}${this.#isLive(4)}${lock}`;
    const [row] = await sql.rows(statement, [...this.#place, key, ...this.#versions()]);
    return row && documentIn(row);
  }

  async #write(sql: Sql, key: string, text: string, old: string | undefined): Promise<StoredDocument | undefined> {
    const version = newNonce();
    const changed =
      old === undefined
        ? await this.#insert(sql, [key, version, text])
        : await sql.run(`UPDATE haft_documents SET version = $5, value = $6 WHERE ${UNCHANGED}`, [
            ...[...this.#place, key, old],
            ...[version, text],
          ]);
    return changed === 1 ? { key, version, value: JSON.parse(text) } : undefined;
  }

  /** Stores a document where there was none. The row of its session is locked until then: its end waits, and deletes this too. */
  #insert(sql: Sql, values: readonly [key: string, version: string, text: string]): Promise<number> {
    const into = "INSERT INTO haft_documents (session, collection, key, version, value)";
    const row: readonly SqlValue[] = [...this.#place, ...values];
    if (this.#version === undefined) return sql.run(`${into} VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`, row);
    const lock = sql.engine === "postgres" ? " FOR KEY SHARE" : "";
    const source = `SELECT $1, $2, $3, $4, $5 FROM haft_sessions WHERE id = $1 AND version = $6${lock}`;
    return sql.run(`${into} ${source} ON CONFLICT DO NOTHING`, [...row, this.#version]);
  }

  async #delete(sql: Sql, key: string, version: string): Promise<boolean> {
    return (await sql.run(`DELETE FROM haft_documents WHERE ${UNCHANGED}`, [...this.#place, key, version])) === 1;
  }

  async #requireLive(sql: Sql, key: string): Promise<void> {
    if (this.#version === undefined) return;
    const statement = "SELECT 1 AS live FROM haft_sessions WHERE id = $1 AND version = $2";
    const found = await sql.rows(statement, [this.#place[0], this.#version]);
    if (found.length === 0) throw endedSession(`the document ${JSON.stringify(key)}`);
  }

  /** A condition that holds as long as the session has not ended; `at` is the number of its value. */
  #isLive(at: number): string {
    if (this.#version === undefined) return "";
    return ` AND EXISTS (SELECT 1 FROM haft_sessions WHERE id = $1 AND version = $${at})`;
  }

  #versions(): readonly string[] {
    return this.#version === undefined ? [] : [this.#version];
  }

  #requireNames(...keys: readonly string[]): void {
    const [session, collection] = this.#place;
    for (const name of [...(session === HOST ? [] : [session]), collection, ...keys]) requireDocumentKey(name);
  }
}

/** No key has a NUL, so that what follows one decides nothing in a comparison; PostgreSQL takes no text with one. */
function storable(bound: string): string {
  return bound.split("\0", 1)[0] ?? "";
}

/** The value is parsed when it is used: sessions ask for the same document at each call. */
function documentIn(row: SqlRow): StoredDocument {
  const [key, version, text] = [String(row.key), String(row.version), String(row.value)];
  return {
    key,
    version,
    get value(): Json {
      try {
        return JSON.parse(text);
      } catch (error) {
        throw new HaftError(
          "STORE_CONFLICT",
          `Did not use the document ${JSON.stringify(key)}: what is stored is damaged. Restore the database from a backup.`,
          { cause: error },
        );
      }
    },
  };
}

function busy(key: string): HaftError {
  return new HaftError(
    "STORE_CONFLICT",
    `Did not store the document ${JSON.stringify(key)}: others changed it for ${UPDATE_WAIT_MS / 1000} s without a pause. Try again later.`,
  );
}
