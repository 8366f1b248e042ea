/** Keeps as many whole rows as fit the budget, so that the next call can continue at a line. */
import { truncateToHead, utf8Length } from "../../text/index.js";

interface Row {
  readonly number: number;
  readonly text: string;
}

interface FittedRows {
  readonly rows: readonly Row[];
  readonly omittedRows: number;
  readonly keptBytes: number;
  readonly omittedBytes: number;
}

/** At least one row is kept, truncated if it alone is over `maxBytes`, so that reading always advances. */
export function fitRows(rows: readonly Row[], maxBytes: number): FittedRows {
  let keptBytes = 0;
  let count = 0;
  for (const row of rows) {
    const size = utf8Length(row.text) + 1;
    if (keptBytes + size > maxBytes) break;
    keptBytes += size;
    count++;
  }
  if (count === rows.length) return { rows, omittedRows: 0, keptBytes, omittedBytes: 0 };
  const rest = rows.slice(Math.max(count, 1)).reduce((sum, row) => sum + utf8Length(row.text) + 1, 0);
  if (count > 0) return { rows: rows.slice(0, count), omittedRows: rows.length - count, keptBytes, omittedBytes: rest };
  const first = rows[0]!;
  const head = truncateToHead(first.text, Math.max(maxBytes, MIN_ROW_BYTES));
  const text = head.omittedBytes === 0 ? head.text : `${head.text}… [${head.omittedBytes} more bytes]`;
  return {
    rows: [{ number: first.number, text }],
    omittedRows: rows.length - 1,
    keptBytes: head.keptBytes,
    omittedBytes: head.omittedBytes + rest,
  };
}

const MIN_ROW_BYTES = 80;
