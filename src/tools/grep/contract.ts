/** What `grep` takes and returns. Lines are 1-based, sizes are bytes, times milliseconds. */
import type { InferInput, JsonSchema } from "../../kernel/index.js";

export interface GrepLimits {
  readonly defaultHits: number;
  readonly maxHits: number;
  readonly maxLineBytes: number;
  readonly maxBytes: number;
  readonly maxFileBytes?: number;
  readonly binary: "any-nul" | { readonly firstBytes: number };
  /** ignore-files: `.gitignore` and `.ignore` apply; list: only directories of these names are skipped. */
  readonly pruning: { readonly by: "ignore-files" } | { readonly by: "list"; readonly names: readonly string[] };
  /** "path": hits in the order of the children's names. "found": as found, then sorted for display. */
  readonly order: "found" | "path";
  /** Paths are reported relative to the working directory, or to the root of the search. */
  readonly relativeTo: "cwd" | "root";
}

export const GREP_LIMITS = {
  defaultHits: 200,
  maxHits: 5_000,
  maxLineBytes: 400,
  maxBytes: 32_768,
  binary: "any-nul",
  pruning: { by: "ignore-files" },
  order: "found",
  relativeTo: "cwd",
} satisfies GrepLimits;

const GREP_MAX_CONTEXT = 50;
export const GREP_MODES = ["content", "files", "count"] as const;

export const grepSchema = {
  type: "object",
  properties: {
    pattern: { type: "string" },
    path: { type: "string", description: "Directory, file or artifact:ID; default: working directory" },
    glob: { type: "string", description: "Like *.ts or src/**" },
    ignoreCase: { type: "boolean" },
    literal: { type: "boolean" },
    multiline: { type: "boolean", description: "Match across lines" },
    mode: { type: "string", enum: GREP_MODES },
    context: { type: "integer", minimum: 0, maximum: GREP_MAX_CONTEXT, description: "Lines around hits" },
    limit: {
      type: "integer",
      minimum: 1,
      maximum: GREP_LIMITS.maxHits,
      description: `Hits, default ${GREP_LIMITS.defaultHits}`,
    },
    offset: { type: "integer", minimum: 0, description: "Hits to skip; pages are in path order" },
    includeIgnored: { type: "boolean" },
  },
  required: ["pattern"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type GrepInput = InferInput<typeof grepSchema>;

/** One matching line, with the lines around it. */
export interface GrepHitData {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly truncatedBytes: number;
  readonly before: readonly { readonly line: number; readonly text: string }[];
  readonly after: readonly { readonly line: number; readonly text: string }[];
}

export interface GrepData {
  readonly root: string;
  readonly mode: "content" | "files" | "count";
  readonly hits: readonly GrepHitData[];
  readonly counts?: readonly { readonly path: string; readonly count: number }[];
  readonly why: "complete" | "limit" | "deadline" | "cancelled";
  /** The limit that applied. */
  readonly limit: number;
  readonly offset?: number;
  /** Where the next page starts. */
  readonly nextOffset?: number;
  readonly skipped: Readonly<Record<string, number>>;
  readonly unreadable: readonly string[];
  readonly engine: string;
}
