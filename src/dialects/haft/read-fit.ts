/** Keeps as many rows of a window as a budget holds, so that a cut falls between lines and can be continued from. */
import { cutHead, utf8Length } from "../../text/index.js";

export interface Row {
  readonly number: number;
  readonly text: string;
}

export interface FittedRows {
  readonly rows: readonly Row[];
  readonly droppedRows: number;
  readonly keptBytes: number;
  readonly droppedBytes: number;
}

/** At least one row is kept, clipped when it alone is over `maxBytes`, so that a reader always gets on. */
export function fitRows(rows: readonly Row[], maxBytes: number): FittedRows {
  let keptBytes = 0;
  let count = 0;
  for (const row of rows) {
    const size = utf8Length(row.text) + 1;
    if (keptBytes + size > maxBytes) break;
    keptBytes += size;
    count++;
  }
  if (count === rows.length) return { rows, droppedRows: 0, keptBytes, droppedBytes: 0 };
  const rest = rows.slice(Math.max(count, 1)).reduce((sum, row) => sum + utf8Length(row.text) + 1, 0);
  if (count > 0) return { rows: rows.slice(0, count), droppedRows: rows.length - count, keptBytes, droppedBytes: rest };
  const first = rows[0]!;
  const head = cutHead(first.text, Math.max(maxBytes, LEAST_ROW_BYTES));
  const text = head.droppedBytes === 0 ? head.text : `${head.text}… [${head.droppedBytes} more bytes]`;
  return {
    rows: [{ number: first.number, text }],
    droppedRows: rows.length - 1,
    keptBytes: head.keptBytes,
    droppedBytes: head.droppedBytes + rest,
  };
}

const LEAST_ROW_BYTES = 80;
