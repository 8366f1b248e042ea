/** Tool results, and helpers that create them. */
import type { ErrorCode } from "./errors.js";

/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json };

/** Where text comes from. What is not from the workspace is untrusted and labeled as such. */
export type Provenance = {
  readonly from: "workspace" | "outside" | "web" | "pane" | "server" | "model";
  readonly ref: string;
};

/** One piece of an answer, distinguished by `kind`. */
export type ContentBlock = { readonly provenance?: Provenance } & (
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "json"; readonly value: Json }
  | { readonly kind: "image"; readonly data: Uint8Array; readonly mime: string }
  | { readonly kind: "resource"; readonly uri: string; readonly text?: string }
);

/** Something omitted from a result: what, how much, and where to get it. */
export interface Truncation {
  readonly what: string;
  readonly producedBytes: number;
  readonly keptBytes: number;
  readonly artifact?: string;
  readonly next?: string;
}

/**
 * Our own tools return `data` (or a `code`) and leave `content` empty: the dialect renders it.
 * A tool that gives only `content` passes through unrendered.
 */
export interface ToolResult<Data = unknown> {
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
  readonly data?: Data;
  readonly code?: ToolErrorCode;
  /** The default dialect's sentence for a failure; other dialects may word it themselves from `code` and `details`. */
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The public part of `data`, never all of it, for hosts; an MCP client gets it in `_meta` on request. */
  readonly structured?: Json;
  readonly truncations?: readonly Truncation[];
  readonly provenance?: Provenance;
  /** Absolute URLs that the result shows. A GET of exactly such a URL carries nothing out that the model has read. */
  readonly urls?: readonly string[];
}

/** How a call ended. Only "ok" is no error. */
export type CallStatus =
  | "ok"
  | "failed"
  | "unknown-tool"
  | "invalid"
  | "denied"
  | "input-required"
  | "cancelled"
  | "timed-out"
  | "abandoned";

/** A code of Haft or, in capitals, one of a third party's tool. */
export type ToolErrorCode = ErrorCode | (string & {});

/** A successful result of one text block. */
export function text(value: string): ToolResult<never> {
  return { content: [{ kind: "text", text: value }], isError: false };
}

/** A successful result of one json block. */
export function json(value: Json): ToolResult<never> {
  return { content: [{ kind: "json", value }], isError: false };
}

/** A failed result of one text block, for the model to read. */
export function failure(value: string, code?: ToolErrorCode): ToolResult<never> {
  const base = { content: [{ kind: "text" as const, text: value }], isError: true };
  return code === undefined ? base : { ...base, code };
}

/** A successful result that the dialect renders. */
export function ok<Data>(data: Data, more: Partial<Omit<ToolResult<Data>, "data" | "isError">> = {}): ToolResult<Data> {
  return { content: [], isError: false, data, ...more };
}

/** A failed result that the dialect renders from its code; `message` is the default dialect's sentence. */
export function fail<Data = never>(
  code: ErrorCode,
  message: string,
  more: Partial<Omit<ToolResult<Data>, "code" | "message" | "isError">> = {},
): ToolResult<Data> {
  return { content: [], isError: true, code, message, ...more };
}

/** A block as text: its own, its JSON, or a placeholder for binary data. */
export function blockText(block: ContentBlock): string {
  if (block.kind === "text") return block.text;
  if (block.kind === "json") return JSON.stringify(block.value) ?? "null";
  if (block.kind === "resource") return block.text ?? block.uri;
  return `[${block.mime}, ${block.data.length} byte${block.data.length === 1 ? "" : "s"}]`;
}

/** The flat output of a list of blocks. An empty list gives an empty string. */
export function project(content: readonly ContentBlock[]): Json | readonly ContentBlock[] {
  const [only, ...others] = content;
  if (only === undefined) return "";
  if (others.length === 0 && only.kind === "text") return only.text;
  if (others.length === 0 && only.kind === "json") return only.value as Json;
  return content;
}
