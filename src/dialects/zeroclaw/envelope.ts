/**
 * `{success, output, error}` (ZC-002). The blocks of an outcome carry both sides: of a failed call the last block is the
 * error and what stands before it is the output.
 */
import type { Rendered, ToolOutcome } from "../../kernel/index.js";
import { textBlocks, textOfBlocks } from "../rendering.js";

/** What a ZeroClaw host receives. `error` is null exactly when `success` is true. */
export interface ZeroclawResult {
  readonly success: boolean;
  readonly output: string;
  readonly error: string | null;
}

/** A failed call: what it put out, if anything, and its error. */
export function failed(error: string, output = "", more: Omit<Rendered, "content"> = {}): Rendered {
  return textBlocks(output === "" ? [error] : [output, error], { clamped: true, ...more });
}

export function zeroclawEnvelope(outcome: ToolOutcome): ZeroclawResult {
  if (!outcome.isError) return { success: true, output: textOfBlocks(outcome.content), error: null };
  return {
    success: false,
    output: textOfBlocks(outcome.content.slice(0, -1)),
    error: textOfBlocks(outcome.content.slice(-1)),
  };
}
