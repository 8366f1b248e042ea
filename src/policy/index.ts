/** Claims in, decisions out. Pure. */
export { allowAllPolicy } from "./allow-all-policy.js";
export { AUTONOMY_LEVELS, AUTONOMY_TEXT, type Autonomy } from "./autonomy.js";
export { type AutonomyPolicyOptions, autonomyPolicy } from "./autonomy-policy.js";
export { type AnalyzeOptions, analyzeCommand, type CommandJudgement, type CommandSegment } from "./commands/index.js";
export { type DenyByDefaultOptions, denyByDefaultPolicy } from "./deny-by-default-policy.js";
export type { PolicyRoot } from "./path-verdict.js";
