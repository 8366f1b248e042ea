/** What `move` takes and returns. Sizes are bytes. */
import type { EntryKind, InferInput, JsonSchema } from "../../kernel/index.js";
import { WRITE_LIMITS } from "../write/contract.js";

export interface MoveLimits {
  /** A larger file is not replaced, because it could not be backed up. */
  readonly maxReplacedBytes: number;
}

export const MOVE_LIMITS = { maxReplacedBytes: WRITE_LIMITS.maxBackupBytes } satisfies MoveLimits;

export const moveSchema = {
  type: "object",
  properties: {
    from: { type: "string" },
    to: { type: "string", description: "The new path, not the directory to move into" },
    overwrite: { type: "boolean" },
  },
  required: ["from", "to"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type MoveInput = InferInput<typeof moveSchema>;

export interface MoveData {
  readonly from: string;
  readonly to: string;
  /** A symlink is reported as one, whatever its target. */
  readonly kind: EntryKind;
  /** 0 if not a file. */
  readonly sizeBytes: number;
  /** The target text of a moved symlink. */
  readonly target?: string;
  /** The moved symlink is relative and resolves to another path from its new directory. */
  readonly targetChanges: boolean;
  readonly replaced: boolean;
  /** The target text of a replaced symlink. */
  readonly replacedTarget?: string;
}
