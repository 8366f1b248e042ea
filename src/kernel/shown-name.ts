import { cutHead, showControls } from "../text/index.js";
import { wellFormed } from "./well-formed.js";

const MAX_SHOWN_BYTES = 128;

/** A name that a model made up, as it is told and recorded: on one row, at most 128 bytes of it. */
export function shownName(name: string): string {
  const cut = cutHead(name, MAX_SHOWN_BYTES);
  return wellFormed(showControls(cut.droppedBytes === 0 ? name : `${cut.text}…`));
}
