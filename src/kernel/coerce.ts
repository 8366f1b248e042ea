/** Converts the arguments of a model to an object if that is unambiguous. */
import { jsonFault, showControls } from "../text/index.js";

export type Coerced =
  /** `note`: what was repaired, as one sentence. */
  | { readonly value: unknown; readonly note?: string }
  /** Why the text cannot be arguments, as a clause. */
  | { readonly problem: string };

/** The start of JSON, a Markdown fence, a string of JSON or a chat template's call; no path, pattern or command begins like that. */
const LOOKS_LIKE_CALL = /^(?:[{[]|```|~~~|["']\s*[{[]|<\|?tool_call)/;
const FENCE = /^(`{3,}|~{3,})[^\S\n]*[\w+-]*[^\S\n]*\n?/;

/**
 * JSON text of an object or a list is parsed, also in a Markdown fence; null and undefined become `{}`. A text that begins like
 * JSON but is invalid is refused, because repairing it would be a guess, and the guess could be a command. Any other text stays a
 * text; everything else is left for validation.
 */
export function coerceBag(input: unknown): Coerced {
  if (input === null || input === undefined) return { value: {} };
  if (typeof input !== "string") return { value: input };
  const text = input.trim(); // removes a BOM too
  if (!LOOKS_LIKE_CALL.test(text)) return { value: input };
  const [opening = "", mark = ""] = FENCE.exec(text) ?? [];
  const isClosed = mark !== "" && text.length > opening.length && text.endsWith(mark);
  const json = text.slice(opening.length, isClosed ? -mark.length : undefined);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return refused(`are not valid JSON: ${complaint(text, opening.length, json)}`);
  }
  if (mark !== "" && !isClosed) return refused("begin with an unclosed Markdown fence");
  if (typeof value === "string") return refused("are a JSON string that holds JSON, not an object");
  return mark === "" ? { value } : { value, note: "The Markdown fence around the arguments was removed." };
}

/** Line and column in `text` of the syntax error of the JSON that begins at `start`. */
function complaint(text: string, start: number, json: string): string {
  const fault = jsonFault(json) ?? { offset: json.length, expected: "less nesting" };
  const offset = start + fault.offset;
  const before = text.slice(0, offset).split("\n");
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  const [char] = text.slice(offset, offset + 2);
  const found =
    char === undefined || fault.offset === json.length ? "the text ends there" : `found \`${showControls(char)}\``;
  return `expected ${fault.expected} at ${place}, but ${found}`;
}

function refused(why: string): Coerced {
  return { problem: `the arguments ${why}. Send one JSON object, complete and by itself` };
}

/** Whether a value is an object with named members: not null, not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
