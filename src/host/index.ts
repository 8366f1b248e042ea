/** What the machine gives beside a backend: time, the home directory, processes and signals, and code that is loaded early. */
export { systemClock } from "./clock.js";
export { homeDirectory } from "./home-directory.js";
export { newNonce } from "./nonce.js";
export { preload } from "./preload.js";
export {
  allProcesses,
  hasEnvironmentEntry,
  isDead,
  newestPid,
  openTarget,
  openTargets,
  type ProcessEntry,
  processEntry,
  processesSince,
  processStart,
} from "./process/process-table.js";
export { killAfter, processExists, type SignalTarget, sendSignal } from "./process/signal.js";
