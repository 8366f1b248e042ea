/** What `time` takes and returns. */
import type { InferInput, JsonSchema } from "../../kernel/index.js";

export const TIME_FORMATS = ["iso", "long", "rfc2822", "unix"] as const;
export type TimeFormat = (typeof TIME_FORMATS)[number];

export const timeSchema = {
  type: "object",
  properties: {
    format: { type: "string", enum: TIME_FORMATS, description: "Default iso" },
    zone: { type: "string", description: "IANA name like Europe/Berlin; default UTC" },
  },
  additionalProperties: false,
} as const satisfies JsonSchema;

export type TimeInput = InferInput<typeof timeSchema>;

export interface TimeData {
  /** Nanoseconds since the epoch, decimal: more than a JSON number can represent. */
  readonly epochNs: string;
  readonly zone: string;
  readonly format: TimeFormat;
  readonly text: string;
}
