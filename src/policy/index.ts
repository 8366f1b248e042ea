/** Claims in, decisions out. Pure. */
export { allowAllPolicy } from "./allow-all-policy.js";
export { AUTONOMY_LEVELS, AUTONOMY_TEXT, type Autonomy } from "./autonomy.js";
export { type DenyByDefaultOptions, denyByDefaultPolicy } from "./deny-by-default-policy.js";
