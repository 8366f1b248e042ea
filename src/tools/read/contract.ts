/** What `read` takes and returns. Lines are 1-based and inclusive, sizes are bytes. */
import type { InferInput, JsonSchema } from "../../kernel/index.js";

export interface ReadLimits {
  readonly maxLines: number;
  readonly maxBytes: number;
  /** A longer line is truncated and listed in `truncatedLines`. */
  readonly maxLineBytes: number;
  /** "head": the window ends at these limits; "none": the whole window is returned, up to a limit of memory. */
  readonly truncate: "head" | "none";
  /** A notebook (`.ipynb`) that is not too large is shown as its cells, unless an encoding is given. Default false: as JSON. */
  readonly notebooks?: boolean;
  /**
   * A PNG, JPEG, GIF or WebP image is scaled to what models accept and a PDF is shown as the text of its pages, unless an
   * encoding is given. Default false: type and size only, except for an image that fits as it is.
   */
  readonly media?: boolean;
}

export const READ_LIMITS = {
  maxLines: 2_000,
  maxBytes: 65_536,
  maxLineBytes: 2_000,
  truncate: "head",
  notebooks: true,
  media: true,
} satisfies ReadLimits;

export const readSchema = {
  type: "object",
  properties: {
    path: { type: "string", description: "File, or artifact:ID" },
    offset: { type: "integer", description: "First line, from 1; negative: from the end" },
    limit: { type: "integer", minimum: 1, maximum: READ_LIMITS.maxLines },
    encoding: { type: "string", description: "Default: detected" },
  },
  required: ["path"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type ReadInput = InferInput<typeof readSchema>;

export interface ReadData {
  readonly path: string;
  readonly kind: "text" | "binary" | "image" | "artifact";
  readonly encoding: string;
  /** The file has no BOM, is not UTF-8, and the call named no encoding. */
  readonly isGuessed?: true;
  /** The file starts with a BOM, which is not part of `text`. */
  readonly hasBom: boolean;
  readonly eol: "lf" | "crlf" | "cr" | "mixed" | "none";
  /** The decoded window with its line endings; long lines are truncated. For a notebook, its cells. */
  readonly text: string;
  /** 0 and 0 for an empty window. Negative, counted from the end (-1 is the last line), if the lines before were not counted. */
  readonly startLine: number;
  readonly endLine: number;
  /** null if not counted. */
  readonly totalLines: number | null;
  /** A lower bound, if `totalLines` is null. */
  readonly atLeastLines?: number;
  readonly sizeBytes: number;
  /** The line to continue with; absent at the end. */
  readonly nextOffset?: number;
  /** The window ended before its `limit` because of `maxBytes`. */
  readonly truncatedByBytes?: boolean;
  readonly truncatedLines: readonly { readonly line: number; readonly bytes: number }[];
  /** Characters that could not be decoded and show as U+FFFD. */
  readonly replaced?: number;
  readonly mime?: string;
  /** For an image whose content was read. */
  readonly picture?: ReadPicture;
  /** `text` was generated from the file: its lines are not lines of the file. */
  readonly isView?: boolean;
}

/** An image, sizes in pixels. */
export interface ReadPicture {
  readonly width: number;
  readonly height: number;
  /** More than one frame; only the first is shown. */
  readonly isAnimated: boolean;
  /** The copy shown in its place, if the file itself does not fit. */
  readonly shown?: {
    readonly mime: string;
    readonly width: number;
    readonly height: number;
    readonly sizeBytes: number;
  };
}
