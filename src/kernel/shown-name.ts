import { showControls, truncateToHead, utf8Length } from "../text/index.js";

const MAX_SHOWN_BYTES = 128;
/** Bytes of a value that an answer repeats whole: no system has longer paths. */
const MAX_ECHO_BYTES = 4_096;
/** Bytes of a longer one. */
const LONG_ECHO_BYTES = 256;

/** A name that a model made up, as it is reported and recorded: on one row, at most 128 bytes of it. */
export function shownName(name: string): string {
  const cut = truncateToHead(name, MAX_SHOWN_BYTES);
  return wellFormed(showControls(cut.omittedBytes === 0 ? name : `${cut.text}…`));
}

/** A value for an answer that repeats it: as it is up to 4,096 bytes, else its start and how long it is. */
export function shownEcho(value: string): string {
  const bytes = utf8Length(value);
  return bytes <= MAX_ECHO_BYTES ? value : `${truncateToHead(value, LONG_ECHO_BYTES).text}… (${bytes} bytes)`;
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text with U+FFFD for each half of a character, as every encoder would write it; a text without one is returned as it is. */
export function wellFormed(text: string): string {
  const { isWellFormed } = text as { isWellFormed?(): boolean };
  return isWellFormed?.call(text) === true ? text : text.replace(LONE_SURROGATE, "\ufffd");
}
