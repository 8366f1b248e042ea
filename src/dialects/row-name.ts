import { showControls } from "../text/index.js";

/** Leading and trailing whitespace, leading quotes, and the empty name. */
const AMBIGUOUS = /^[\s"]|\s$|^$/;
/** As `JSON.stringify` escapes what it must; the rest of the control characters are escaped in the same way. */
const ESCAPED_HERE = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * A name or path on one row: as it is, or as a JSON string if it contains control characters, begins or ends with whitespace,
 * or begins with a quote. Names are shown unambiguously, as a call accepts them.
 */
export function rowName(name: string): string {
  return !AMBIGUOUS.test(name) && showControls(name) === name ? name : jsonName(name);
}

/** A path in front of `:line:`; a JSON string if it contains such a number itself. */
export function hitPath(path: string): string {
  return /:\d+(?::|$)/.test(path) ? jsonName(path) : rowName(path);
}

function jsonName(name: string): string {
  return JSON.stringify(name).replace(ESCAPED_HERE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Explains names shown as JSON. */
export const JSON_NAMES_NOTE = "A name in quotes is a JSON string.";

/** Explains names that no call can use. */
export const UNNAMED_NOTE =
  "A name that is not UTF-8 shows invalid bytes as \uFFFD; rename it with a command to use it.";
