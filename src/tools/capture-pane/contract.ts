/** What `capture_pane` takes and returns. */
import type { CaptureOptions, InferInput, JsonSchema, PaneState } from "../../kernel/index.js";

export interface CapturePaneLimits {
  readonly maxDelayMs: number;
  /** A pane that is gone is replaced by the default one, and the result says so. */
  readonly retargets: boolean;
}

export const CAPTURE_PANE_LIMITS = { maxDelayMs: 60_000, retargets: false } satisfies CapturePaneLimits;

export const capturePaneSchema = {
  type: "object",
  properties: {
    pane: { type: "string", description: "Id like %3; default: where commands run" },
    from: { type: "integer", description: "First line; 0 is the top of the screen, negative is scrollback" },
    to: { type: "integer", description: "Last line; default: bottom of the screen" },
    join: { type: "boolean", description: "Join wrapped lines; default true" },
    escapes: { type: "boolean", description: "Keep colors, as \\033[31m" },
    delayMs: { type: "integer", minimum: 0, maximum: CAPTURE_PANE_LIMITS.maxDelayMs, description: "Wait before" },
  },
  additionalProperties: false,
} as const satisfies JsonSchema;

/** Beside the schema, what the dialects of other systems offer. */
export type CapturePaneInput = Omit<InferInput<typeof capturePaneSchema>, "from" | "to"> &
  Partial<Pick<CaptureOptions, "from" | "to" | "trailing" | "escapeNonPrintable" | "alternate">>;

export interface CapturePaneData {
  readonly text: string;
  readonly state: PaneState;
  /** The screen that an alternate-screen program has saved was requested, and there is no such program. */
  readonly fellBack: boolean;
  /** The pane that was requested and is gone. */
  readonly missing?: string;
}
