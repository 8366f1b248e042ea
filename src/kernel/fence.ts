/** Marks untrusted text for the model, so that it differs from what the user and Haft say. */
import { showControls } from "../text/index.js";
import type { ContentBlock, Provenance } from "./result.js";
import { isUntrusted } from "./session-trust.js";
import { shownEcho } from "./shown-name.js";

/** What opens or closes a fence in a text is escaped there, whatever its id. */
const IMITATION = /<(?=\/?untrusted\b)/gi;

/**
 * Encloses each text of untrusted origin in `<untrusted source="web https://…" id="…">` and `</untrusted id="…">`.
 *
 * @param provenance - Of blocks that have none of their own.
 * @param id - Not known to whoever wrote the text.
 */
export function fenced(
  content: readonly ContentBlock[],
  provenance: Provenance | undefined,
  id: string,
): readonly ContentBlock[] {
  return content.map((block) => {
    const origin = block.provenance ?? provenance;
    if (origin === undefined || !isUntrusted(origin) || !("text" in block) || block.text === undefined) return block;
    const source = showControls(shownEcho(`${origin.from} ${origin.ref}`)).replace(/["<>]/g, encodeURIComponent);
    const text = block.text.replace(IMITATION, "&lt;");
    return { ...block, text: `<untrusted source="${source}" id="${id}">\n${text}\n</untrusted id="${id}">` };
  });
}
