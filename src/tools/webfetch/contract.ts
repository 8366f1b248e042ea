/** What `webfetch` takes and returns. Sizes are bytes, offsets characters, times milliseconds. */
import type { InferInput, JsonSchema } from "../../kernel/index.js";
import type { ReadPicture } from "../read/contract.js";

export interface WebFetchLimits {
  /** Of the decoded body, if the call gives none. Of an image or PDF, of which a part is useless, `maxBytes` is read. */
  readonly defaultBytes: number;
  readonly maxBytes: number;
  /** Of the rendered text, that one result shows. */
  readonly maxCharacters: number;
  readonly timeoutMs: number;
  /** As in `HttpRequest`. */
  readonly redirect: "follow" | "same-host";
  /**
   * The bodies that are shown; any other fails with `WEB_UNREADABLE`. "text": whatever is text; "page": HTML, plain text, Markdown
   * and JSON.
   */
  readonly types: "all" | "text" | "page";
}

export const WEBFETCH_LIMITS = {
  defaultBytes: 1_048_576,
  maxBytes: 5_242_880,
  maxCharacters: 40_000,
  timeoutMs: 30_000,
  redirect: "follow",
  types: "all",
} satisfies WebFetchLimits;

export const WEBFETCH_FORMATS = ["markdown", "text", "html", "article"] as const;
/** "article": the main text alone. "html": the source of whatever type. "simplified", for dialects: HTML with few marks, any other text as it is. */
export type WebFetchFormat = (typeof WEBFETCH_FORMATS)[number] | "simplified";

export const webfetchSchema = {
  type: "object",
  properties: {
    url: { type: "string", description: "http or https" },
    format: { type: "string", enum: WEBFETCH_FORMATS, description: "Default markdown; html: the source" },
    offset: { type: "integer", minimum: 0, description: "Character to start at; default 0" },
    maxBytes: {
      type: "integer",
      minimum: 1,
      maximum: WEBFETCH_LIMITS.maxBytes,
      description: `Of the page; default ${WEBFETCH_LIMITS.defaultBytes}`,
    },
  },
  required: ["url"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type WebFetchInput = Omit<InferInput<typeof webfetchSchema>, "format"> & { readonly format?: WebFetchFormat };

export interface WebFetchData {
  /** After redirects. */
  readonly url: string;
  /** The URLs that redirected. Empty: none did. */
  readonly redirects: readonly string[];
  readonly status: number;
  /** May be empty. */
  readonly statusText: string;
  /** Lowercase, without parameters; "" if the response gave none. */
  readonly contentType: string;
  /** By which the body was decoded. Absent: it is not text. */
  readonly charset?: string;
  readonly kind: "html" | "feed" | "json" | "text" | "pdf" | "image" | "binary";
  readonly title?: string;
  /** A window of the rendered text, from `offset`. Empty for an image and for a binary body. */
  readonly text: string;
  readonly offset: number;
  /** Where to continue. Absent: the text ends here. */
  readonly nextOffset?: number;
  /** Characters of the whole rendered text. */
  readonly totalCharacters: number;
  /** Bytes of the decoded body that were read, at most the limit. */
  readonly bodyBytes: number;
  /** False: the body had more than the limit, and the rest was not read. */
  readonly isBodyComplete: boolean;
  /** The whole rendered text, where the result shows a part of it. */
  readonly artifact?: string;
  /** Absent: it was fetched by this call. "fresh": an earlier call had fetched it, "revalidated": the server says that it has not changed. */
  readonly cached?: "fresh" | "revalidated";
  /** With `cached`: seconds since the server sent it, or said that it has not changed. */
  readonly ageSeconds?: number;
  /** Of an image whose header could be read. */
  readonly picture?: ReadPicture;
  /** Sentences about what was decided for the reader: that the article mode is not available, that characters could not be decoded. */
  readonly notes: readonly string[];
}
