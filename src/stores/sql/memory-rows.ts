/** Entries as they are stored. */
import type { MemoryEntry } from "../../kernel/index.js";
import type { SqlRow } from "./sql.js";

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
