/** An audit log that ends with its process. */
import type { Audit, AuditBegin, AuditEnd } from "../../kernel/index.js";

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
