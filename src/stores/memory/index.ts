/** State that ends with the process. Pure. */
export { type MemoryArtifactsOptions, memoryArtifacts, memoryLocalSession } from "./memory-artifacts.js";
export { memoryLocks } from "./memory-locks.js";
export { type MemoryStateOptions, memoryState } from "./memory-state.js";
export { MEMORY_AUDIT_ENTRIES, type MemoryAuditEntry, memoryAudit } from "./memory-stores.js";
export { type MemoryUndoLogOptions, memoryUndoLog } from "./memory-undo-log.js";
