/** What `write` takes and returns. Sizes are bytes. */
import type { InferInput, JsonSchema } from "../../kernel/index.js";

/**
 * Whether a file must have been read before it is changed, the loosest first. off: no. handle: for write and edit, if the host
 * passes a read-state. write: for write. on: for write and edit.
 */
export const GATES = Object.freeze(["off", "handle", "write", "on"] as const);
/** When `write` and `edit` require that a file was read in this session. */
export type Gate = (typeof GATES)[number];

export interface WriteLimits {
  readonly gate: Gate;
  /** Create missing parent directories. */
  readonly parents: boolean;
  /** A larger old file is neither compared with `expect` nor backed up: as much as one artifact stores. */
  readonly maxBackupBytes: number;
}

export const WRITE_LIMITS = { gate: "write", parents: true, maxBackupBytes: 64 * 1024 * 1024 } satisfies WriteLimits;

export const writeSchema = {
  type: "object",
  properties: {
    path: { type: "string" },
    content: { type: "string" },
    expect: { type: "string", description: "SHA-256 of the old bytes in hex, or absent" },
  },
  required: ["path", "content"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type WriteInput = InferInput<typeof writeSchema>;

export interface WriteData {
  readonly path: string;
  readonly created: boolean;
  readonly bytes: number;
  readonly beforeHash?: string;
  readonly afterHash: string;
  readonly inPlace?: boolean;
  /** What the new file does not preserve of the old one: its BOM, encoding or line endings. */
  readonly differs?: readonly string[];
}
