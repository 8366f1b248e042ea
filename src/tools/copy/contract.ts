/** What `copy` takes and returns. Sizes are bytes. */
import type { InferInput, JsonSchema } from "../../kernel/index.js";
import { WRITE_LIMITS, type WriteLimits } from "../write/contract.js";

export const COPY_LIMITS: WriteLimits = WRITE_LIMITS;

/** Milliseconds that one copy may take: 10 minutes. */
export const COPY_TIMEOUT_MS = 600_000;

export const copySchema = {
  type: "object",
  properties: {
    from: { type: "string" },
    to: { type: "string", description: "The path of the copy, not the directory to copy into" },
    overwrite: { type: "boolean" },
  },
  required: ["from", "to"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type CopyInput = InferInput<typeof copySchema>;

export interface CopyData {
  readonly from: string;
  readonly to: string;
  /** The name of the target of `from`; absent where it is that of `to`. */
  readonly source?: string;
  /** The name of the target of `to`. */
  readonly target: string;
  readonly sizeBytes: number;
  /** Of all bytes, as hex. */
  readonly sha256: string;
  /** False: an existing file was replaced. */
  readonly created: boolean;
  readonly inPlace?: boolean;
}
