/** What is wrong with the answer of a policy, an approver or a state: the field, and what it has to be. */
import { EMPTY_GRANT } from "./claims.js";
import { isRecord } from "./coerce.js";

const EFFECTS: readonly unknown[] = ["allow", "ask", "deny"];
const SCOPES: readonly unknown[] = ["once", "session", "project"];

/** Why a value is not a `Decision`, as a clause; undefined for one. Everybody who is refused, or asked, reads its rule and reason. */
export function decisionProblem(value: unknown): string | undefined {
  if (value instanceof Promise) return "it returned a promise, and `decide` must be synchronous";
  if (!isRecord(value)) return `it returned ${nameOf(value)}`;
  const { effect, grant, remember, rememberedText, suggestedRules } = value;
  if (!EFFECTS.includes(effect)) return wrong("effect", effect, '"allow", "ask" or "deny"');
  for (const name of ["rule", "reason"])
    if (typeof value[name] !== "string") return wrong(name, value[name], "a string");
  if (suggestedRules !== undefined && !isTexts(suggestedRules))
    return wrong("suggestedRules", suggestedRules, "a list of strings");
  if (effect === "deny") return undefined;
  if (!isRecord(grant)) return wrong("grant", grant, "an object, as `grantFor` makes it");
  for (const [name, empty] of Object.entries(EMPTY_GRANT))
    if (Array.isArray(empty) && !Array.isArray(grant[name]))
      return wrong(`grant.${name}`, grant[name], "a list, as `grantFor` makes it");
  const names = grant.exceptNames as readonly unknown[];
  const misnamed = names.findIndex((name) => typeof name !== "string" || name === "" || name.includes("/"));
  if (misnamed !== -1)
    return wrong(`grant.exceptNames[${misnamed}]`, names[misnamed], "a glob of one name, without a slash");
  if (effect === "ask" && remember !== undefined && !isTexts(remember))
    return wrong("remember", remember, "a list of strings");
  if (effect === "ask" && rememberedText !== undefined && !isTexts(rememberedText))
    return wrong("rememberedText", rememberedText, "a list of strings");
  return undefined;
}

/** Why a value is not an `Approval`, as a clause; undefined for one. */
export function approvalProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return `it is ${nameOf(value)}`;
  if ("denied" in value)
    return typeof value.denied === "string" ? undefined : wrong("denied", value.denied, "a string");
  if ("pending" in value) return value.pending === true ? undefined : wrong("pending", value.pending, "true");
  if (typeof value.by !== "string")
    return wrong("by", value.by, "a string: who allowed the call. To refuse, return `{ denied: REASON }`");
  return SCOPES.includes(value.scope) ? undefined : wrong("scope", value.scope, '"once", "session" or "project"');
}

const REMEMBERED_SCOPES: readonly unknown[] = [undefined, "session", "project"];
const OTHER_STATES: readonly unknown[] = ["unknown", "different-call", "different-place"];

/** Why a value is not a `TakenApproval`, as a clause; undefined for one. */
export function takenProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return `it is ${nameOf(value)}`;
  const { state, by, scope, reason, request } = value;
  if (state === "pending") return requestProblem(request);
  if (state === "denied") return typeof reason === "string" ? undefined : wrong("reason", reason, "a string");
  if (state !== "granted")
    return OTHER_STATES.includes(state) ? undefined : wrong("state", state, "a state of `TakenApproval`");
  if (typeof by !== "string") return wrong("by", by, "a string: who allowed the call");
  return REMEMBERED_SCOPES.includes(scope) ? undefined : wrong("scope", scope, '"session", "project" or undefined');
}

/** Why a value is not a list of `StoredApproval`, as a clause; undefined for one. */
export function storedProblem(value: unknown): string | undefined {
  if (!Array.isArray(value)) return `it is ${nameOf(value)}, and must be a list`;
  for (const one of value as readonly unknown[]) {
    if (!isRecord(one) || !isRecord(one.call)) return "an entry has no `call`";
    const problem = requestProblem(one.request);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function requestProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return wrong("request", value, "the request that was stored");
  const missing = ["token", "rule", "reason"].find((name) => typeof value[name] !== "string");
  return missing === undefined ? undefined : wrong(`request.${missing}`, value[missing], "a string");
}

function wrong(name: string, value: unknown, expected: string): string {
  const found = value === undefined ? "is missing" : `is ${nameOf(value)}`;
  return `\`${name}\` ${found}; it must be ${expected}`;
}

function nameOf(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 50));
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "a list";
  return value === undefined ? "nothing" : `of type ${typeof value}`;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
