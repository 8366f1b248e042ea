import { showControls, truncateToHead, utf8Length } from "../text/index.js";

const MAX_SHOWN_BYTES = 128;
/** Maximum bytes of a value that a message repeats whole: the longest path of a system. */
const MAX_ECHO_BYTES = 4_096;
/** Bytes shown of a longer value. */
const LONG_ECHO_BYTES = 256;

/** An unknown name from a model, for messages and the audit log: on one line, at most 128 bytes. */
export function shownName(name: string): string {
  const cut = truncateToHead(name, MAX_SHOWN_BYTES);
  return wellFormed(showControls(cut.omittedBytes === 0 ? name : `${cut.text}…`));
}

/** A value for a message: whole up to 4,096 bytes, else its start and its length. */
export function shownEcho(value: string): string {
  const bytes = utf8Length(value);
  return bytes <= MAX_ECHO_BYTES ? value : `${truncateToHead(value, LONG_ECHO_BYTES).text}… (${bytes} bytes)`;
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text with U+FFFD for each lone surrogate, as every encoder would write it. */
export function wellFormed(text: string): string {
  const { isWellFormed } = text as { isWellFormed?(): boolean };
  return isWellFormed?.call(text) === true ? text : text.replace(LONE_SURROGATE, "\ufffd");
}
