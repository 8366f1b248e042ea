/** Services of the machine besides a backend: clock, ids, home directory, processes and signals, media workers, early loading. */
export { createCallFaults } from "./call-faults.js";
export { systemClock } from "./clock.js";
export { createHttp } from "./http/create-http.js";
export { newNonce, sha256, systemIds } from "./ids.js";
export { isSameKindOfMachine } from "./machine-kind.js";
export { createSystemMedia, type SystemMediaOptions } from "./media/system-media.js";
export { preload } from "./preload.js";
export {
  baseEnvironment,
  currentDirectory,
  helperEnvironment,
  homeDirectory,
  SHELL,
  TAG_NAME,
} from "./process/command-environment.js";
export { type HostIdentity, hostName, isHostAlive, machinePlace, ownHostIdentity } from "./process/host-identity.js";
export { killTree, type Leader, send, survivorsOf } from "./process/kill-tree.js";
export { type Pipe, PipePool } from "./process/pipe-pool.js";
export { requireNoProcessSecret } from "./process/process-secrets.js";
export {
  allProcesses,
  descriptorTarget,
  descriptorTargets,
  hasEnvironmentEntry,
  isDead,
  newestPid,
  type ProcessEntry,
  processEntry,
  processesSince,
  processStart,
} from "./process/process-table.js";
export { ProcessTree, type TreeCriteria, type TreeMember } from "./process/process-tree.js";
export { removeNames } from "./process/remove-names.js";
export { scratchDirectories } from "./process/scratch-directories.js";
export { killAfter, processExists, type SignalTarget, sendSignal } from "./process/signal.js";
export { isProgram, programOnPath, systemProgram } from "./process/system-program.js";
export { takeReports, Watcher, type WatcherReport } from "./process/watcher.js";
export { NO_SQLITE, sqliteSupport } from "./sqlite-support.js";
