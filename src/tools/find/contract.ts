/** What `find` takes and returns. Sizes are bytes. */
import type { EntryKind, InferInput, JsonSchema } from "../../kernel/index.js";
import type { GrepData, GrepLimits } from "../grep/contract.js";

export interface FindLimits extends Pick<GrepLimits, "pruning" | "order" | "relativeTo"> {
  readonly defaultEntries: number;
  readonly maxEntries: number;
  /** Bytes of all paths together. */
  readonly maxBytes: number;
  /** glob: full globs, and one with a slash is matched against the path. names: only `*` and `?`, against the name. */
  readonly wildcards: "glob" | "names";
  /** The root can match too, reported as ".". */
  readonly withRoot: boolean;
}

export const FIND_LIMITS = {
  defaultEntries: 500,
  maxEntries: 5_000,
  maxBytes: 32_768,
  pruning: { by: "ignore-files" },
  order: "found",
  relativeTo: "cwd",
  wildcards: "glob",
  withRoot: false,
} satisfies FindLimits;

export const findSchema = {
  type: "object",
  properties: {
    query: { type: "string", description: "Glob, or part of a name" },
    path: { type: "string", description: "Default: working directory" },
    type: { type: "string", enum: ["file", "dir"] },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: FIND_LIMITS.maxEntries,
      description: `Default ${FIND_LIMITS.defaultEntries}`,
    },
    includeIgnored: { type: "boolean" },
  },
  required: ["query"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type FindInput = InferInput<typeof findSchema>;

/** One match. Symlinks are not followed. */
export interface FindEntry {
  readonly path: string;
  readonly kind: EntryKind;
}

export interface FindData {
  readonly root: string;
  readonly entries: readonly FindEntry[];
  /** Entries that matched before the search ended; more than `entries` has if `maxBytes` applied. */
  readonly total: number;
  readonly why: GrepData["why"];
  readonly limit: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly unreadable: readonly string[];
  readonly engine: string;
  /** The query as a glob, if its `[…]` was searched for literally. */
  readonly asGlob?: string;
}
