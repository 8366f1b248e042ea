import type { RenderContext, ToolResult } from "../../kernel/index.js";
import { failureOf, missingParameterOf, textDetail } from "../failure.js";
import { systemReason } from "../system-reason.js";
import * as messages from "./messages.js";

/** The texts of one file tool, where they are its own. */
export interface FileErrorTexts {
  notAllowed(): string;
  /** In a session that is read-only. Default: `notAllowed`. */
  readOnly?(): string;
  /** For a path that leads to a place that is not allowed. Default: `notAllowed`. */
  resolvedNotAllowed?(real: string): string;
  failed(reason: string): string;
  /** Default: `failed`. */
  notFound?(reason: string): string;
}

/** The problem of a path that is refused before policy is asked: the seed expands none of these. */
export function refusedPath(path: string): { readonly problem: string; readonly parameter: string } | undefined {
  if (!isRefusedPath(path)) return undefined;
  return { problem: "`path` has a `..`, a `~` or a NUL byte; name a path in the workspace", parameter: "path" };
}

function isRefusedPath(path: unknown): boolean {
  return typeof path === "string" && /\0|^~(\/|$)|(^|\/)\.\.(\/|$)/.test(path);
}

/** The error of a file tool, by what it failed of. */
export function fileError(result: ToolResult<unknown>, about: RenderContext, texts: FileErrorTexts): string {
  const failure = failureOf(result);
  const missing = missingParameterOf(failure);
  if (missing !== undefined) return messages.missingParameterMessage(missing);
  if (failure.code === "CALL_INVALID")
    return failure.details.parameter === "path" && isRefusedPath(about.arguments.path)
      ? texts.notAllowed()
      : failure.message;
  if (failure.code === "POLICY_RATE_LIMITED") return messages.rateLimited;
  if (failure.details.rule === "readonly" && texts.readOnly !== undefined) return texts.readOnly();
  if (failure.code.startsWith("POLICY_")) {
    const real = textDetail(failure, "real");
    return real === undefined ? texts.notAllowed() : (texts.resolvedNotAllowed?.(real) ?? texts.notAllowed());
  }
  const { failed, notFound = failed } = texts;
  return (failure.code === "FS_NOT_FOUND" ? notFound : failed)(systemReason(failure));
}
