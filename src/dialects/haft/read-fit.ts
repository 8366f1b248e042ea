/** Keeps as many whole rows as fit the budget, so that the next call can continue at a line. */
import { truncateToHead, utf8Length } from "../../text/index.js";

interface FittedRows {
  /** Each row behind a newline. */
  readonly text: string;
  readonly rows: number;
  readonly omittedRows: number;
  /** The bytes of all rows, if not all of them are kept. */
  readonly truncated?: { readonly keptBytes: number; readonly omittedBytes: number };
}

/** A UTF-16 unit has at most so many bytes in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** Rows that are one text already; undefined if they do not fit. */
export function fitText(
  { text, lines }: { readonly text: string; readonly lines: number },
  maxBytes: number,
): FittedRows | undefined {
  // The length in UTF-8 takes a look at each character; its upper bound does not.
  const fits = text.length * MAX_UNIT_BYTES <= maxBytes || utf8Length(text) <= maxBytes;
  return fits ? { text, rows: lines, omittedRows: 0 } : undefined;
}

/** At least one row is kept, truncated if it alone is over `maxBytes`, so that reading always advances. */
export function fitRows(rows: readonly string[], maxBytes: number): FittedRows {
  let keptBytes = 0;
  let count = 0;
  for (const row of rows) {
    const size = utf8Length(row) + 1;
    if (keptBytes + size > maxBytes) break;
    keptBytes += size;
    count++;
  }
  if (count === rows.length) return { text: joined(rows), rows: count, omittedRows: 0 };
  const rest = rows.slice(Math.max(count, 1)).reduce((sum, row) => sum + utf8Length(row) + 1, 0);
  if (count > 0)
    return {
      text: joined(rows.slice(0, count)),
      rows: count,
      omittedRows: rows.length - count,
      truncated: { keptBytes, omittedBytes: rest },
    };
  const head = truncateToHead(rows[0]!, Math.max(maxBytes, MIN_ROW_BYTES));
  const text = head.omittedBytes === 0 ? head.text : `${head.text}… [${head.omittedBytes} more bytes]`;
  const omittedBytes = head.omittedBytes + rest;
  return {
    text: joined([text]),
    rows: 1,
    omittedRows: rows.length - 1,
    ...(omittedBytes === 0 ? {} : { truncated: { keptBytes: head.keptBytes, omittedBytes } }),
  };
}

const joined = (rows: readonly string[]) => rows.map((row) => `\n${row}`).join("");

const MIN_ROW_BYTES = 80;
