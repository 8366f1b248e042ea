/** What calls changed in files, kept in this process. */
import { createHash } from "node:crypto";
import {
  type CallRecord,
  type OldBytes,
  type RecordedChange,
  UNDO_TIMEOUT_MS,
  type UndoLog,
} from "../../kernel/index.js";

/** Bytes of a file, and of all calls together, over which old content is not stored. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_TOTAL_BYTES = 32 * 1024 * 1024;
const MAX_CALLS = 1_000;

export interface MemoryUndoLogOptions {
  /** Milliseconds since the epoch. */
  now(): number;
}

interface StoredCall {
  readonly record: CallRecord;
  readonly changes: Map<number, RecordedChange>;
  readonly contents: Map<string, Uint8Array>;
}

/** The oldest calls are dropped first. */
export function memoryUndoLog({ now }: MemoryUndoLogOptions): UndoLog {
  const calls: StoredCall[] = [];
  let serial = 0;
  let totalBytes = 0;
  const dropUntil = (own: string, isEnough: () => boolean) => {
    if (isEnough()) return;
    const sinceMs = now() - UNDO_TIMEOUT_MS;
    const undoing = calls.flatMap(({ record: { atMs, undoes = [] } }) => (atMs < sinceMs ? [] : undoes));
    const kept = new Set([own, ...undoing]);
    for (let index = 0; index < calls.length && !isEnough(); ) {
      if (kept.has(calls[index]!.record.id)) index++;
      else for (const bytes of calls.splice(index, 1)[0]!.contents.values()) totalBytes -= bytes.length;
    }
  };
  return {
    maxFileBytes: MAX_FILE_BYTES,
    record(call) {
      const id = `${++serial}`;
      let stored: StoredCall | undefined;
      const open = (): StoredCall => {
        if (stored !== undefined) return stored;
        stored = { record: { ...call, id, atMs: now(), changes: [] }, changes: new Map(), contents: new Map() };
        calls.push(stored);
        dropUntil(id, () => calls.length <= MAX_CALLS);
        return stored;
      };
      let begun = 0;
      return {
        id,
        async keep(chunks, sizeBytes) {
          if (sizeBytes > MAX_FILE_BYTES) return undefined;
          const bytes = await joined(chunks, sizeBytes);
          const { contents } = open();
          const content = String(contents.size);
          contents.set(content, bytes);
          totalBytes += bytes.length;
          dropUntil(id, () => totalBytes <= MAX_TOTAL_BYTES);
          return { content, size: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
        },
        async begin(change) {
          const index = begun++;
          open().changes.set(index, { ...change, isUnfinished: true });
          return index;
        },
        async end(index, { failed, ...end }) {
          const { changes } = open();
          const change = changes.get(index);
          if (failed === true) changes.delete(index);
          else if (change !== undefined) changes.set(index, { ...change, ...end, isUnfinished: false });
        },
      };
    },
    async list() {
      const changed = calls.filter(({ changes }) => changes.size > 0);
      return {
        calls: changed.map(({ record, changes }) => ({ ...record, changes: [...changes.values()] })),
        damaged: [],
      };
    },
    async content(id, content) {
      return calls.find(({ record }) => record.id === id)?.contents.get(content);
    },
  };
}

async function joined(chunks: OldBytes, sizeBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(sizeBytes);
  let size = 0;
  for await (const chunk of chunks) {
    if (size + chunk.length > sizeBytes) throw new Error("The file has grown while it was stored.");
    bytes.set(chunk, size);
    size += chunk.length;
  }
  return size === sizeBytes ? bytes : bytes.slice(0, size);
}
