/** State on disk: audit, artifacts, locks, documents and sessions in one private folder. */
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
export type { FileSession } from "./file-session.js";
export {
  type FileSessions,
  type FileSessionsOptions,
  fileSessions,
  type KeptSession,
  SESSION_IDLE_MS,
} from "./file-sessions.js";
export { fileStore, fileStores } from "./file-store.js";
export { type ClientToken, type ClientTokens, fileTokens } from "./file-tokens.js";
export { type KeptArtifact, type KeptArtifacts, keptArtifacts } from "./kept-artifacts.js";
export { type AuditedCall, type AuditProblem, type AuditReport, readAudit } from "./read-audit.js";
export { openStateFolder, type StateFolder, statePathOf, stateProblem } from "./state-folder.js";
