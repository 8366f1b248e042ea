/** Entries as they are stored. */
import type { MemoryEntry, MemoryQuery } from "../../kernel/index.js";
import type { Sql, SqlRow, SqlValue } from "./sql.js";

/** Entries that a search compares one by one. */
export const MAX_CANDIDATES = 400;
/** Characters of an entry that are compared; the index has all of them. */
export const COMPARED = 4_096;

/** What `memoryOf` reads, of the row `m`. */
export const COLUMNS =
  "m.number, m.id, m.key, m.content, m.category, m.tags, m.session, m.importance, m.pinned, m.stored_ms, m.superseded_by";
/** The current entries of the namespace `$1`. */
export const CURRENT = `FROM haft_memories m WHERE m.namespace = $1 AND m.superseded_by IS NULL`;

export function memoryOf(row: SqlRow): MemoryEntry {
  return {
    id: String(row.id),
    key: String(row.key),
    content: originalText(String(row.content)),
    category: String(row.category),
    tags: JSON.parse(`[${String(row.tags).slice(1, -1)}]`),
    storedMs: Number(row.stored_ms),
    pinned: Number(row.pinned) === 1,
    ...(row.session === null ? {} : { session: String(row.session) }),
    ...(row.importance === null ? {} : { importance: Number(row.importance) }),
    ...(row.superseded_by === null ? {} : { supersededBy: String(row.superseded_by) }),
  };
}

/** What no database keeps in a text: NUL and lone surrogates. The rest stays as it is, so that it can be searched. */
const ESCAPED = /[\\\0]|[\ud800-\udfff]/gu;

export function storableText(text: string): string {
  return text.replace(ESCAPED, (one) =>
    one === "\\" ? "\\\\" : `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function originalText(stored: string): string {
  if (!stored.includes("\\")) return stored;
  return stored.replace(/\\(?:\\|u([0-9a-f]{4}))/g, (_, code?: string) =>
    code === undefined ? "\\" : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/** The namespace that is searched. */
export interface SearchedNamespace {
  readonly number: number;
  /** How many entries it has. */
  readonly entries: number;
}

/** An entry that may be meant. */
export interface FoundRow {
  readonly number: number;
  readonly key: string;
  readonly content: string;
  readonly storedMs: number;
  readonly vector?: Float32Array;
}

/** What `foundRow` reads, of the row `m`. */
export function candidateColumns({ vector }: MemoryQuery, content = `substr(m.content, 1, ${COMPARED})`): string {
  return `m.number, m.key, ${content} AS content, m.stored_ms, ${vector === undefined ? "NULL" : "m.vector"} AS vector`;
}

export function foundRow(row: SqlRow): FoundRow {
  const bytes = row.vector as Uint8Array | null;
  return {
    number: Number(row.number),
    key: String(row.key),
    content: String(row.content),
    storedMs: Number(row.stored_ms),
    ...(bytes === null ? {} : { vector: new Float32Array(Uint8Array.from(bytes).buffer) }),
  };
}

const CONTAINS = { sqlite: "instr", postgres: "strpos" };

/** What an entry must be besides, for the row `m`. `first` is the number of the first value. */
export function filterOf(
  engine: Sql["engine"],
  { category, tags = [], sinceMs, untilMs }: Pick<MemoryQuery, "category" | "tags" | "sinceMs" | "untilMs">,
  first: number,
): { readonly condition: string; readonly values: readonly SqlValue[] } {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: (value: string) => string, value: SqlValue): void => {
    conditions.push(` AND ${condition(`$${first + values.length}`)}`);
    values.push(value);
  };
  // No category has a NUL, which a database may refuse.
  if (category !== undefined) add((value) => `m.category = ${value}`, category.replaceAll("\0", "\u0001"));
  if (sinceMs !== undefined) add((value) => `m.stored_ms >= ${value}`, Math.ceil(sinceMs));
  if (untilMs !== undefined) add((value) => `m.stored_ms < ${value}`, Math.ceil(untilMs));
  for (const tag of tags) add((value) => `${CONTAINS[engine]}(m.tags, ${value}) > 0`, tagsText([tag]));
  return { condition: conditions.join(""), values };
}

/** Tags as they are stored: each as JSON between commas, so that the text of one tag occurs where it is one of the list, and nowhere else. */
export function tagsText(tags: readonly string[]): string {
  return tags.length === 0 ? "," : `,${tags.map((tag) => JSON.stringify(tag)).join(",")},`;
}
