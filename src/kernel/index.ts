/** The contract: tools, calls, results, claims and the ports. Pure: no Node built-in anywhere behind this entry. */

export { AbortHub } from "./abort-hub.js";
export { DEFAULT_APPROVAL_TIMEOUT_MS } from "./approve-stage.js";
export { REMEMBERED_ANSWER } from "./approved-call.js";
export { AUTONOMY_LEVELS, AUTONOMY_TEXT, type Autonomy, DEFAULT_AUTONOMY, strictestLevel } from "./autonomy.js";
export { type Backend, type BackendFlags, type Binding, type BoundCall, isBackend, type Ports } from "./backend.js";
export { BlockInput, INPUT_BLOCK_BYTES, type InputEnd, inputClosed } from "./block-input.js";
export { boundHandle } from "./bound-handle.js";
export { memoryNamespace, redactedMemory } from "./bound-memories.js";
export { BoundedMap, BoundedSet } from "./bounded-collections.js";
export {
  type Access,
  type Approval,
  type Claim,
  type ClaimedRequest,
  type CommandStart,
  covers,
  coversJob,
  coversPane,
  coversRequest,
  coversState,
  type Decision,
  EMPTY_GRANT,
  type Grant,
  type GrantedCommand,
  type GrantedJob,
  type GrantedPane,
  type GrantedRequest,
  type GrantedState,
  grantFor,
  includesPath,
  isWithin,
  JOB_ACTIONS,
  type JobAction,
  PANE_ACTIONS,
  type PaneAction,
  type Place,
  type Risk,
} from "./claims.js";
export { isRecord } from "./coerce.js";
export {
  commandProblem,
  cwdProblem,
  NO_BYTES,
  notStarted,
  notStartedResult,
  TREE_GONE,
  TREE_UNSEEN,
} from "./command-problem.js";
export type {
  ClaimContext,
  ClaimsOutcome,
  Embed,
  Hooks,
  HostContext,
  HostServices,
  LockedPath,
  LockOptions,
  ProtectedPaths,
  RateLimit,
  ToolContext,
} from "./context.js";
export { createHostContext, type HostContextOptions } from "./create-context.js";
export { elapsedMs } from "./deadline.js";
export { defineTool, explain, presentTool } from "./define-tool.js";
export type { AnyPresenter, Decoded, Dialect, RenderContext, Rendered, ToolPresenter } from "./dialect.js";
export {
  closedState,
  documentText,
  endedSession,
  isDocumentKey,
  MAX_DOCUMENT_BYTES,
  MAX_DOCUMENT_DEPTH,
  MAX_DOCUMENT_KEY_BYTES,
  otherOwner,
  requireDocumentKey,
  unopenedSession,
} from "./document-text.js";
export { withoutEchoes } from "./echoed-urls.js";
export {
  artifactFault,
  callSafely,
  ERROR_CODES,
  type ErrorCode,
  HaftError,
  type HaftErrorOptions,
  ignoreRejection,
  messageOf,
} from "./errors.js";
export { isExceptedBelow, isExceptedName } from "./excepted-names.js";
export type {
  CoreFs,
  EntryKind,
  Expect,
  Fs,
  FsChild,
  FsEntryInfo,
  Io,
  LinesPassed,
  ReplaceResult,
  ResolvedPath,
} from "./fs.js";
export { UNNAMEABLE, withMissingPart } from "./fs.js";
export {
  badPath,
  type Errno,
  intoItself,
  notAFile,
  notUtf8Name,
  outOfTime,
  type SpecialFileKind,
  shortageOf,
  staleFile,
  systemCode,
  systemFault,
  systemRefusal,
  thrownFault,
  tooLarge,
} from "./fs-faults.js";
export {
  FS_OPERATIONS,
  type FsOperation,
  operationFault,
  requirePath,
  requireUncancelled,
  whyCancelled,
} from "./fs-operations.js";
export {
  closedBackend,
  grantedDirectories,
  jobOwner,
  maySeeJob,
  requireAuthorized,
  requireAuthorizedDirectory,
  requireCommand,
  requireCovered,
  requireJob,
  requireJobs,
  requireLive,
  requireTreeCovered,
} from "./guard.js";
export type { HostGuard } from "./host-guard.js";
export {
  type CallHttp,
  DEFAULT_HTTP_TIMEOUT_MS,
  HTTP_METHODS,
  type Http,
  type HttpHeaders,
  type HttpHop,
  type HttpMethod,
  type HttpRequest,
  type HttpResponse,
  isLoopback,
  MAX_REDIRECTS,
  type RequestProblem,
  requestProblem,
} from "./http.js";
export type { HttpOptions, HttpSecret } from "./http-options.js";
export { requireBox, requireKnownOptions } from "./known-options.js";
export { isSecretHeader } from "./mask-headers.js";
export {
  type FittedImage,
  type ImageBounds,
  type Media,
  type MediaFault,
  PDF_PAGE_CHARACTERS,
  type PdfPages,
  type PdfText,
} from "./media.js";
export type { FoundMemory, Memories, MemoryContent, MemoryEntry, MemoryPurge, MemoryQuery } from "./memories.js";
export { oneAtATime } from "./one-at-a-time.js";
export { whyUnopened } from "./open-stage.js";
export {
  clamp,
  clampWithCount,
  type OutputBudget,
  standardBudget,
} from "./output.js";
export { finishPublishing, OutputPublisher, type StreamListener } from "./output-publisher.js";
export type { Explanation } from "./pipeline.js";
export {
  DEFAULT_GRACE_MS,
  DEFAULT_KEEP,
  DEFAULT_MAX_CHILDREN,
  DEFAULT_MAX_READ_BYTES,
  gatherChunks,
  graceOf,
  MAX_SYMLINKS,
  MAX_TIMER_MS,
  maxChildren,
  maxReadBytes,
  rangeStart,
  SETTLE_MS,
  webDigest,
} from "./port-defaults.js";
export { type FsRecording, RecordedFs } from "./recorded-fs.js";
export { redactedPair, redactText } from "./redact-text.js";
export { ToolRegistry } from "./registry.js";
export {
  blockText,
  type CallStatus,
  type ContentBlock,
  fail,
  failure,
  type Json,
  json,
  ok,
  type Provenance,
  project,
  type ToolErrorCode,
  type ToolResult,
  type Truncation,
  text,
} from "./result.js";
export {
  type ClaimedRun,
  type ClaimQuery,
  type DuePlan,
  type MissedRuns,
  type RunFilter,
  SCHEDULE_POLL_MS,
  type Schedule,
  type ScheduleContent,
  type ScheduleHost,
  type ScheduleRun,
  type ScheduleRunEnd,
  type ScheduleRunState,
  type Schedules,
  type ScheduleTiming,
  schedulePlace,
} from "./schedules.js";
export type { InferInput, InputSchema, JsonSchema, StandardSchema } from "./schema.js";
export { localTarget } from "./schema-reader.js";
export { sealPort } from "./seal-port.js";
export type { GrepHit, GrepQuery, Pattern, Search, SearchEnd, WalkEntry, WalkQuery } from "./search.js";
export type {
  ApprovalPreview,
  ApprovalRequest,
  Approver,
  ArtifactInfo,
  ArtifactPart,
  Artifacts,
  ArtifactWriter,
  Audit,
  AuditBegin,
  AuditEnd,
  AuditedApproval,
  Clock,
  Digest,
  Faults,
  Ids,
  Locks,
  PathChange,
  Policy,
  PolicyCall,
  PolicyFiles,
  PolicyFound,
  PolicyLookup,
  PolicySearch,
  Redactor,
  SchedulePreview,
} from "./services.js";
export {
  type CallSession,
  type Framework,
  MAX_KNOWN_SYMLINKS,
  MAX_OUTPUTS_SEEN,
  MAX_READ_RECORDS,
  type OutputSeen,
  type OutputsSeen,
  READ_STATE_HANDLE_KEY,
  type ReadState,
  type ReadStateRecord,
  SESSION_IDLE_MS,
  type Session,
  type SessionView,
  TODO_STATUSES,
  type TodoItem,
  type TodoList,
  type TodoStatus,
  type ToolCache,
} from "./session.js";
export { type SessionEnd, SessionJobs } from "./session-jobs.js";
export { SessionTrust } from "./session-trust.js";
export {
  type Captured,
  type CoreShell,
  type InputAccepted,
  type InputOptions,
  type JobInfo,
  type KillOptions,
  LIFETIMES,
  type Lifetime,
  type Shell,
  type ShellExit,
  type ShellHandle,
  type ShellOptions,
  type ShellResult,
  type SpawnOptions,
  type Survivor,
  type TreeState,
  type WaitingFor,
} from "./shell.js";
export { shownEcho, shownName } from "./shown-name.js";
export type {
  ApprovalDecision,
  ApprovalScope,
  Approvals,
  ApprovedCall,
  ApprovedSession,
  CallMemories,
  CallSchedule,
  CallSchedules,
  CallState,
  DocumentQuery,
  Documents,
  SessionInfo,
  Sessions,
  State,
  StoredApproval,
  StoredDocument,
  TakenApproval,
} from "./state.js";
export { decodeStrict } from "./strict-text.js";
export { type SourceTarget, type Target, targetOf } from "./target.js";
export {
  type CaptureOptions,
  DEFAULT_PANE,
  type Keys,
  keysAsText,
  type PaneCapture,
  type PaneResult,
  type PaneState,
  type StartedTerminal,
  type Terminal,
} from "./terminal.js";
export type {
  CallBasis,
  CallPreview,
  DefinedTool,
  Effect,
  FileChange,
  ToolAnnotations,
  ToolBody,
  ToolCall,
  ToolDescriptor,
  ToolSpec,
} from "./tool.js";
export {
  type ContextFactory,
  createToolBox,
  type DataByTool,
  type OutcomeOf,
  type RunOptions,
  type ToolBox,
  type ToolBoxOptions,
  type ToolRunner,
} from "./tool-box.js";
export type {
  CallEvent,
  JobEndedEvent,
  JobStartedEvent,
  NoticeEvent,
  OutputEvent,
  ProgressEvent,
  ToolEvent,
} from "./tool-event.js";
export type { ToolOutcome } from "./tool-outcome.js";
export type {
  CallRecord,
  CallRecorder,
  Change,
  ChangeEnd,
  OldBytes,
  OldEntry,
  RecordedCall,
  RecordedChange,
  StoredBytes,
  UndoLog,
  UndoRecords,
} from "./undo-log.js";
export { UNDO_TIMEOUT_MS } from "./undo-log.js";
export { loadValidator, schemaProblem } from "./validate.js";
export { after, type Bound, withTimeout } from "./with-timeout.js";
