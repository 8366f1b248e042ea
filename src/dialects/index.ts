/** How the toolset is presented: the default dialect and those of the imitated systems. Data and pure functions over the kernel's types. */
export { buddyApprover } from "./buddy/buddy-approver.js";
export { buddyDialect } from "./buddy/buddy-dialect.js";
export {
  type BuddyDefinition,
  type BuddyTool,
  BuddyToolError,
  type BuddyTools,
  buddyTools,
} from "./buddy/buddy-tools.js";
export { buddyTargetSummary } from "./buddy/target-summary.js";
export { haftDialect } from "./haft/haft-dialect.js";
export { INDUSAGI_FS_NAMES, type IndusagiEdition } from "./indusagi/edition.js";
export { type IndusagiOptions, indusagi, indusagiDialect } from "./indusagi/indusagi-dialect.js";
export type { ZeroclawResult } from "./zeroclaw/envelope.js";
export { zeroclawDialect } from "./zeroclaw/zeroclaw-dialect.js";
