/** Models send arguments in many shapes; this makes the bag an object where that needs no guess. */
import { jsonFault, showControls } from "../text/index.js";

type Coerced =
  /** `note`: what was repaired, as one sentence. */
  | { readonly value: unknown; readonly note?: string }
  /** Why the text is no arguments, as a clause. */
  | { readonly problem: string };

/** JSON, a Markdown fence, a string of JSON, a call in the tags of a chat template: never a path, a pattern or a command. */
const LOOKS_LIKE_CALL = /^(?:[{[]|```|~~~|["']\s*[{[]|<\|?tool_call)/;
const FENCE = /^(`{3,}|~{3,})[^\S\n]*[\w+-]*[^\S\n]*\n?/;

/**
 * JSON text that holds an object or a list is parsed, also in a Markdown fence; null and undefined become `{}`. A text that
 * begins like one and is none is refused: mending it would be a guess, and a guess may be a command. Any other text becomes
 * the parameter `bareString`, where there is one; the rest is passed on for validation to answer.
 */
export function coerceBag(input: unknown, bareString?: string): Coerced {
  if (input === null || input === undefined) return { value: {} };
  if (typeof input !== "string") return { value: input };
  const text = input.trim(); // takes a byte-order mark too
  if (!LOOKS_LIKE_CALL.test(text)) return { value: bareString === undefined ? input : { [bareString]: input } };
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

/** Where the JSON that begins in `text` at `start` breaks, in the lines and columns of `text`. */
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
