/** State on disk: audit, artifacts, locks, documents and sessions in one private directory. */
export { type ChainedRecord, type ChainReport, readAuditChain } from "./audit-chain.js";
export {
  ARTIFACT_PART_BYTES,
  ARTIFACT_QUOTA_BYTES,
  type FileArtifacts,
  type FileArtifactsOptions,
  fileArtifacts,
} from "./file-artifacts.js";
export { type FileAuditOptions, fileAudit } from "./file-audit.js";
export { fileLocks } from "./file-locks.js";
export { type FileStateOptions, fileState, forgetApprovedProjects } from "./file-state.js";
export { fileStore } from "./file-store.js";
export { type ClientToken, fileTokens, type TokenStore } from "./file-tokens.js";
export { type FileUndoLogOptions, fileUndoLog, UNDO_LIMITS } from "./file-undo-log.js";
export { type FilesToMove, filesToMove } from "./files-to-move.js";
export { type AuditedCall, type AuditProblem, type AuditReport, readAudit } from "./read-audit.js";
export {
  type FileSessions,
  type FileSessionsOptions,
  fileSessions,
  type SessionUsage,
} from "./session-catalog.js";
export {
  openStateDirectory,
  realStatePath,
  type StateDirectory,
  statePathOf,
  stateProblem,
} from "./state-directory.js";
export { DATABASE_FILE } from "./state-format.js";
export { type StoredArtifact, type StoredArtifacts, storedArtifacts } from "./stored-artifacts.js";
