import { cutHead, stripControls } from "../../../text/index.js";

const MAX_BYTES = 1024;
const ELLIPSIS_BYTES = 3;

/** A stranger's text for a model or a person: without control characters, cut at `maxBytes`, default 1 KiB. What is no text is "". */
export function cleanText(text: unknown, maxBytes = MAX_BYTES): string {
  if (typeof text !== "string") return "";
  // Looked at no further than it may be kept: what is taken out was four times as much at most.
  const clean = stripControls(cutHead(text, maxBytes * 4).text).text.trim();
  const { text: kept, droppedBytes } = cutHead(clean, maxBytes);
  return droppedBytes === 0 ? kept : `${cutHead(kept, maxBytes - ELLIPSIS_BYTES).text}…`;
}
