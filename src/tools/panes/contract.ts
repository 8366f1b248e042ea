/** What `panes` takes and returns. */
import type { InferInput, JsonSchema, PaneState } from "../../kernel/index.js";

const PANES_ACTIONS = ["list", "open", "close"] as const;

export const panesSchema = {
  type: "object",
  properties: {
    action: { type: "string", enum: PANES_ACTIONS },
    pane: { type: "string", description: "For close: id like %3" },
    name: { type: "string", description: "For open: its title" },
  },
  required: ["action"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type PanesInput = InferInput<typeof panesSchema>;

export interface PanesData {
  readonly action: PanesInput["action"];
  /** Listed, or opened. */
  readonly panes: readonly PaneState[];
  /** For a list: the command with which the user sees them. */
  readonly attachCommand?: string;
  /** The pane that was closed. */
  readonly closed?: string;
}
