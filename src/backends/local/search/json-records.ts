import { JsonClipper } from "./json-clipper.js";

/** Text of ripgrep's records: as UTF-8, or in base64 where it is none. */
export type RipgrepText = { readonly text: string } | { readonly bytes: string };

/** One line of `rg --json`, what of it is used. Lines and matches are read from the file, not from here. */
export type RipgrepRecord =
  | { readonly type: "begin"; readonly data: { readonly path: RipgrepText } }
  | {
      readonly type: "match" | "context";
      readonly data: {
        readonly line_number: number;
        readonly absolute_offset: number;
        readonly submatches: readonly { readonly start: number; readonly end: number }[];
      };
    }
  | { readonly type: "end"; readonly data: { readonly binary_offset: number | null } }
  | { readonly type: "summary"; readonly data: { readonly stats: { readonly searches: number } } };

/** A longer record is clipped while it comes, so that a line of any length needs no more memory than that. */
const MAX_WHOLE_BYTES = 256 * 1024;
/** What one match takes in a record, its text left out when it is long. */
const MATCH_BYTES = 96;
const NEWLINE = 10;

/**
 * The records in a stream of chunks. Ends early at what is none.
 * @param maxMatches - Matches of one line that are of use.
 */
export async function* jsonRecords(
  chunks: AsyncIterable<Buffer>,
  maxMatches: number,
): AsyncGenerator<RipgrepRecord, void> {
  let open: Buffer[] = [];
  let openBytes = 0;
  let clipper: JsonClipper | undefined;
  const take = (part: Buffer): void => {
    openBytes += part.length;
    if (clipper === undefined && openBytes > MAX_WHOLE_BYTES) {
      clipper = new JsonClipper(MAX_WHOLE_BYTES + maxMatches * MATCH_BYTES);
      for (const one of open) clipper.push(one);
      open = [];
    }
    if (clipper === undefined) open.push(part);
    else clipper.push(part);
  };
  for await (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, at)) {
      take(chunk.subarray(at, end));
      at = end + 1;
      const text: string = clipper?.text() ?? (open.length === 1 ? open[0]! : Buffer.concat(open)).toString();
      open = [];
      openBytes = 0;
      clipper = undefined;
      const record = parsed(text);
      if (record === undefined) return;
      yield record;
    }
    if (at < chunk.length) take(chunk.subarray(at));
  }
}

function parsed(text: string): RipgrepRecord | undefined {
  try {
    return JSON.parse(text) as RipgrepRecord;
  } catch {
    return undefined;
  }
}
