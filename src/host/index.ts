/** What the machine gives beside a backend: processes and signals. */
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
