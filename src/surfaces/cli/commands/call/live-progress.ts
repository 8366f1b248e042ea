/** Shows on a terminal how long a call has been running and the last lines of its command's output. */
import pc from "picocolors";
import type { ToolEvent } from "../../../../kernel/index.js";
import { stripControls } from "../../../../text/index.js";

const SHOW_AFTER_MS = 1_000;
const REDRAW_EVERY_MS = 250;
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

export interface LiveProgress {
  onEvent(event: ToolEvent): void;
  /** Erases the progress while `work` uses the terminal, and does not count its time. */
  without<T>(work: () => Promise<T>): Promise<T>;
  /** Erases the progress, since the result contains the output. */
  end(): void;
}

/** Does nothing if the stream is not a terminal. */
export function liveProgress(tool: string, terminal: Terminal): LiveProgress {
  if (terminal.isTTY !== true) return { onEvent() {}, without: (work) => work(), end() {} };
  let startedMs = Date.now();
  let isPaused = false;
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  let message = "";
  let printed = "";
  let rows = 0;
  const erase = (): string => {
    const up = rows > 1 ? `\u001b[${rows - 1}A` : "";
    return rows === 0 ? "" : `\r${up}\u001b[J`;
  };
  const draw = (): void => {
    const tookMs = Date.now() - startedMs;
    if (isPaused || tookMs < SHOW_AFTER_MS) return;
    const height = Math.max(1, Math.min(MAX_LINES, (terminal.rows || 24) - 2));
    const output = printed === "" ? [] : printed.replace(/\n$/, "").split("\n").slice(-height);
    const lines = [`${tool} ${Math.round(tookMs / 1000)} s ${message}`, ...output];
    const shown = lines.map((line) => pc.dim(truncated(line, (terminal.columns || 80) - 1)));
    terminal.write(`${erase()}${shown.join("\n")}`);
    rows = shown.length;
  };
  const timer = setInterval(draw, REDRAW_EVERY_MS);
  timer.unref();
  return {
    onEvent(event) {
      if (event.kind === "output")
        printed = `${printed}${plain(decoders[event.stream].decode(event.bytes, { stream: true }))}`.slice(
          -MAX_CHARACTERS,
        );
      else if (event.kind === "progress" || event.kind === "notice")
        message = plain(event.message).trim().split("\n").at(-1) ?? "";
    },
    async without(work) {
      const pausedMs = Date.now();
      if (rows > 0) terminal.write(erase());
      rows = 0;
      isPaused = true;
      try {
        return await work();
      } finally {
        isPaused = false;
        startedMs += Date.now() - pausedMs;
      }
    },
    end() {
      clearInterval(timer);
      if (rows > 0) terminal.write(erase());
    },
  };
}

/** Output must not move the cursor of this terminal. */
function plain(text: string): string {
  return stripControls(text.replace(/\r\n?/g, "\n")).text.replaceAll("\t", "  ");
}

/** A wrapped line would take a row that is not erased. Wide characters take two columns. */
function truncated(line: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const character of line) {
    width += (character.codePointAt(0) ?? 0) < FIRST_WIDE ? 1 : 2;
    if (width > columns) break;
    end += character.length;
  }
  return line.slice(0, end);
}
