import { isUtf8 } from "node:buffer";
import type { RipgrepText } from "./json-records.js";

/** What `rg --count --null --stats` and `rg --files-with-matches --null --stats` print. */
export type PathRecord =
  | { readonly kind: "file"; readonly path: RipgrepText; readonly count: number }
  | { readonly kind: "summary"; readonly searches: number };

const NUL = 0;
const NEWLINE = 10;
const DOT = 46;

/** @param hasCounts - Whether a count and a line end stand behind each path; else `count` is 1. */
export async function* pathRecords(
  chunks: AsyncIterable<Buffer>,
  hasCounts: boolean,
): AsyncGenerator<PathRecord, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    // Every path starts with a dot; the summary behind them with an empty line.
    while (rest[0] === DOT) {
      const pathEnd = rest.indexOf(NUL);
      const end = pathEnd === -1 || !hasCounts ? pathEnd : rest.indexOf(NEWLINE, pathEnd);
      if (end === -1) break;
      const path = rest.subarray(0, pathEnd);
      const count = hasCounts ? Number(rest.subarray(pathEnd + 1, end).toString()) : 1;
      rest = rest.subarray(end + 1);
      yield {
        kind: "file",
        path: isUtf8(path) ? { text: path.toString() } : { bytes: path.toString("base64") },
        count,
      };
    }
  }
  const searches = /^(\d+) files searched$/m.exec(rest.toString())?.[1];
  if (searches !== undefined) yield { kind: "summary", searches: Number(searches) };
}
