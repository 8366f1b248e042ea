/** A failed call in this dialect, which only distinguishes invalid arguments from failed execution. */
import type { Rendered, ToolResult } from "../../kernel/index.js";
import { type Failure, failureOf, missingParameterOf, textDetail } from "../failure.js";
import { textResult } from "../rendering.js";
import { executionFailed, invalidArguments, needsTmuxFor } from "./messages.js";

/** @param reason - Words the failures of execution. */
export function renderBuddyFailure(result: ToolResult<unknown>, reason: (failure: Failure) => string): Rendered {
  const failure = failureOf(result);
  const text =
    failure.code === "CALL_INVALID" ? invalidArguments(problemOf(failure)) : executionFailed(reason(failure));
  return textResult(text, { clamped: true });
}

/** A failure of a tool that only a terminal can serve. */
export function renderPaneFailure(result: ToolResult<unknown>, tool: string): Rendered {
  return renderBuddyFailure(result, ({ code, details, message }) =>
    code === "BACKEND_UNSUPPORTED" && details.feature === "terminal" ? needsTmuxFor(tool) : message,
  );
}

function problemOf(failure: Failure): string {
  const missing = missingParameterOf(failure);
  return missing === undefined ? (textDetail(failure, "problem") ?? failure.message) : `missing field \`${missing}\``;
}
