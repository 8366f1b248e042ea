/** Claims in, decisions out. Pure. */

export { AUTONOMY_LEVELS, AUTONOMY_TEXT, type Autonomy } from "../kernel/index.js";
export { allowAllPolicy } from "./allow-all-policy.js";
export { type DenyByDefaultOptions, denyByDefaultPolicy } from "./deny-by-default-policy.js";
export { HOST_PATTERN, hostMatcher, hostsOfBoth } from "./host-pattern.js";
export { allowCommand, commandToAllow } from "./how-to-allow.js";
export type { PolicyRoot } from "./path-verdict.js";
export { type SlidingWindowOptions, slidingWindowRate } from "./rate-limit.js";
export { type SecretRedactorOptions, secretRedactor } from "./redaction.js";
export type { PolicyRule, RuleSource } from "./rules/policy-rule.js";
export { MIN_SECRET_LENGTH, type NamedSecret, secretsIn } from "./secret-values.js";
export type { WebPolicy } from "./web-guard.js";
export type { ZeroclawPolicyOptions } from "./zeroclaw/options.js";
export { zeroclawPolicy } from "./zeroclaw-policy.js";
