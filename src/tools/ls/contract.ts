/** What `ls` takes and returns. Sizes are bytes. */
import type { EntryKind, InferInput, JsonSchema } from "../../kernel/index.js";

export interface LsLimits {
  readonly defaultEntries: number;
  readonly maxEntries: number;
}

export const LS_LIMITS = { defaultEntries: 500, maxEntries: 5_000 } satisfies LsLimits;

export const lsSchema = {
  type: "object",
  properties: {
    path: { type: "string", description: "Default: working directory" },
    showHidden: { type: "boolean" },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: LS_LIMITS.maxEntries,
      description: `Default ${LS_LIMITS.defaultEntries}`,
    },
  },
  additionalProperties: false,
} as const satisfies JsonSchema;

export type LsInput = InferInput<typeof lsSchema>;

/** One child of a directory. `kind` and `sizeBytes` are those of a symlink's target. */
export interface LsEntry {
  readonly name: string;
  readonly kind: EntryKind;
  /** 0 if not a file. */
  readonly sizeBytes: number;
  /** The target text of a symlink. */
  readonly target?: string;
  /** unreached: a dangling symlink, or a target that this call may not access. unnamed: the name is not UTF-8. */
  readonly error?: "unreached" | "unnamed";
}

/** The children of one directory: directories first, then by name (case-insensitive), then by exact name. */
export interface LsData {
  readonly path: string;
  readonly entries: readonly LsEntry[];
  /** Entries that are not hidden, or all with `showHidden`; more than `entries` has if the limit applied. */
  readonly total: number;
  /** The directory has more entries than were counted. */
  readonly more: boolean;
  readonly limit: number;
  /** Omitted entries whose names begin with a dot. */
  readonly hidden: number;
}
