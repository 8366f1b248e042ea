/** What `send_keys` takes and returns. */
import type { InferInput, JsonSchema, PaneState } from "../../kernel/index.js";

export interface SendKeysLimits {
  readonly maxDelayMs: number;
}

export const SEND_KEYS_LIMITS = { maxDelayMs: 60_000 } satisfies SendKeysLimits;

export const sendKeysSchema = {
  type: "object",
  properties: {
    pane: { type: "string", description: "Id like %3; default: where commands run" },
    text: { type: "string", description: "Text to type, literally" },
    keys: { type: "array", items: { type: "string" }, description: "Then pressed: C-c, Up, Escape, F1" },
    enter: { type: "boolean", description: "Then press Enter (default false)" },
    delayMs: { type: "integer", minimum: 0, maximum: SEND_KEYS_LIMITS.maxDelayMs, description: "Wait before" },
  },
  additionalProperties: false,
} as const satisfies JsonSchema;

export type SendKeysInput = InferInput<typeof sendKeysSchema>;

export interface SendKeysData {
  /** The pane after the keys, as far as it has reacted. */
  readonly state: PaneState;
}
