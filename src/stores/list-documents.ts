import type { DocumentQuery, StoredDocument } from "../kernel/index.js";
import { compareUtf8 } from "../text/index.js";

/** How many documents are read at once. */
const READ_AT_ONCE = 16;

/** What `Documents.list` yields of these keys, in the order of their UTF-8 bytes. `read` gives undefined for what is gone. */
export async function* listDocuments(
  keys: Iterable<string>,
  { prefix = "", after, limit = Number.POSITIVE_INFINITY }: DocumentQuery = {},
  read: (key: string) => Promise<StoredDocument | undefined>,
): AsyncGenerator<StoredDocument, void> {
  const asked = [...keys]
    .filter((key) => key.startsWith(prefix) && (after === undefined || compareUtf8(key, after) > 0))
    .sort(compareUtf8);
  let left = limit;
  while (asked.length > 0 && left > 0) {
    const reading = asked.splice(0, Math.min(READ_AT_ONCE, left)).map(read);
    // One that fails is reported after those before it.
    for (const one of reading) one.catch(() => {});
    for (const one of reading) {
      const found = await one;
      if (found === undefined) continue;
      left -= 1;
      yield found;
    }
  }
}
