/** One line on a terminal that tells what a call is doing. */
import pc from "picocolors";
import type { ToolEvent } from "../../kernel/index.js";
import { stripControls } from "../../text/index.js";

/** Milliseconds before anything is shown: short calls need no line. */
const SHOW_AFTER_MS = 1_000;
const REDRAW_EVERY_MS = 250;

interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Draws on a terminal only; elsewhere it does nothing. `end` wipes the line. */
export function liveProgress(tool: string, terminal: Terminal): { onEvent(event: ToolEvent): void; end(): void } {
  if (terminal.isTTY !== true) return { onEvent() {}, end() {} };
  const startedMs = Date.now();
  let latest = "";
  let isDrawn = false;
  const draw = (): void => {
    const tookMs = Date.now() - startedMs;
    if (tookMs < SHOW_AFTER_MS) return;
    const line = `${tool} ${Math.round(tookMs / 1000)} s ${latest}`.slice(0, (terminal.columns ?? 80) - 1);
    terminal.write(`\r\u001b[2K${pc.dim(line)}`);
    isDrawn = true;
  };
  const timer = setInterval(draw, REDRAW_EVERY_MS);
  timer.unref();
  return {
    onEvent(event) {
      const { text, message } = (event.data ?? {}) as { readonly text?: unknown; readonly message?: unknown };
      const said = typeof message === "string" ? message : typeof text === "string" ? text : "";
      // What a command or another server prints must not move the cursor of this terminal.
      latest = stripControls(
        said
          .trim()
          .split(/[\r\n]+/)
          .at(-1) ?? "",
      ).text.replaceAll("\t", " ");
    },
    end() {
      clearInterval(timer);
      if (isDrawn) terminal.write("\r\u001b[2K");
    },
  };
}
