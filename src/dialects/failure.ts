/** A failed result in which every member is present, whatever the tool or the pipeline omitted. */
import { clamp, isRecord, type RenderContext, shownEcho, type ToolResult } from "../kernel/index.js";

export interface Failure {
  readonly code: string;
  /** The default dialect's sentence. */
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Bytes of a message; the middle of a longer one is omitted. */
const MAX_SENTENCE_BYTES = 16_384;

/** The message of a tool or a port, which may contain whatever a model sent. */
function bounded(sentence: string): string {
  const notice = (omitted: number) => `… (${omitted} bytes omitted) …`;
  return clamp(sentence, { kind: "middle", maxBytes: MAX_SENTENCE_BYTES, notice });
}

export function failureOf(result: ToolResult<unknown>): Failure {
  const code = typeof result.code === "string" ? result.code : "CALL_THREW";
  const details = isRecord(result.details) ? result.details : {};
  return { code, message: bounded(messageOfResult(result) ?? `The call failed with ${code}.`), details };
}

function messageOfResult(result: ToolResult<unknown>): string | undefined {
  if (typeof result.message === "string" && result.message !== "") return result.message;
  const message = result.content.flatMap((block) => (block.kind === "text" && block.text !== "" ? [block.text] : []));
  return message.length === 0 ? undefined : message.join("\n");
}

/** The reason of a refusal, without "Did not run …". */
export function reasonOf(failure: Failure): string {
  const { reason } = failure.details;
  if (typeof reason === "string" && reason !== "") return bounded(reason);
  return failure.message.replace(/^Did not run `[^`]*`(?: yet)?: /, "");
}

/** The missing parameter, if that is the problem. */
export function missingParameterOf(failure: Failure): string | undefined {
  const { missing, parameter } = failure.details;
  if (failure.code !== "CALL_INVALID") return undefined;
  if (typeof missing === "string") return missing;
  return missing === true && typeof parameter === "string" ? parameter : undefined;
}

export function textDetail(failure: Failure, name: string): string | undefined {
  const value = failure.details[name];
  return typeof value === "string" ? bounded(value) : undefined;
}

export function numberDetail(failure: Failure, name: string): number | undefined {
  const value = failure.details[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** The path as the model spelled it, bounded: its argument, else the fallback. */
export function givenPathOf(about: RenderContext, fallback: unknown, parameter = "path"): string {
  const givenPath = about.arguments[parameter];
  if (typeof givenPath === "string") return shownEcho(givenPath);
  return typeof fallback === "string" ? shownEcho(fallback) : "";
}

/** An own entry of a table; inherited names such as `toString` are not entries. */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, key: string): Entry | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
