import { isRecord, shownEcho, type ToolResult } from "../../kernel/index.js";
import { type Failure, failureOf, missingParameterOf, reasonOf } from "../failure.js";
import * as messages from "./messages.js";

/** The error of a call without data to show. @param failed - Words why the tool itself failed. */
export function callError(result: ToolResult<unknown>, failed: (reason: string) => string, tool: string): string {
  const failure = failureOf(result);
  const missing = missingParameterOf(failure);
  if (missing !== undefined) return messages.missingParameterMessage(missing);
  if (failure.code === "CALL_INVALID") return failure.message;
  return failure.code.startsWith("POLICY_") ? refusalText(failure, tool) : failed(failure.message);
}

/** What the policy says is passed on; where the seed has words of its own for the rule, these. */
function refusalText(failure: Failure, tool: string): string {
  const { claim, rule, risk, token } = failure.details;
  if (failure.code === "POLICY_RATE_LIMITED") return messages.rateLimited;
  if (rule === "readonly") return messages.cannotPerform(tool);
  if (failure.code === "POLICY_APPROVAL_REQUIRED" && token === undefined && risk !== undefined)
    return messages.policyViolation(messages.requiresApproval(risk === "high" ? "High" : "Medium"));
  const reason = reasonOf(failure);
  if (reason.startsWith(messages.FORBIDDEN_PATH))
    return messages.pathBlocked(shownEcho(reason.slice(messages.FORBIDDEN_PATH.length)));
  const isFile = isRecord(claim) && claim.kind === "file" && typeof claim.path === "string";
  return isFile ? messages.pathBlocked(shownEcho(String(claim.path))) : messages.policyViolation(reason);
}
