/** What a call returns, always. */
import type { Decision } from "./claims.js";
import type { CallStatus, ContentBlock, Json, ToolErrorCode, Truncation } from "./result.js";
import type { ApprovalRequest } from "./services.js";

/** How one call ended. `output` is the projection: one text block gives a string, one json block its value, else a list. */
export interface ToolOutcome<Tool extends string = string, Data = unknown> {
  readonly id: string;
  /** The canonical name of the tool, whatever name the dialect gives it; of an unknown tool, the name that was called. */
  readonly tool: Tool;
  /** What the tool returned, redacted but not truncated. Absent where it returned only text or failed without data. */
  readonly data?: Data;
  /** The content as one value: the text of one text block, the value of one JSON block, else the blocks. */
  readonly output: Json | readonly ContentBlock[];
  /** True for every status but "ok", except where the dialect sets `isError: false` for a call that did not run. */
  readonly isError: boolean;
  readonly code?: ToolErrorCode;
  readonly status: CallStatus;
  /** The rendered blocks before projection; MCP and others build their own envelope from them. */
  readonly content: readonly ContentBlock[];
  readonly structured?: Json;
  readonly truncations: readonly Truncation[];
  /** What was repaired in the arguments, and why a change cannot be undone, as sentences. */
  readonly repairs: readonly string[];
  readonly artifacts: readonly string[];
  readonly decision: { readonly rule: string; readonly effect: Decision["effect"]; readonly approver: string | null };
  /** For "input-required": the request as the approver got it. Send the same call again with its token as `resume` once it has been granted. */
  readonly inputRequired?: ApprovalRequest;
  /** Id of the call's audit entry. */
  readonly audit: string;
}
