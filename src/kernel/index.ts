/** The contract: tools, calls, results, claims and the ports. Pure: no Node built-in anywhere behind this entry. */
export { AbortHub } from "./abort-hub.js";
export { Approvals } from "./approvals.js";
export type { Backend, BackendFlags, Binding, BoundCall, Ports } from "./backend.js";
export { BlockInput, INPUT_BLOCK_BYTES, type InputEnd, inputClosed } from "./block-input.js";
export { boundHandle } from "./bound-handle.js";
export { BoundedMap, BoundedSet } from "./bounded-collections.js";
export {
  type Access,
  type Approval,
  type Claim,
  covers,
  type Decision,
  EMPTY_GRANT,
  type Grant,
  type GrantedCommand,
  grantFor,
  isWithin,
  type Place,
  type Risk,
} from "./claims.js";
export { isRecord } from "./coerce.js";
export {
  commandProblem,
  cwdProblem,
  NO_BYTES,
  notStarted,
  TREE_GONE,
  TREE_UNSEEN,
  unbegunResult,
} from "./command-problem.js";
export { type BackendCore, completeBackend } from "./complete-backend.js";
export type {
  ClaimsOutcome,
  Hooks,
  HostContext,
  HostServices,
  Look,
  RateLimit,
  Stores,
  ToolContext,
  ToolEvent,
} from "./context.js";
export { createHostContext, type HostContextOptions } from "./create-context.js";
export { defineTool, explain, presentTool } from "./define-tool.js";
export type { AnyFace, Decoded, Dialect, RenderContext, Rendered, ToolFace } from "./dialect.js";
export {
  artifactFault,
  ERROR_CODES,
  type ErrorCode,
  HaftError,
  type HaftErrorOptions,
  messageOf,
  unharmed,
} from "./errors.js";
export type {
  DeleteData,
  DeleteInput,
  DeleteLimits,
  FindData,
  FindEntry,
  FindInput,
  FindLimits,
  LsData,
  LsEntry,
  LsInput,
  LsLimits,
  MoveData,
  MoveInput,
  MoveLimits,
} from "./folder-tool-data.js";
export type { CoreFs, EntryKind, Expect, Fs, FsChild, FsEntryInfo, Io, ReplaceResult, ResolvedPath } from "./fs.js";
export { UNNAMEABLE } from "./fs.js";
export { DOING, type Doing, refusedBy, requirePath, requireUncancelled, whyCancelled } from "./fs-doing.js";
export {
  badPath,
  type Errno,
  intoItself,
  notAFile,
  notUtf8Name,
  type OddKind,
  outOfTime,
  shortageOf,
  staleFile,
  systemCode,
  systemFault,
  systemRefusal,
  thrownFault,
  tooLarge,
} from "./fs-faults.js";
export {
  authorizeDirectory,
  closedBackend,
  grantedDirectories,
  jobOwner,
  maySeeJob,
  requireCommand,
  requireCovered,
  requireJob,
  requireJobs,
  requireLive,
  requireMoved,
  requireTreeCovered,
} from "./guard.js";
export { after, type Bound, within } from "./in-time.js";
export {
  type FittedImage,
  type ImageBounds,
  type Media,
  type MediaFault,
  PDF_PAGE_CHARACTERS,
  type PdfPages,
  type PdfText,
} from "./media.js";
export {
  clamp,
  clampWithCount,
  type OutputBudget,
  standardBudget,
} from "./output.js";
export { finishTellings, OutputTelling, type StreamListener } from "./output-telling.js";
export type { Explanation } from "./pipeline.js";
export {
  DEFAULT_GRACE_MS,
  DEFAULT_KEEP,
  DEFAULT_MAX_CHILDREN,
  DEFAULT_MAX_READ_BYTES,
  graceOf,
  MAX_TIMER_MS,
  maxChildren,
  maxReadBytes,
  rangeStart,
  SETTLE_MS,
} from "./port-defaults.js";
export {
  type JobData,
  type NewOutput,
  PROCESS_ACTIONS,
  type ProcessAction,
  type ProcessData,
  type ProcessInput,
  type ProcessLimits,
  type UntakenInput,
} from "./process-data.js";
export { ToolRegistry } from "./registry.js";
export {
  blockText,
  type CallStatus,
  type ContentBlock,
  type Cut,
  fail,
  failure,
  json,
  ok,
  type Provenance,
  project,
  type ToolOutcome,
  type ToolResult,
  text,
} from "./result.js";
export type { InferInput, InputSchema, JsonSchema, StandardSchema } from "./schema.js";
export type { GrepHit, GrepQuery, Pattern, Search, SearchEnd, WalkEntry, WalkQuery } from "./search.js";
export {
  type ByteRange,
  compilePattern,
  foldersAbove,
  globFilter,
  IGNORE_FILES,
  isRuleAbove,
  loadRegexEngine,
  pageOf,
  type RulesAbove,
  rulesAbove,
  type SearchPattern,
  type SearchScope,
  type SearchSource,
  SearchTally,
  type SkipReason,
  type SourceChild,
  searchBinding,
  searchInCall,
  searchStop,
  searchTree,
  Turns,
  walkTree,
  whyAborted,
  windowOf,
} from "./search-engine/index.js";
export type {
  ApprovalRequest,
  Approver,
  ArtifactInfo,
  ArtifactPart,
  Artifacts,
  ArtifactWriter,
  Audit,
  AuditBegin,
  AuditEnd,
  Clock,
  Digest,
  Faults,
  Http,
  Ids,
  Locks,
  Model,
  Policy,
  PolicyCall,
  Redactor,
  Store,
} from "./services.js";
export {
  type Framework,
  MAX_KNOWN_LINKS,
  MAX_OUTPUTS_SEEN,
  MAX_READ_RECORDS,
  type OutputSeen,
  type OutputsSeen,
  READ_STATE_HANDLE_KEY,
  type ReadState,
  type ReadStateRecord,
  type Session,
  type TodoList,
} from "./session.js";
export { type SessionEnd, SessionJobs } from "./session-jobs.js";
export type {
  Captured,
  CoreShell,
  InputOptions,
  InputTaken,
  JobInfo,
  KillOptions,
  Lifetime,
  Shell,
  ShellExit,
  ShellHandle,
  ShellOptions,
  ShellResult,
  SpawnOptions,
  Survivor,
  TreeState,
  WaitingFor,
} from "./shell.js";
export { shownEcho } from "./shown-name.js";
export { decodeStrict } from "./strict-text.js";
export type { Keys, PaneState, Terminal } from "./terminal.js";
export type {
  DefinedTool,
  Effect,
  ToolAnnotations,
  ToolBody,
  ToolCall,
  ToolDescriptor,
  ToolSpec,
} from "./tool.js";
export {
  type ContextFactory,
  createToolBox,
  type RunOptions,
  type ToolBox,
  type ToolBoxOptions,
  type ToolRunner,
} from "./tool-box.js";
export {
  type BashData,
  type BashInput,
  type BashLimits,
  type EditData,
  type EditInput,
  type EditLimits,
  type EditPair,
  type EditStage,
  type Gate,
  type GrepData,
  type GrepHitData,
  type GrepInput,
  type GrepLimits,
  type NearestPlace,
  type ReadData,
  type ReadInput,
  type ReadLimits,
  type ReadPicture,
  type StreamData,
  TIME_FORMATS,
  type TimeData,
  type TimeFormat,
  type TimeInput,
  TODO_STATUSES,
  type TodoData,
  type TodoItem,
  type TodoSetInput,
  type TodoStatus,
  type TodoTally,
  type WriteData,
  type WriteInput,
  type WriteLimits,
} from "./tool-data.js";
export { loadValidator, schemaProblem } from "./validate.js";
export { webDigest } from "./web-digest.js";
