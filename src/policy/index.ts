/** Claims in, decisions out. Pure. */
export { allowAllPolicy } from "./allow-all-policy.js";
export { AUTONOMY_LEVELS, type Autonomy, type AutonomyPolicyOptions, autonomyPolicy } from "./autonomy-policy.js";
export { type DenyByDefaultOptions, denyByDefaultPolicy } from "./deny-by-default-policy.js";
export type { PolicyRoot } from "./path-verdict.js";
