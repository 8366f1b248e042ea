import type { DocumentQuery, StoredDocument } from "../kernel/index.js";
import { compareUtf8 } from "../text/index.js";

/** What `Documents.list` yields of these keys, in the order of their UTF-8 bytes. `read` gives undefined for what is gone. */
export function* listDocuments(
  keys: Iterable<string>,
  { prefix = "", after, limit = Number.POSITIVE_INFINITY }: DocumentQuery = {},
  read: (key: string) => StoredDocument | undefined,
): Generator<StoredDocument, void> {
  const asked = [...keys].filter(
    (key) => key.startsWith(prefix) && (after === undefined || compareUtf8(key, after) > 0),
  );
  let left = limit;
  for (const key of asked.sort(compareUtf8)) {
    if (left <= 0) return;
    const found = read(key);
    if (found === undefined) continue;
    left -= 1;
    yield found;
  }
}
