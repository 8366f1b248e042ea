import type { RenderContext, Rendered, ToolPresenter } from "../../kernel/index.js";
import { byteSize, shellPath, showControls, stripControls, utf8Length, windowLines } from "../../text/index.js";
import {
  READ_LIMITS,
  type ReadData,
  type ReadInput,
  type ReadLimits,
  type ReadPicture,
} from "../../tools/read/contract.js";
import { asInput } from "../arguments.js";
import { givenPathOf } from "../failure.js";
import { gutter, withGutters } from "../line-gutter.js";
import { counted, textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { quotedPath, withNotes } from "./notes.js";
import { fitRows, fitText } from "./read-fit.js";
import { withToolNotes } from "./tool-notes.js";

export const haftReadPresenter: ToolPresenter<ReadInput, ReadData, ReadLimits> = {
  name: "read",
  aliases: { file: "path", file_path: "path", filePath: "path", start_line: "offset", max_lines: "limit" },
  bareString: "path",
  paths: ["path"],
  decode: asInput,
  render(result, asked) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, asked);
    const { data } = result;
    const about = withToolNotes(asked, result);
    const images = result.content.filter((block) => block.kind === "image");
    if (data.kind === "image" || data.kind === "binary") {
      const isExplained = images.length > 0 || about.notes.length > asked.notes.length;
      const context = textResult(withNotes(notText(data, about, isExplained), about));
      return { content: [...context.content, ...images], clamped: true };
    }
    if (data.text === "") return textResult(withNotes(nothingToShow(data, about), about));
    return showWindow(data, about);
  },
};

/** @param isExplained - An image is attached, or a note says why it is not. */
function notText(data: ReadData, about: RenderContext, isExplained: boolean): string {
  const name = quotedPath(givenPathOf(about, data.path));
  const type = showControls(data.mime ?? (data.kind === "image" ? "image" : "application/octet-stream"));
  const size = counted(data.sizeBytes, "byte");
  const facts = data.picture === undefined ? [type, size] : [type, pixels(data.picture), size];
  if (isExplained) return `${name}: ${facts.join(", ")}.${shownInstead(data.picture)}`;
  const hint = `Inspect it with a command, for example \`head -c 256 ${shellPath(givenPathOf(about, data.path))} | od -c\`.`;
  return `${name} is ${data.kind === "image" ? "an image" : "binary"} (${type}, ${size}) and is not shown as text. ${hint}`;
}

const pixels = ({ width, height }: Pick<ReadPicture, "width" | "height">) => `${width}×${height} pixels`;

/** What is shown in place of the file itself. */
function shownInstead(picture: ReadPicture | undefined): string {
  if (picture?.shown === undefined) return "";
  const { mime, sizeBytes } = picture.shown;
  const what = picture.isAnimated ? "its first frame" : "a copy";
  return ` Shown: ${what}, ${showControls(mime)}, ${pixels(picture.shown)}, ${counted(sizeBytes, "byte")}.`;
}

function nothingToShow(data: ReadData, about: RenderContext): string {
  const name = quotedPath(givenPathOf(about, data.path));
  const total = data.totalLines ?? data.atLeastLines ?? 0;
  if (total > 0)
    return `${name} has ${counted(total, "line")}; there are none at that offset. Use an \`offset\` from 1 to ${total}.`;
  const hasBom = data.hasBom ? " It has only a BOM (byte-order mark)." : "";
  return `${name} is empty (${counted(data.sizeBytes, "byte")}).${hasBom}`;
}

