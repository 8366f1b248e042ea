import { clampWithCount, type RenderContext, type Rendered, type ToolPresenter } from "../../kernel/index.js";
import { utf8Length } from "../../text/index.js";
import type { ReadData, ReadInput, ReadLimits } from "../../tools/read/contract.js";
import { missing, omitUndefined, shownValue, textArgument } from "../arguments.js";
import { givenPathOf } from "../failure.js";
import { gutter, numberLines } from "../line-gutter.js";
import { counted, newTruncations, textResult } from "../rendering.js";
import { UNBOUNDED_READ } from "../whole-text.js";
import type { IndusagiEdition } from "./edition.js";
import { renderIndusagiFailure } from "./failure-text.js";
import { readNotice, showingLines } from "./messages.js";

export function indusagiReadPresenter(edition: IndusagiEdition): ToolPresenter<ReadInput, ReadData, ReadLimits> {
  return {
    name: "read",
    description:
      "Read a UTF-8 text file with numbered lines. `offset` (1-based) and `limit` choose a window; a longer answer is cut in its middle.",
    parameters: {
      type: "object",
      properties: {
        path: { type: "string", description: "File to read, absolute or relative to the working directory." },
        offset: { type: "number", description: "First line to show, counted from 1." },
        limit: { type: "number", description: "Number of lines to show." },
      },
      required: ["path"],
    },
    paths: ["path"],
    limits: UNBOUNDED_READ,
    decode(args) {
      const path = textArgument(args, "path");
      if (path === undefined || path === "") return missing("path", "text that is not empty");
      for (const parameter of ["offset", "limit"]) {
        const value = args[parameter];
        if (value !== undefined && !isPositiveInteger(value))
          return { problem: `\`${parameter}\` was ${shownValue(value)}; it takes a positive whole number`, parameter };
      }
      return {
        input: omitUndefined({
          path,
          offset: args.offset as number | undefined,
          limit: args.limit as number | undefined,
        }),
      };
    },
    render(result, about) {
      if (result.isError || result.data === undefined) return renderIndusagiFailure(edition, result, about);
      const { data } = result;
      if (data.kind === "text" || data.kind === "artifact") return { ...showWindow(data, about, result) };
      const images = result.content.filter((block) => block.kind === "image");
      const context = `${givenPathOf(about, data.path)} is not text: ${data.mime ?? data.kind}, ${counted(data.sizeBytes, "byte")}.`;
      return { content: [...textResult(context).content, ...images] };
    },
  };
}

function isPositiveInteger(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value > 0;
}

function showWindow(data: ReadData, about: RenderContext, result: Parameters<typeof newTruncations>[0]): Rendered {
  if (data.text === "") return textResult(`${showingLines(0, 0, data.totalLines ?? 0)} (${emptyWhy(data)})`);
  const body = numberLines(data.text, data.startLine)
    .map((line) => gutter(line.number) + line.text)
    .join("\n");
  const header = headerOf(data);
  const room = Math.max(0, about.budget.maxBytes - utf8Length(header) - 1);
  const truncation = clampWithCount(body, { ...about.budget, maxBytes: room, notice: readNotice });
  if (truncation.omittedBytes === 0) return textResult(`${header}\n${truncation.text}`, { clamped: true });
  const hidden = hiddenLines(data, truncation.text, readNotice(truncation.omittedBytes));
  const trimmed = `${header} [trimmed by ${counted(truncation.omittedBytes, "byte")}; ${hidden}]`;
  const record = {
    what: `middle of ${givenPathOf(about, data.path)}`,
    producedBytes: truncation.keptBytes + truncation.omittedBytes,
    keptBytes: truncation.keptBytes,
    next: hidden,
  };
  return textResult(`${trimmed}\n${truncation.text}`, { clamped: true, ...newTruncations(result, [record]) });
}

function headerOf(data: ReadData): string {
  const total = data.totalLines ?? `more than ${data.atLeastLines ?? data.endLine}`;
  const view = showingLines(data.startLine, data.endLine, total);
  const remaining = data.totalLines === null ? undefined : data.totalLines - data.endLine;
  if (remaining === 0 || (remaining === undefined && data.nextOffset === undefined)) return view;
  const count = remaining === undefined ? "more lines" : counted(remaining, "more line");
  return `${view} (${count}; continue with offset ${data.nextOffset ?? data.endLine + 1})`;
}

function emptyWhy(data: ReadData): string {
  const total = data.totalLines ?? data.atLeastLines ?? 0;
  return total === 0 ? "the file is empty" : `the offset is past the end; the file has ${counted(total, "line")}`;
}

/** Which lines a cut took, whole or in part, so that the reader can ask for them. */
function hiddenLines(data: ReadData, shown: string, notice: string): string {
  const at = shown.indexOf(notice);
  const first = data.startLine + newlines(shown.slice(0, Math.max(at, 0)));
  const last = data.endLine - newlines(shown.slice(at + notice.length));
  return `lines ${first}–${Math.max(first, last)} are not whole; read them with offset ${first}`;
}

function newlines(text: string): number {
  return text.split("\n").length - 1;
}
