/** Models send arguments in many shapes; this makes the bag an object where that needs no guess. */

/**
 * A JSON string that holds an object or a list is parsed, null and undefined become `{}`. Anything else, a string that
 * looks like JSON but does not parse included, is passed on for validation to answer. With `bareString` a plain string
 * becomes that parameter.
 */
export function coerceBag(input: unknown, bareString?: string): unknown {
  if (input === null || input === undefined) return {};
  if (typeof input !== "string") return input;
  const trimmed = input.trim();
  const isBag =
    (trimmed.startsWith("{") && trimmed.endsWith("}")) || (trimmed.startsWith("[") && trimmed.endsWith("]"));
  if (isBag) {
    try {
      return JSON.parse(trimmed);
    } catch {
      return bareString === undefined ? input : { [bareString]: input };
    }
  }
  return bareString === undefined ? input : { [bareString]: input };
}

/** Whether a value is an object with named members: not null, not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
