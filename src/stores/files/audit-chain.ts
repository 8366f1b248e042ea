/** The format of the audit log: one JSON object per line, each with the hash of the previous line. */
import { hash as digest } from "node:crypto";
import { isRecord } from "../../kernel/index.js";
import { isTimestampMs } from "../timestamp.js";

/** The `previous` hash of the first line of a chain. */
export const CHAIN_START = "0".repeat(64);

export interface ChainedRecord {
  readonly kind: "head" | "begin" | "end";
  /** 0 for the first line of a chain; each line adds one, also across files. */
  readonly sequence: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly [field: string]: unknown;
}

/** The line of a `ChainedRecord` as JSON, with `previous` and its own `hash` added last. */
export function chainedLine(json: string, previous: string): { readonly line: string; readonly hash: string } {
  const open = `${json.slice(0, -1)},"previous":"${previous}"`;
  const hash = digest("sha256", `${open}}`);
  return { line: `${open},"hash":"${hash}"}\n`, hash };
}

export interface ChainReport {
  readonly records: readonly ChainedRecord[];
  /** Hash of the last intact line. */
  readonly hash: string;
  /** The first broken line (1-based): changed, removed, moved, or not an audit record; and why. */
  readonly broken?: { readonly line: number; readonly why: string };
}

/**
 * Checks the lines of one audit file. `previous` is the last hash of the file before; a file whose first line reports removed
 * lines does not have to continue from it.
 */
export function readAuditChain(text: string, previous?: string): ChainReport {
  const records: ChainedRecord[] = [];
  let hash = previous;
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const [index, line] of lines.entries()) {
    const broken = (why: string): ChainReport => ({
      records,
      hash: hash ?? CHAIN_START,
      broken: { line: index + 1, why },
    });
    const parts = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/.exec(line);
    if (parts === null) return broken("it is not an audit record");
    const body = `${parts[1]}}`;
    if (digest("sha256", body) !== parts[2]) return broken("its content was changed");
    const record = recordIn(body);
    if (record === undefined) return broken("it is not an audit record");
    const isAnew = index === 0 && record.kind === "head" && record.removedLines !== undefined;
    if (hash !== undefined && record.previous !== hash && !isAnew)
      return broken("the line before it was changed or removed");
    const before = records.at(-1);
    if (before !== undefined && record.sequence !== before.sequence + 1)
      return broken("its sequence number is out of order");
    records.push(record);
    hash = parts[2];
  }
  return { records, hash: hash ?? CHAIN_START };
}

/** Undefined if the text is not an audit record, even if its hash is right. */
function recordIn(body: string): ChainedRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isRecord(value)) return undefined;
  const { kind, sequence, atMs } = value;
  const isKnown = kind === "head" || kind === "begin" || kind === "end";
  const isCounted = typeof sequence === "number" && Number.isSafeInteger(sequence) && sequence >= 0;
  return isKnown && isCounted && isTimestampMs(atMs) ? { ...value, kind, sequence, atMs } : undefined;
}
