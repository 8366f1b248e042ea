/** What `edit` takes and returns. Sizes are bytes, lines are 1-based. */
import { EDIT_STAGES, type EditRange, type EditStage, type WhitespaceFolding } from "../../engines/edit/index.js";
import type { InferInput, JsonSchema } from "../../kernel/index.js";
import { type Gate, WRITE_LIMITS } from "../write/contract.js";

export interface EditLimits {
  readonly gate: Gate;
  readonly stages: readonly EditStage[];
  /** Default "inside". */
  readonly whitespace?: WhitespaceFolding;
  /** The middle of a longer diff is omitted, and the old file is backed up. */
  readonly maxDiffBytes: number;
  /** A larger old file is not backed up. */
  readonly maxBackupBytes: number;
}

export const EDIT_LIMITS = {
  gate: "write",
  stages: EDIT_STAGES,
  whitespace: "inside",
  maxDiffBytes: 16_384,
  maxBackupBytes: WRITE_LIMITS.maxBackupBytes,
} satisfies EditLimits;

export const editPairSchema = {
  type: "object",
  properties: { oldText: { type: "string" }, newText: { type: "string" } },
  required: ["oldText", "newText"],
  additionalProperties: false,
} as const satisfies JsonSchema;

/** All pairs are matched against the file as it was. */
export const editSchema = {
  type: "object",
  properties: {
    path: { type: "string" },
    edits: { type: "array", items: editPairSchema },
    replaceAll: { type: "boolean" },
  },
  required: ["path", "edits"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type EditInput = InferInput<typeof editSchema>;

export interface EditData {
  readonly path: string;
  readonly replacements: number;
  /** The latest stage that was needed. */
  readonly strategy: EditStage;
  readonly ranges: readonly EditRange[];
  readonly beforeHash: string;
  readonly afterHash: string;
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
  /** The file had changed elsewhere since it was read; the edit still applied. */
  readonly merged: boolean;
  readonly reindented: boolean;
  /** The line endings of `newText` were converted to those of the file, or of the edited place if the file mixes them. */
  readonly eolConverted: boolean;
  readonly inPlace?: boolean;
}
