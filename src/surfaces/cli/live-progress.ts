/** On a terminal, what a call is doing: how long it runs, and the last lines that its command has printed. */
import pc from "picocolors";
import type { ToolEvent } from "../../kernel/index.js";
import { stripControls } from "../../text/index.js";

/** Milliseconds before anything is shown: short calls need no line. */
const SHOW_AFTER_MS = 1_000;
const REDRAW_EVERY_MS = 250;
/** Lines of output that are shown at once, and characters that are kept for them. */
const MAX_LINES = 15;
const MAX_CHARACTERS = 16_384;
/** The first code point that may take two columns. */
const FIRST_WIDE = 0x1100;

interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/** Draws on a terminal only; elsewhere it does nothing. `end` wipes what was drawn: the answer that follows holds it. */
export function liveProgress(tool: string, terminal: Terminal): { onEvent(event: ToolEvent): void; end(): void } {
  if (terminal.isTTY !== true) return { onEvent() {}, end() {} };
  const startedMs = Date.now();
  let message = "";
  /** The end of what the command has printed. */
  let printed = "";
  let rows = 0;
  const wipe = (): string => {
    const up = rows > 1 ? `\u001b[${rows - 1}A` : "";
    return rows === 0 ? "" : `\r${up}\u001b[J`;
  };
  const draw = (): void => {
    const tookMs = Date.now() - startedMs;
    if (tookMs < SHOW_AFTER_MS) return;
    const room = Math.max(1, Math.min(MAX_LINES, (terminal.rows || 24) - 2));
    const output = printed === "" ? [] : printed.replace(/\n$/, "").split("\n").slice(-room);
    const lines = [`${tool} ${Math.round(tookMs / 1000)} s ${message}`, ...output];
    const fitting = lines.map((line) => pc.dim(clipped(line, (terminal.columns || 80) - 1)));
    terminal.write(`${wipe()}${fitting.join("\n")}`);
    rows = fitting.length;
  };
  const timer = setInterval(draw, REDRAW_EVERY_MS);
  timer.unref();
  return {
    onEvent({ kind, data }) {
      const lastLine = (data ?? {}) as { readonly text?: unknown; readonly message?: unknown };
      if (kind === "output" && typeof lastLine.text === "string")
        printed = `${printed}${plain(lastLine.text)}`.slice(-MAX_CHARACTERS);
      else if (typeof lastLine.message === "string") message = plain(lastLine.message).trim().split("\n").at(-1) ?? "";
    },
    end() {
      clearInterval(timer);
      if (rows > 0) terminal.write(wipe());
    },
  };
}

/** What a command or another server prints must not move the cursor of this terminal. */
function plain(text: string): string {
  return stripControls(text.replace(/\r\n?/g, "\n")).text.replaceAll("\t", "  ");
}

/** A line that would wrap would be a row more than is wiped; wide characters take two columns. */
function clipped(line: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const character of line) {
    width += (character.codePointAt(0) ?? 0) < FIRST_WIDE ? 1 : 2;
    if (width > columns) break;
    end += character.length;
  }
  return line.slice(0, end);
}
