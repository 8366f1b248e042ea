import type { RenderContext, Rendered, ToolPresenter } from "../../kernel/index.js";
import { stripControls, truncateToTail, utf8Length } from "../../text/index.js";
import type { CapturePaneData, CapturePaneInput, CapturePaneLimits } from "../../tools/capture-pane/contract.js";
import { asInput } from "../arguments.js";
import { counted, textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";
import { paneLine } from "./pane-state.js";

/** Bytes reserved for the line about omitted text. */
const FRAME_BYTES = 256;

export const haftCapturePanePresenter: ToolPresenter<CapturePaneInput, CapturePaneData, CapturePaneLimits> = {
  name: "capture_pane",
  aliases: { target: "pane", id: "pane", start: "from", end: "to", delay_ms: "delayMs" },
  decode: asInput,
  render(result, about) {
    return result.isError || result.data === undefined ? renderHaftFailure(result, about) : shown(result.data, about);
  },
};

/** The end of a long text is shown: it is the latest. */
function shown({ text, state, fellBack }: CapturePaneData, about: RenderContext): Rendered {
  const head = [paneLine(state), ...(fellBack ? ["(no program shows its own screen: this is the normal one)"] : [])];
  const screen = stripControls(text).text.replace(/\s+$/, "");
  const remaining = about.budget.maxBytes - FRAME_BYTES - utf8Length([...head, ...about.notes].join("\n"));
  const tail = truncateToTail(screen, Math.max(0, remaining));
  const omitted =
    tail.omittedBytes === 0
      ? []
      : [`[… ${counted(tail.omittedBytes, "byte")} before this omitted; \`from\` and \`to\` choose the lines …]`];
  const body = screen === "" ? "(the screen is empty)" : tail.text;
  return textResult(withNotes([...head, ...omitted, body].join("\n"), about), {
    clamped: true,
    truncations:
      tail.omittedBytes === 0
        ? []
        : [{ what: `the start of pane ${state.pane}`, producedBytes: utf8Length(screen), keptBytes: tail.keptBytes }],
  });
}
