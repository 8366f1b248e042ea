/** What `http_request` takes and returns. Sizes are bytes, times milliseconds. */
import {
  HTTP_METHODS,
  type HttpHeaders,
  type HttpMethod,
  type InferInput,
  type JsonSchema,
} from "../../kernel/index.js";

export interface HttpRequestLimits {
  /** Of the decoded body, that one result shows. */
  readonly maxBytes: number;
  /** Of a body that is saved to a file. */
  readonly maxSavedBytes: number;
  readonly defaultTimeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly redirect: "follow" | "same-host" | "manual";
}

export const HTTP_REQUEST_LIMITS = {
  maxBytes: 1_048_576,
  maxSavedBytes: 104_857_600,
  defaultTimeoutMs: 30_000,
  maxTimeoutMs: 300_000,
  redirect: "follow",
} satisfies HttpRequestLimits;

export const httpRequestSchema = {
  type: "object",
  properties: {
    url: { type: "string", description: "http or https" },
    method: { type: "string", enum: HTTP_METHODS, description: "Default GET" },
    headers: { type: "object", additionalProperties: { type: "string" } },
    body: { type: "string" },
    secret: { type: "string", description: "Name of a configured secret to authenticate with" },
    saveTo: { type: "string", description: "Save the body to this new file" },
    timeoutMs: {
      type: "integer",
      minimum: 1,
      maximum: HTTP_REQUEST_LIMITS.maxTimeoutMs,
      description: `Default ${HTTP_REQUEST_LIMITS.defaultTimeoutMs}`,
    },
  },
  required: ["url"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export type HttpRequestInput = InferInput<typeof httpRequestSchema>;

export interface HttpRequestData {
  /** After redirects. */
  readonly url: string;
  readonly redirects: readonly string[];
  readonly method: HttpMethod;
  readonly status: number;
  readonly statusText: string;
  readonly headers: HttpHeaders;
  /** Lowercase, without parameters; "" if the response gave none. */
  readonly contentType: string;
  /** The decoded body as text, at most the limit. Absent: it is not text, or it was saved. */
  readonly text?: string;
  /** Bytes of the decoded body that were read. */
  readonly bodyBytes: number;
  /** False: the body had more than the limit, and the rest was not read. */
  readonly isBodyComplete: boolean;
  /** Absolute. */
  readonly savedTo?: string;
}
