/** This machine: its files, its shell and its search; and the real clock, ids, digest and fault watch. */
export { createCallFaults } from "./call-faults.js";
export { type KeptJob, type KeptJobs, keptJobs } from "./jobs/kept-jobs.js";
export { createLocalBackend, folderProblem, type LocalBackend, type LocalBackendOptions } from "./local-backend.js";
export { createSystemMedia, type SystemMediaOptions } from "./media/system-media.js";
export { loadRipgrepPackage, RipgrepFinder, type RipgrepProgram } from "./search/ripgrep-program.js";
export {
  type OpenServersOptions,
  openServers,
  type ServerAddress,
  type ServerState,
  type Servers,
} from "./servers/open-servers.js";
export { sha256, systemClock, systemIds } from "./system-services.js";
export type { WatcherReport } from "./watcher.js";
