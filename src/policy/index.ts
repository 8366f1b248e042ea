/** Claims in, decisions out. Pure. */
export { allowAllPolicy } from "./allow-all-policy.js";
export { type DenyByDefaultOptions, denyByDefaultPolicy } from "./deny-by-default-policy.js";
