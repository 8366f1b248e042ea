/** A failed call in this dialect: wrong arguments and failed execution are told apart, and nothing else is. */
import type { Rendered, ToolResult } from "../../kernel/index.js";
import { type Failure, failureOf, missingParameter, textDetail } from "../failure.js";
import { saying } from "../rendering.js";
import { executionFailed, invalidArguments } from "./messages.js";

/** @param reason - Words the failures of execution. */
export function renderFailure(result: ToolResult<unknown>, reason: (failure: Failure) => string): Rendered {
  const failure = failureOf(result);
  const text =
    failure.code === "CALL_INVALID" ? invalidArguments(problemOf(failure)) : executionFailed(reason(failure));
  return saying(text, { clamped: true });
}

function problemOf(failure: Failure): string {
  const missing = missingParameter(failure);
  return missing === undefined ? (textDetail(failure, "problem") ?? failure.message) : `missing field \`${missing}\``;
}
