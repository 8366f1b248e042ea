const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text with U+FFFD for each half of a character, as every encoder would write it; a text without one is returned as it is. */
export function wellFormed(text: string): string {
  const { isWellFormed } = text as { isWellFormed?(): boolean };
  return isWellFormed?.call(text) === true ? text : text.replace(LONE_SURROGATE, "\ufffd");
}
