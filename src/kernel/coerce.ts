/** Models send arguments in many shapes; this makes the bag an object where that needs no guess. */

/**
 * A JSON string that holds an object or a list is parsed, null and undefined become `{}`. Anything else, a string that
 * looks like JSON but does not parse included, is passed on for validation to answer. With `bareString` a plain string
 * becomes that parameter.
 */
export function coerceBag(input: unknown, bareString?: string): unknown {
  if (input === null || input === undefined) return {};
  if (typeof input !== "string") return input;
  return bagOf(input.trim()) ?? (bareString === undefined ? input : { [bareString]: input });
}

/** Undefined for a text that is no JSON object or list. */
function bagOf(text: string): unknown {
  const isBracketed = (text.startsWith("{") && text.endsWith("}")) || (text.startsWith("[") && text.endsWith("]"));
  if (!isBracketed) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is an object with named members: not null, not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
