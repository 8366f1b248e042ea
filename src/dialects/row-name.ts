import { showControls } from "../text/index.js";

/** Ends that would be overlooked, quotes that say something else, and what could stand for something else in a row. */
const AMBIGUOUS = /^[\s"]|\s$|^$/;
/** As `JSON.stringify` escapes what it must; the rest of the control characters are escaped in the same way. */
const ESCAPED_HERE = /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/**
 * A name or path on one row: as it is, or as a JSON string where it holds control characters, begins or ends with a blank,
 * or begins with a quote. No two names look alike, and what is shown is what a call takes.
 */
export function rowName(name: string): string {
  return !AMBIGUOUS.test(name) && showControls(name) === name ? name : jsonName(name);
}

/** A path in front of `:line:`: one that holds such a number itself is a JSON string too. */
export function hitPath(path: string): string {
  return /:\d+(?::|$)/.test(path) ? jsonName(path) : rowName(path);
}

function jsonName(name: string): string {
  return JSON.stringify(name).replace(ESCAPED_HERE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** What a reader of rows has to know where a name in them is told as JSON. */
export const JSON_NAMES_NOTE = "A name in quotes is a JSON string.";

/** What a reader has to know where a name shows that no call can take. */
export const UNNAMED_NOTE =
  "A name that is not UTF-8 shows invalid bytes as \uFFFD; rename it with a command to use it.";
