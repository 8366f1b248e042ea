/** An entry as a Markdown file: what is known of it above, its content below. */
import { sha256 } from "../../../../host/index.js";
import type { MemoryContent, MemoryEntry } from "../../../../kernel/index.js";
import { hasLoneSurrogate } from "../../../../text/index.js";

const FENCE = "---";
/** Characters of a key in the name of its file. */
const MAX_NAME = 60;
const HASH_DIGITS = 10;

/** Readable, and different for each key on every file system. */
export function entryFileName(key: string): string {
  const readable = key
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}_-]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_NAME);
  return `${readable === "" ? "entry" : readable}.${sha256(key).slice(0, HASH_DIGITS)}.md`;
}

/** Values are JSON, which is YAML too. What UTF-8 cannot hold is above, escaped. */
export function entryText(entry: MemoryEntry): string {
  const { key, category, tags, storedMs, session, importance, pinned, content } = entry;
  const isBelow = !hasLoneSurrogate(content) && !content.includes("\0");
  const facts = Object.entries({
    key,
    category,
    tags: tags.length === 0 ? undefined : tags,
    stored: new Date(storedMs).toISOString(),
    session,
    importance,
    pinned: pinned ? true : undefined,
    content: isBelow ? undefined : content,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`]));
  return `${[FENCE, ...facts, FENCE].join("\n")}\n${isBelow ? `${content}\n` : ""}`;
}

/** The entry of a file, or why it is not one, as a clause. */
export function parseEntry(text: string): MemoryContent | string {
  const lines = text.replace(/^\ufeff/, "").split("\n");
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === FENCE);
  if (lines[0]?.trimEnd() !== FENCE || end < 0) return `it does not begin with facts between two lines of "${FENCE}"`;
  const facts: Record<string, unknown> = {};
  for (const [at, line] of lines.slice(1, end).entries()) {
    const [, name, value] = /^([a-z]+):\s*(.+?)\s*$/s.exec(line) ?? [];
    if (name === undefined || value === undefined) return `line ${at + 2} is not "name: value"`;
    facts[name] = parsedValue(value);
  }
  return contentOf(
    facts,
    lines
      .slice(end + 1)
      .join("\n")
      .replace(/\n$/, ""),
  );
}

/** A value that is not JSON is a text without quotes, as a user may have typed it. */
function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function contentOf(facts: Readonly<Record<string, unknown>>, below: string): MemoryContent | string {
  const { key, category = "core", tags = [], stored, session, importance, pinned = false, content = below } = facts;
  if (typeof key !== "string") return "it states no key";
  if (typeof category !== "string") return "its category is not a text";
  if (typeof content !== "string") return "its content is not a text";
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === "string")) return "its tags are not a list of texts";
  if (session !== undefined && typeof session !== "string") return "its session is not a text";
  if (importance !== undefined && typeof importance !== "number") return "its importance is not a number";
  if (typeof pinned !== "boolean") return "`pinned` is neither true nor false";
  const storedMs = stored === undefined ? undefined : Date.parse(String(stored));
  if (Number.isNaN(storedMs)) return "its time is not a date";
  return {
    ...{ key, category, tags, pinned, content },
    ...(session === undefined ? {} : { session }),
    ...(importance === undefined ? {} : { importance }),
    ...(storedMs === undefined ? {} : { storedMs }),
  };
}
