import type { ToolResult } from "../../kernel/index.js";
import { failureOf, missingParameterOf, textDetail } from "../failure.js";
import { systemReason } from "../system-reason.js";
import * as messages from "./messages.js";

/** The texts of one file tool, where they are its own. */
export interface FileErrorTexts {
  notAllowed(): string;
  /** For a path that leads to a place that is not allowed. Default: `notAllowed`. */
  resolvedNotAllowed?(real: string): string;
  failed(reason: string): string;
  /** Default: `failed`. */
  notFound?(reason: string): string;
}

/** The error of a file tool, by what it failed of. */
export function fileError(result: ToolResult<unknown>, texts: FileErrorTexts): string {
  const failure = failureOf(result);
  const missing = missingParameterOf(failure);
  if (missing !== undefined) return messages.missingParameterMessage(missing);
  if (failure.code === "CALL_INVALID") return failure.message;
  if (failure.code.startsWith("POLICY_")) {
    const real = textDetail(failure, "real");
    return real === undefined ? texts.notAllowed() : (texts.resolvedNotAllowed?.(real) ?? texts.notAllowed());
  }
  const { failed, notFound = failed } = texts;
  return (failure.code === "FS_NOT_FOUND" ? notFound : failed)(systemReason(failure));
}
