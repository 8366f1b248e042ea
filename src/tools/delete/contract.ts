/** What `delete` takes and returns. Sizes are bytes. */
import type { EntryKind, InferInput, JsonSchema } from "../../kernel/index.js";
import { WRITE_LIMITS } from "../write/contract.js";

/** Above these limits nothing is deleted, because it could not be backed up. */
export interface DeleteLimits {
  /** Counts the directory itself. */
  readonly maxEntries: number;
  /** Bytes of all files together. */
  readonly maxBytes: number;
}

export const DELETE_LIMITS = { maxEntries: 200, maxBytes: WRITE_LIMITS.maxBackupBytes } satisfies DeleteLimits;

export const deleteSchema = {
  type: "object",
  properties: { path: { type: "string" }, recursive: { type: "boolean" } },
  required: ["path"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type DeleteInput = InferInput<typeof deleteSchema>;

export interface DeleteData {
  readonly path: string;
  readonly kind: EntryKind;
  /** Of all files together. */
  readonly sizeBytes: number;
  /** The contents of a directory, at any depth. */
  readonly inside: {
    readonly files: number;
    readonly directories: number;
    readonly symlinks: number;
    readonly others: number;
  };
  /** The target text of a deleted symlink. */
  readonly target?: string;
  /** Backups: the bytes of each file that was not empty. */
  readonly kept: readonly { readonly path: string; readonly artifact: string; readonly sizeBytes: number }[];
}
