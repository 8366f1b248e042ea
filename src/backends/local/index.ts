/** This machine: its files, its shell and its search. */

export { type StoredJob, type StoredJobs, storedJobs } from "./jobs/stored-jobs.js";
export type { Launch, Launcher } from "./launcher.js";
export { createLocalBackend, directoryProblem, type LocalBackend, type LocalBackendOptions } from "./local-backend.js";
export { loadRipgrepPackage, RipgrepFinder, type RipgrepProgram } from "./search/ripgrep-program.js";
