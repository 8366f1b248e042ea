import type { ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import type { PanesData, PanesInput } from "../../tools/panes/contract.js";
import { asInput } from "../arguments.js";
import { textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";
import { paneLine } from "./pane-state.js";

const NO_PANES = 'No panes. `bash` with `background` makes the first, or `panes` with action "open".';

export const haftPanesPresenter: ToolPresenter<PanesInput, PanesData> = {
  name: "panes",
  aliases: { id: "pane", target: "pane", title: "name" },
  decode: asInput,
  render(result, about) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
    const { action, panes, closed = "", attachCommand } = result.data;
    const isShown = panes.some(({ notice }) => attachCommand !== undefined && notice?.includes(attachCommand));
    const watch = attachCommand === undefined || isShown ? [] : [`the user can watch: ${showControls(attachCommand)}`];
    const rows = [...panes.map(paneLine), ...(panes.length === 0 ? [] : watch)];
    const text =
      action === "close"
        ? `closed ${showControls(closed)}`
        : action === "open"
          ? `opened ${rows.join("\n")}`
          : rows.join("\n") || NO_PANES;
    return textResult(withNotes(text, about));
  },
};
