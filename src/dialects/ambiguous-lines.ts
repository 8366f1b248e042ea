import type { Failure } from "./failure.js";

/** Line numbers that an ambiguous edit lists. */
const MAX_LINES_LISTED = 20;

/** The lines of an ambiguous `oldText`, unless the message lists them. */
export function ambiguousLines(failure: Failure): readonly string[] {
  const { lines } = failure.details;
  if (!Array.isArray(lines)) return [];
  const numbers = lines.filter((line): line is number => typeof line === "number");
  const listed = numbers.slice(0, MAX_LINES_LISTED).join(", ");
  if (listed === "" || failure.message.includes(listed)) return [];
  const more = numbers.length > MAX_LINES_LISTED ? ` and ${numbers.length - MAX_LINES_LISTED} more` : "";
  return [`It begins on lines ${listed}${more}.`];
}
