/** Rows that come from another store. */
import type { SessionInfo } from "../../kernel/index.js";
import type { Sql } from "./sql.js";
import { COLLECTIONS, collectionOf } from "./sql-state.js";

/** A document of another store: of a collection, a request for approval, or what was approved. */
export interface MovedRow {
  readonly kind: "document" | "request" | "approved";
  readonly collection?: string;
  readonly session?: string;
  readonly key: string;
  readonly version: string;
  /** As JSON. */
  readonly text: string;
}

/** Puts these in the place of all sessions, documents and approvals. */
export async function replaceRows(
  sql: Sql,
  sessions: Iterable<SessionInfo>,
  documents: Iterable<MovedRow>,
): Promise<void> {
  for (const table of ["haft_sessions", "haft_documents"]) await sql.run(`DELETE FROM ${table}`);
  for (const { id, version, owner, isTemporary, createdMs, usedMs } of sessions)
    await sql.run(
      "INSERT INTO haft_sessions (id, version, owner, is_temporary, created_ms, used_ms) VALUES ($1, $2, $3, $4, $5, $6)",
      [id, version, owner ?? null, isTemporary ? 1 : 0, Math.floor(createdMs), Math.floor(usedMs)],
    );
  for (const { session = "", key, version, text, ...about } of documents)
    await sql.run(
      "INSERT INTO haft_documents (session, collection, key, version, value) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
      [session, placeOf(about), key, version, text],
    );
}

function placeOf({ kind, collection = "" }: Pick<MovedRow, "kind" | "collection">): string {
  if (kind === "document") return collectionOf(collection);
  return kind === "request" ? COLLECTIONS.requests : COLLECTIONS.approved;
}
