/** The failed side of a result, made safe to read: every member is there, whatever the tool or the pipeline left out. */
import { clamp, isRecord, type RenderContext, shownEcho, type ToolResult } from "../kernel/index.js";

export interface Failure {
  readonly code: string;
  /** The default dialect's sentence. */
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Bytes of a sentence that a failure is told with. Over that its middle is left out, and how much. */
const MAX_SENTENCE_BYTES = 16_384;

/** A sentence of a tool or a port, which may hold whatever a model sent. */
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

/** The reason of a refusal alone, without the clause that says what was not run. */
export function reasonOf(failure: Failure): string {
  const { reason } = failure.details;
  if (typeof reason === "string" && reason !== "") return bounded(reason);
  return failure.message.replace(/^Did not run `[^`]*`(?: yet)?: /, "");
}

/** The parameter that a call left out, where that is what was wrong with it. */
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

/** A path as the model spelled it, as far as it is shown: its own argument, else what the data or the details say. */
export function givenPathOf(about: RenderContext, fallback: unknown, parameter = "path"): string {
  const givenPath = about.arguments[parameter];
  if (typeof givenPath === "string") return shownEcho(givenPath);
  return typeof fallback === "string" ? shownEcho(fallback) : "";
}

/** The entry of a table for a code or reason that may be any text: names that every object has are no entries. */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, key: string): Entry | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
