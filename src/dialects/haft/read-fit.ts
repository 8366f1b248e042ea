/** Keeps as many whole rows as fit the budget, so that the next call can continue at a line. */
import { truncateToHead, utf8Length } from "../../text/index.js";

interface FittedRows {
  readonly rows: readonly string[];
  readonly omittedRows: number;
  /** The bytes of all rows, if not all of them are kept. */
  readonly truncated?: { readonly keptBytes: number; readonly omittedBytes: number };
}

/** A UTF-16 unit has at most so many bytes in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** At least one row is kept, truncated if it alone is over `maxBytes`, so that reading always advances. */
export function fitRows(rows: readonly string[], maxBytes: number): FittedRows {
  const units = rows.reduce((sum, row) => sum + row.length, 0);
  // The bytes of a row with a number need a look at each character.
  if (units * MAX_UNIT_BYTES + rows.length <= maxBytes) return { rows, omittedRows: 0 };
  let keptBytes = 0;
  let count = 0;
  for (const row of rows) {
    const size = utf8Length(row) + 1;
    if (keptBytes + size > maxBytes) break;
    keptBytes += size;
    count++;
  }
  if (count === rows.length) return { rows, omittedRows: 0 };
  const rest = rows.slice(Math.max(count, 1)).reduce((sum, row) => sum + utf8Length(row) + 1, 0);
  if (count > 0)
    return {
      rows: rows.slice(0, count),
      omittedRows: rows.length - count,
      truncated: { keptBytes, omittedBytes: rest },
    };
  const head = truncateToHead(rows[0]!, Math.max(maxBytes, MIN_ROW_BYTES));
  const text = head.omittedBytes === 0 ? head.text : `${head.text}… [${head.omittedBytes} more bytes]`;
  const omittedBytes = head.omittedBytes + rest;
  return {
    rows: [text],
    omittedRows: rows.length - 1,
    ...(omittedBytes === 0 ? {} : { truncated: { keptBytes: head.keptBytes, omittedBytes } }),
  };
}

const MIN_ROW_BYTES = 80;
