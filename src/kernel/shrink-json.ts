/** Shrinks a JSON value to a number of bytes and keeps it valid: the largest strings and lists are replaced first. */
import { utf8Length } from "../text/index.js";
import type { Json, Truncation } from "./result.js";

/** Keeps a whole text somewhere and gives its artifact id; undefined where it could not. */
type KeepWhole = (what: string, text: string) => Promise<string | undefined>;

interface Holder {
  readonly parent: Record<string, unknown> | unknown[];
  readonly key: string | number;
  readonly path: string;
  readonly bytes: number;
}

/** A string or list no larger than this would hardly be shorter as a note. */
const MIN_SHORTENED_BYTES = 64;
/** Maximum number of parts that are replaced before the whole value is. */
const MAX_SHORTENED = 64;

/**
 * A long string becomes `{artifact, bytes}`, a long list its first items and a count. If 64 of them are not enough, or nothing
 * is left to shorten, the whole value becomes `{artifact, bytes}`. Linear in the value: it is searched again only after
 * something in it was replaced.
 */
export async function shrinkJson(
  value: unknown,
  maxBytes: number,
  keep: KeepWhole,
): Promise<{ readonly value: Json; readonly truncations: readonly Truncation[] }> {
  const whole = JSON.stringify(value) ?? "null";
  const root: [Json] = [JSON.parse(whole)];
  const truncations: Truncation[] = [];
  let size = utf8Length(whole);
  while (size > maxBytes && truncations.length < MAX_SHORTENED) {
    const found = largestIn(root, MAX_SHORTENED - truncations.length);
    const most = found.reduce((sum, { bytes }) => sum + bytes, 0);
    if (size - most > maxBytes || found.length === 0) break;
    const gone: string[] = [];
    for (const holder of found) {
      if (size <= maxBytes) break;
      // The parts of a shortened list are measured again.
      if (gone.some((path) => holder.path.startsWith(path))) continue;
      const before = sizeOf(held(holder));
      await shorten(holder, size - maxBytes, keep, truncations);
      size += sizeOf(held(holder)) - before;
      if (Array.isArray(held(holder))) gone.push(holder.path);
    }
  }
  if (size <= maxBytes) return { value: root[0], truncations };
  const artifact = await keep("json", whole);
  const bytes = utf8Length(whole);
  const truncation = {
    what: "json",
    producedBytes: bytes,
    keptBytes: 0,
    ...(artifact === undefined ? {} : { artifact }),
  };
  return { value: artifact === undefined ? { bytes } : { artifact, bytes }, truncations: [truncation] };
}

const sizeOf = (value: unknown): number => utf8Length(JSON.stringify(value) ?? "");

const held = ({ parent, key }: Holder): unknown => (parent as Record<string | number, unknown>)[key];

/** The strings and lists whose shortening frees most, largest first; a list only if no single item is most of it. */
function largestIn(root: unknown[], count: number): readonly Holder[] {
  const found: Holder[] = [];
  const visit = (parent: Holder["parent"], key: string | number, path: string): number => {
    const value = held({ parent, key } as Holder);
    if (typeof value === "string") return offer({ parent, key, path, bytes: utf8Length(value) + 2 });
    if (typeof value !== "object" || value === null) return 8;
    let bytes = 2;
    let most = 0;
    for (const inner of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      const size = visit(value as Holder["parent"], inner, path === "" ? String(inner) : `${path}.${inner}`);
      bytes += size + 1;
      most = Math.max(most, size);
    }
    const isEvenList = Array.isArray(value) && value.length > 1 && most * 2 < bytes;
    return isEvenList ? offer({ parent, key, path, bytes }) : bytes;
  };
  const offer = (holder: Holder): number => {
    if (holder.bytes > MIN_SHORTENED_BYTES) found.push(holder);
    return holder.bytes;
  };
  visit(root, 0, "");
  return found.sort((a, b) => b.bytes - a.bytes).slice(0, count);
}

async function shorten(holder: Holder, over: number, keep: KeepWhole, truncations: Truncation[]): Promise<void> {
  const slot = holder.parent as Record<string | number, unknown>;
  const value = slot[holder.key];
  const what = holder.path === "" ? "json" : holder.path;
  const artifact = await keep(what, typeof value === "string" ? value : JSON.stringify(value));
  const kept = artifact === undefined ? {} : { artifact };
  if (typeof value === "string") {
    const bytes = utf8Length(value);
    slot[holder.key] = { ...kept, bytes };
    truncations.push({ what, producedBytes: bytes, keptBytes: 0, ...kept });
    return;
  }
  const list = value as unknown[];
  const share = Math.max(0, (holder.bytes - over - 128) / holder.bytes);
  const head = list.slice(0, Math.min(list.length - 1, Math.floor(list.length * share)));
  const note = { omitted: list.length - head.length, of: list.length, ...kept };
  slot[holder.key] = [...head, note];
  truncations.push({ what, producedBytes: holder.bytes, keptBytes: sizeOf(head), ...kept });
}
