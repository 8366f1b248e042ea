import type { ToolResult } from "../../kernel/index.js";
import { failureOf, missingParameterOf, reasonOf } from "../failure.js";
import * as messages from "./messages.js";

/** The error of a call without data to show. @param failed - Words why the tool itself failed. */
export function callError(result: ToolResult<unknown>, failed: (reason: string) => string, tool: string): string {
  const failure = failureOf(result);
  const missing = missingParameterOf(failure);
  if (missing !== undefined) return messages.missingParameterMessage(missing);
  if (failure.code === "CALL_INVALID") return failure.message;
  if (failure.code === "POLICY_RATE_LIMITED") return messages.rateLimited;
  if (failure.details.rule === "readonly") return messages.cannotPerform(tool);
  return failure.code.startsWith("POLICY_") ? messages.policyViolation(reasonOf(failure)) : failed(failure.message);
}
