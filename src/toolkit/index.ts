/** Where the parts come together: a toolkit, its boxes, and the shared default host. */

export {
  type BuiltinToolData,
  type BuiltinToolName,
  GATES,
  type Gate,
  type RunningHosts,
  type ShownRun,
} from "../tools/index.js";
export { type ApprovalAdmin, approvalAdmin } from "./approval-admin.js";
export {
  type BuiltinRegistryOptions,
  builtinRegistry,
  builtinToolNames,
  needsDatabase,
  needsSeveralTargets,
  needsTerminal,
} from "./builtin-registry.js";
export { type ChangedCall, type ChangedCalls, type ChangedFile, chooseCalls } from "./changed-calls.js";
export { type ChosenTarget, checkedTarget, nameOf, parseTarget, requireDistinctNames } from "./chosen-target.js";
export { accepted, checkConfig } from "./config/check-config.js";
export type {
  AddressServer,
  Config,
  ConfigLayer,
  ProgramServer,
  ServerConfig,
  ToolSetting,
  ToolSettings,
} from "./config/config.js";
export { configSchema, TRUSTED_KEYS } from "./config/config-schema.js";
export { parseConfig } from "./config/parse-config.js";
export { narrowingPolicy, type SettledPolicy } from "./config/policy-config.js";
export type { ConfigSchema } from "./config/schema-keywords.js";
export { type SettledConfig, settleConfig } from "./config/settle-config.js";
export {
  type ConfiguredServers,
  type ConfiguredServersOptions,
  configuredServers,
  withVariables,
} from "./configured-servers.js";
export { createToolkit } from "./create-toolkit.js";
export { makeLocalContext, resetProcessTable, resetTodos, toolBox, tryToolBox } from "./default-host.js";
export { DIALECT_NAMES, type DialectName, dialectNamed } from "./dialect-named.js";
export { hasDatabase } from "./has-database.js";
export { hasTerminal } from "./has-terminal.js";
export { type HostFindings, inspectHost } from "./inspect-host.js";
export { isOutcomeOf, type Outcome } from "./is-outcome-of.js";
export { type MemoryAdmin, type MemoryAdminOptions, memoryAdmin } from "./memory-admin.js";
export { inspectStore, openFileState, openMemoryState, openPostgresState, openSqliteState } from "./open-state.js";
export type { CloseableContext, OwnedBox, OwnedContext } from "./owned-box.js";
export { presetOf } from "./policy-preset.js";
export type { MissedTimes } from "./schedules/missed-times.js";
export { type NextRunsOptions, type NextRunsTiming, nextRuns } from "./schedules/next-runs.js";
export { type ListedSchedule, type ScheduleAdmin, scheduleAdmin } from "./schedules/schedule-admin.js";
export type { ScheduleOptions, ToolkitSchedules } from "./schedules/schedule-runner.js";
export { serverSecrets } from "./server-secrets.js";
export {
  artifactAdmin,
  auditAdmin,
  clientTokens,
  forgetChanges,
  jobAdmin,
  type SessionAdmin,
  type StateAdminOptions,
  sessionAdmin,
  stateDirectoryProblem,
  storeProblem,
  undoAdmin,
  writeWhole,
} from "./state-admin.js";
export { filledStoreUrl, hasPassword } from "./store-url.js";
export {
  hasSharedWorkspace,
  isBuiltInTarget,
  isOnThisMachine,
  type OpenBackendOptions,
  type OpenedMachine,
  openBackend,
  TARGETS,
  type TargetRequest,
  type TargetScheme,
  type TargetSchemes,
  type TargetSettings,
} from "./target-schemes.js";
export type { EndedAfterKill, ReportedHalfWrittenFile } from "./target-set.js";
export { splitTerminal } from "./target-terminal.js";
export type { CollectionName, Toolkit, ToolkitSession } from "./toolkit.js";
export type { ToolkitOptions } from "./toolkit-options.js";
export type { UndoReport, UndoRequest } from "./undo.js";
export type { SearchOptions, WebOptions } from "./web-options.js";
export { notAWorkspace } from "./workspace.js";
