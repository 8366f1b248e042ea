import { escapeControls, stripControls, truncateToHead } from "../text/index.js";

const MAX_BYTES = 1024;
const ELLIPSIS_BYTES = 3;
/** Characters that are invisible to a user but not to a model; not the joiners of scripts and emoji. */
const UNSEEN = /(?!\u200c|\u200d|\ufe0f)\p{Default_Ignorable_Code_Point}/gu;
const CONTROL = /\p{Cc}/u;

/** Untrusted text for a model or a user: without control and invisible characters, truncated at `maxBytes` (default 1 KiB). "" if it is not a string. */
export function cleanText(text: unknown, maxBytes = MAX_BYTES): string {
  if (typeof text !== "string") return "";
  // Truncated before it is cleaned, so that a huge text costs little; a fourth of it is assumed to stay.
  const clean = stripControls(truncateToHead(text, maxBytes * 4).text)
    .text.replace(UNSEEN, "")
    .trim();
  const { text: kept, omittedBytes } = truncateToHead(clean, maxBytes);
  return omittedBytes === 0 ? kept : `${truncateToHead(kept, maxBytes - ELLIPSIS_BYTES).text}…`;
}

/** A stranger's text with nothing hidden: control, bidirectional and unseen characters as `\\u202e`; tabs and line endings stay. */
export function escapeHidden(text: string): string {
  return escapeControls(text.replace(/\r+\n/g, "\n")).replace(
    UNSEEN,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}

/** Whether a name that has to stay as it is shows all that it holds. */
export function isSeen(name: string): boolean {
  return name.replace(UNSEEN, "") === name && !CONTROL.test(name);
}