function showWindow(data: ReadData, about: RenderContext): Rendered {
  const path = givenPathOf(about, data.path);
  const truncated = new Map(data.truncatedLines.map((one) => [one.line, one.bytes]));
  const isBareCr = /\r(?!\n)/.test(data.text);
  // Nearly every window, and it has thousands of lines.
  const isPlain =
    truncated.size === 0 && !data.text.includes("\ufeff") && stripControls(data.text).text.length === data.text.length;
  const rowsOf = () =>
    windowLines(data.text).map((line, index) => {
      const number = data.startLine + index;
      if (isPlain) return gutter(number) + line;
      const clean = stripControls(line.replace(/\r(?!$)/g, CR_SYMBOL));
      const bytes = truncated.get(number);
      const marks = [
        bytes === undefined ? "" : `… [truncated: ${utf8Length(line)} of ${bytes} bytes]`,
        clean.removed === 0 ? "" : ` [${counted(clean.removed, "control character")} removed]`,
      ];
      return gutter(number) + clean.text + marks.join("");
    });
  const endsOpen =
    data.nextOffset === undefined &&
    data.kind === "text" &&
    !data.text.endsWith("\n") &&
    !data.text.endsWith("\r") &&
    !truncated.has(data.endLine);
  const tail = [...truncationHint(data, path), ...(endsOpen ? ["[no newline at end of file]"] : [])];
  const facts = factsOf(data, isBareCr);
  const reserve = HEADER_BYTES + utf8Length([...facts, ...tail, ...about.notes].join("\n")) + 8 * about.notes.length;
  const maxBytes = about.budget.maxBytes - reserve;
  const whole = isPlain ? fitText(withGutters(data.text, data.startLine), maxBytes) : undefined;
  const fitted = whole ?? fitRows(rowsOf(), maxBytes);
  const endLine = data.startLine + fitted.rows - 1;
  const nextOffset = fitted.omittedRows === 0 ? data.nextOffset : endLine + 1;
  const header = [`${viewOf(data, endLine, nextOffset)}.`, ...facts].join(" ");
  const body = [header + fitted.text, ...(fitted.omittedRows === 0 ? tail : [])];
  const shown = textResult(withNotes(body.join("\n"), about), { clamped: true });
  if (fitted.truncated === undefined) return shown;
  const { keptBytes, omittedBytes } = fitted.truncated;
  const truncation = {
    what: `${path} beyond the output limit`,
    producedBytes: keptBytes + omittedBytes,
    keptBytes,
    next: `Continue with \`offset\` ${nextOffset}.`,
  };
  return { ...shown, truncations: [truncation], truncatedByPresenter: true };
}

/** Bytes reserved for the header line. */
const HEADER_BYTES = 160;
/** Stands for a lone carriage return. */
const CR_SYMBOL = "␍";

function viewOf(data: ReadData, endLine: number, nextOffset: number | undefined): string {
  const total =
    data.totalLines === null ? `more than ${data.atLeastLines ?? Math.max(endLine, 0)}` : String(data.totalLines);
  const fromEnd = data.startLine < 0 ? " (counted from the end)" : "";
  const more = nextOffset === undefined ? "" : `; continue with \`offset\` ${nextOffset}`;
  return `Showing lines ${data.startLine}–${endLine} of ${total}${fromEnd}${more}`;
}

function factsOf(data: ReadData, isBareCr: boolean): readonly string[] {
  const facts = [
    encodingOf(data),
    data.hasBom ? "A BOM (byte-order mark) is at the start (not shown)." : "",
    EOL_FACTS[data.eol] ?? "",
    isBareCr ? `Lone carriage returns are shown as ${CR_SYMBOL}.` : "",
    (data.replaced ?? 0) > 0
      ? `${counted(data.replaced ?? 0, "character")} could not be decoded and are shown as U+FFFD.`
      : "",
    data.truncatedByBytes === true ? `Truncated at ${byteSize(READ_LIMITS.maxBytes)}.` : "",
  ];
  return facts.filter((fact) => fact !== "");
}

function encodingOf({ encoding, isGuessed }: ReadData): string {
  if (encoding.toLowerCase() === "utf-8") return "";
  const guessed = isGuessed === true ? " (guessed; if characters look wrong, set `encoding`)" : "";
  return `Encoding: ${showControls(encoding)}${guessed}.`;
}

const EOL_FACTS: Readonly<Record<string, string>> = {
  crlf: "Line endings: CRLF.",
  cr: "Line endings: CR.",
  mixed: "Line endings: mixed.",
};

/** How to see the rest of a truncated line, which no window of lines shows. */
function truncationHint(data: ReadData, path: string): readonly string[] {
  const first = data.truncatedLines[0];
  if (first === undefined) return [];
  if (data.isView === true) return ["[the rest of a truncated line is in the file itself]"];
  if (data.kind === "artifact") return ["[use `grep` to search the rest of a truncated line]"];
  if (first.line < 1 || data.encoding.toLowerCase() !== "utf-8")
    return ["[use a command to print the rest of a truncated line]"];
  const from =
    utf8Length(data.text.split("\n", first.line - data.startLine + 1)[first.line - data.startLine] ?? "") + 1;
  return [
    `[rest of line ${first.line}: \`sed -n ${first.line}p ${shellPath(path)} | cut -b ${from}-${from + 9_999}\`]`,
  ];
}
