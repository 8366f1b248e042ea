/** Documents and records that end with their process. */
import type { Audit, AuditBegin, AuditEnd, Locks, Stores } from "../../kernel/index.js";

/** Documents by name and key. What goes in and comes out is copied, as if it were written down. */
export function memoryStores(locks: Locks): Stores {
  const documents = new Map<string, unknown>();
  return {
    open(name) {
      const keyOf = (key: string): string => `${name}\0${key}`;
      return {
        get: async (key) => structuredClone(documents.get(keyOf(key))),
        update: (key, change) =>
          locks.hold(`store:${keyOf(key)}`, {}, async () => {
            const next = change(structuredClone(documents.get(keyOf(key))));
            if (next === undefined) documents.delete(keyOf(key));
            else documents.set(keyOf(key), structuredClone(next));
          }),
      };
    },
  };
}

export interface MemoryAuditEntry {
  readonly id: string;
  readonly begin: AuditBegin;
  /** Absent while the call runs. */
  end?: AuditEnd;
}

/** The most entries that are kept; the oldest go first. */
export const MEMORY_AUDIT_ENTRIES = 1_000;

/** A record in memory: for tests, and for hosts that keep none. `entries` gives the latest, oldest first. */
export function memoryAudit(): Audit & { readonly entries: readonly MemoryAuditEntry[] } {
  const entries: MemoryAuditEntry[] = [];
  let count = 0;
  return {
    entries,
    async begin(begin) {
      count += 1;
      const id = `entry-${count}`;
      entries.push({ id, begin });
      if (entries.length > MEMORY_AUDIT_ENTRIES) entries.shift();
      return id;
    },
    async end(id, end) {
      const entry = entries.find((one) => one.id === id);
      if (entry !== undefined) entry.end = end;
    },
  };
}
