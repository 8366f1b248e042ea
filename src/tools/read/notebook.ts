import { isRecord } from "../../kernel/index.js";
import { stripControls, truncateToHead, utf8Length } from "../../text/index.js";

/** Limits of one cell output. */
const MAX_OUTPUT_BYTES = 2_000;
const MAX_OUTPUT_LINES = 40;

/** A notebook as text. */
interface NotebookView {
  /** Cells under headings, with truncated outputs; ends with a line feed unless there is no cell. */
  readonly text: string;
  readonly cells: number;
  /** Outputs that were truncated. */
  readonly truncated: number;
}

/**
 * A Jupyter notebook (`.ipynb`, format 4) as text: each cell under a heading with its number and kind, its source as it is, and
 * its outputs: text without control characters within the limits above, anything else by type and size.
 * Undefined if the text is not such a notebook.
 */
export function notebookView(source: string): NotebookView | undefined {
  const parsed = parsedJson(source);
  if (!isRecord(parsed) || typeof parsed.nbformat !== "number" || !Array.isArray(parsed.cells)) return undefined;
  const cells: readonly unknown[] = parsed.cells;
  const lines: string[] = [];
  let truncated = 0;
  for (const [index, cell] of cells.entries()) {
    if (!isRecord(cell)) return undefined;
    if (index > 0) lines.push("");
    lines.push(headingOf(cell, index, cells.length), ...linesOf(cell.source));
    for (const output of Array.isArray(cell.outputs) ? cell.outputs : []) {
      const shown = outputOf(output);
      lines.push(...shown.lines);
      if (shown.isTruncated) truncated++;
    }
  }
  return { text: lines.map((line) => `${line}\n`).join(""), cells: cells.length, truncated };
}

function parsedJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

function headingOf(cell: Readonly<Record<string, unknown>>, index: number, total: number): string {
  const kind = typeof cell.cell_type === "string" ? cell.cell_type : "cell";
  const run = typeof cell.execution_count === "number" ? `, run ${cell.execution_count}` : "";
  return `--- cell ${index + 1} of ${total}: ${kind}${run} ---`;
}

/** In this format a text is a string or a list of strings to join. */
function joined(value: unknown): string {
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.filter((part) => typeof part === "string").join("") : "";
}

function linesOf(value: unknown): readonly string[] {
  const text = joined(value).replace(/\r\n?/g, "\n").replace(/\n$/, "");
  return text === "" ? [] : text.split("\n");
}

interface ShownOutput {
  readonly lines: readonly string[];
  readonly isTruncated: boolean;
}

function outputOf(output: unknown): ShownOutput {
  if (!isRecord(output)) return { lines: [], isTruncated: false };
  if (output.output_type === "stream") {
    return shownText(output.name === "stderr" ? "stderr" : "stdout", joined(output.text));
  }
  if (output.output_type === "error") {
    const trace = Array.isArray(output.traceback) ? output.traceback.map(joined).join("\n") : "";
    return shownText("error", trace === "" ? `${joined(output.ename)}: ${joined(output.evalue)}` : trace);
  }
  const data = isRecord(output.data) ? output.data : {};
  const text = joined(data["text/plain"]);
  const others = Object.entries(data)
    .filter(([type]) => type !== "text/plain")
    .map(([type, value]) => `${type}, ${utf8Length(isRecord(value) ? JSON.stringify(value) : joined(value))} bytes`);
  const unseen = others.map((other) => `[output: ${stripControls(other).text}, not shown]`);
  if (text === "") return { lines: unseen, isTruncated: unseen.length > 0 };
  const shown = shownText("output", text);
  return { lines: [...shown.lines, ...unseen], isTruncated: shown.isTruncated || unseen.length > 0 };
}

function shownText(what: string, full: string): ShownOutput {
  const lines = linesOf(stripControls(full.replace(/\r\n?/g, "\n")).text);
  if (lines.length === 0) return { lines: [], isTruncated: false };
  const whole = lines.join("\n");
  const kept = truncateToHead(lines.slice(0, MAX_OUTPUT_LINES).join("\n"), MAX_OUTPUT_BYTES).text;
  const omitted = utf8Length(whole) - utf8Length(kept);
  const rest = omitted === 0 ? [] : [`[${omitted} of ${utf8Length(whole)} bytes of this output omitted]`];
  return { lines: [`--- ${what} ---`, ...kept.split("\n"), ...rest], isTruncated: omitted > 0 };
}
