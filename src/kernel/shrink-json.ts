/** Makes a JSON value fit a number of bytes and keeps it valid JSON: the largest strings and lists give way first. */
import { utf8Length } from "../text/index.js";
import type { Cut } from "./result.js";

/** Keeps a whole text somewhere and gives its artifact id; undefined where it could not. */
export type KeepWhole = (what: string, text: string) => Promise<string | undefined>;

interface Holder {
  readonly parent: Record<string, unknown> | unknown[];
  readonly key: string | number;
  readonly path: string;
  readonly bytes: number;
}

const MOST_ROUNDS = 64;

/**
 * A long string becomes `{artifact, bytes}`, a long list its counted head. After 64 rounds, or where nothing is left to
 * shorten, the whole value becomes `{artifact, bytes}`.
 */
export async function shrinkJson(
  value: unknown,
  maxBytes: number,
  keep: KeepWhole,
): Promise<{ readonly value: unknown; readonly cuts: readonly Cut[] }> {
  const whole = JSON.stringify(value) ?? "null";
  const root: unknown[] = [JSON.parse(whole)];
  const cuts: Cut[] = [];
  let size = utf8Length(whole);
  for (let round = 0; round < MOST_ROUNDS && size > maxBytes; round++) {
    const largest = largestIn(root);
    if (largest === undefined) break;
    await shorten(largest, size - maxBytes, keep, cuts);
    size = sizeOf(root[0]);
  }
  if (size <= maxBytes) return { value: root[0], cuts };
  const artifact = await keep("json", whole);
  const bytes = utf8Length(whole);
  const cut = { what: "json", producedBytes: bytes, keptBytes: 0, ...(artifact === undefined ? {} : { artifact }) };
  return { value: artifact === undefined ? { bytes } : { artifact, bytes }, cuts: [cut] };
}

const sizeOf = (value: unknown): number => utf8Length(JSON.stringify(value) ?? "");

/** The string or list whose shortening frees most: the deepest of the large ones, so that small neighbours stay. */
function largestIn(root: unknown[]): Holder | undefined {
  let best: Holder | undefined;
  const visit = (parent: Holder["parent"], key: string | number, path: string): number => {
    const value = (parent as Record<string | number, unknown>)[key];
    if (typeof value === "string") return offer(parent, key, path, utf8Length(value) + 2, 64);
    if (typeof value !== "object" || value === null) return 8;
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    let bytes = 2;
    let most = 0;
    for (const inner of keys) {
      const size = visit(value as Holder["parent"], inner, path === "" ? String(inner) : `${path}.${inner}`);
      bytes += size + 1;
      most = Math.max(most, size);
    }
    const isEvenList = Array.isArray(value) && value.length > 1 && most * 2 < bytes;
    return isEvenList ? offer(parent, key, path, bytes, 64) : bytes;
  };
  const offer = (
    parent: Holder["parent"],
    key: string | number,
    path: string,
    bytes: number,
    least: number,
  ): number => {
    if (bytes > least && (best === undefined || bytes > best.bytes)) best = { parent, key, path, bytes };
    return bytes;
  };
  visit(root, 0, "");
  return best;
}

async function shorten(holder: Holder, over: number, keep: KeepWhole, cuts: Cut[]): Promise<void> {
  const slot = holder.parent as Record<string | number, unknown>;
  const value = slot[holder.key];
  const what = holder.path === "" ? "json" : holder.path;
  const artifact = await keep(what, typeof value === "string" ? value : JSON.stringify(value));
  const kept = artifact === undefined ? {} : { artifact };
  if (typeof value === "string") {
    const bytes = utf8Length(value);
    slot[holder.key] = { ...kept, bytes };
    cuts.push({ what, producedBytes: bytes, keptBytes: 0, ...kept });
    return;
  }
  const list = value as unknown[];
  const share = Math.max(0, (holder.bytes - over - 128) / holder.bytes);
  const head = list.slice(0, Math.min(list.length - 1, Math.floor(list.length * share)));
  const note = { omitted: list.length - head.length, of: list.length, ...kept };
  slot[holder.key] = [...head, note];
  cuts.push({ what, producedBytes: holder.bytes, keptBytes: sizeOf(head), ...kept });
}
