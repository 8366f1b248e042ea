import {
  type CallSession,
  HaftError,
  PDF_PAGE_CHARACTERS,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { stripControls, truncateToHead } from "../../text/index.js";
import type { ReadInput, ReadLimits } from "./contract.js";
import { type FileView, type FoundFile, UTF8_VIEW, unshownData } from "./found-file.js";
import { isUnread, MAX_MEDIA_BYTES, type MediaFile, mediaIo, missingPackage, unreadable } from "./media-file.js";

/** Characters of one document, with a few for each page; pages after the one that exceeds it are not shown. */
const MAX_PDF_CHARACTERS = 4_194_304;
const CACHE = "pdf-text";
/** Bytes. */
const LONGEST_CHARACTER = 4;
const PDFTOTEXT = "Try a command such as `pdftotext`.";

/** The text of the pages of a document that have been read. */
interface PdfPagesRead {
  readonly key: string;
  /** Pages of the document. */
  readonly pages: number;
  readonly texts: readonly (string | undefined)[];
  /** No more pages can be read. */
  readonly isDone: boolean;
  readonly why?: "size" | "fault";
}

/**
 * A PDF as the text of its pages, each under a heading. Pages are cached for the session, so that the next window costs
 * nothing and continues where the time of a call was not enough.
 *
 * @param key - Names this version of the file.
 */
export async function pdfView(
  file: MediaFile,
  key: string,
  input: ReadInput,
  ctx: ToolContext<ReadLimits>,
): Promise<FileView | FoundFile | ToolResult<never>> {
  const { asked, info, bytes } = file;
  const unreportedWith = (note: string): FoundFile => ({ data: unshownData(asked.givenPath, info, file.mime), note });
  if (bytes === undefined)
    return unreportedWith(
      `Its text is not shown: it has ${info.size} bytes, over the limit of ${MAX_MEDIA_BYTES}. ${PDFTOTEXT}`,
    );
  if (ctx.media === undefined) return unreportedWith(`Its text is not shown: this host cannot read PDFs. ${PDFTOTEXT}`);
  try {
    const read = await readOn(key, bytes, input, ctx);
    if (read.texts.every((text = "") => text.trim() === "")) return unreportedWith(withoutText(read));
    const lines = linesOf(read, ctx.limits.maxLineBytes);
    return {
      bytes: new TextEncoder().encode(lines.map((line) => `${line}\n`).join("")),
      form: UTF8_VIEW,
      note: noteOn(read, lines.length),
    };
  } catch (thrown) {
    const missing = missingPackage(thrown);
    if (missing === undefined) return unreadable(thrown, file, PDFTOTEXT);
    return unreportedWith(
      `Its text is not shown: the package ${missing}, which reads PDFs, is not installed. Install it beside Haft (\`npm install ${missing}\`). ${PDFTOTEXT}`,
    );
  }
}

/** The cached pages, and if the window needs more, as many as the time of the call allows. */
async function readOn(
  key: string,
  bytes: Uint8Array,
  input: ReadInput,
  ctx: ToolContext<ReadLimits>,
): Promise<PdfPagesRead> {
  const known = keptPages(ctx.session, key);
  if (known !== undefined && (known.isDone || !reachesBeyond(known, input, ctx.limits))) return known;
  const before = known?.texts ?? [];
  const remaining = MAX_PDF_CHARACTERS - before.reduce((sum, text = "") => sum + text.length + PDF_PAGE_CHARACTERS, 0);
  const asked = { first: before.length + 1, maxCharacters: remaining };
  const found = await ctx.media!.pdfText(bytes, asked, mediaIo(ctx)).catch((thrown: unknown) => {
    if (known === undefined || isUnread(thrown) || !HaftError.is(thrown, "MEDIA_UNREADABLE")) throw thrown;
    return { pages: known.pages, texts: [], stopped: "fault" as const };
  });
  const { pages, stopped } = found;
  const read: PdfPagesRead = {
    key,
    pages,
    texts: [...before, ...found.texts],
    isDone: stopped !== "time",
    ...(stopped === undefined || stopped === "time" ? {} : { why: stopped }),
  };
  ctx.session.cache.set(CACHE, read);
  return read;
}

/** Of the most recently read document. */
function keptPages(session: CallSession, key: string): PdfPagesRead | undefined {
  const kept = session.cache.get(CACHE) as PdfPagesRead | undefined;
  return kept?.key === key ? kept : undefined;
}

function reachesBeyond(read: PdfPagesRead, { offset = 1, limit }: ReadInput, limits: ReadLimits): boolean {
  const last = offset + Math.min(limit ?? limits.maxLines, limits.maxLines) - 1;
  return offset < 0 || last > linesOf(read, limits.maxLineBytes).length;
}

function linesOf({ texts, pages }: PdfPagesRead, maxLineBytes: number): readonly string[] {
  return texts.flatMap((text, index) => {
    const heading = `--- page ${index + 1} of ${pages} ---`;
    const lines = text === undefined ? ["[this page could not be read]"] : pageLines(text, maxLineBytes);
    return [...(index === 0 ? [] : [""]), heading, ...(lines.length === 0 ? ["[no text on this page]"] : lines)];
  });
}

/** Without control characters. A line that would be truncated is split: nothing else could show the rest of it. */
function pageLines(text: string, maxLineBytes: number): readonly string[] {
  const clean = stripControls(text.replace(/\r\n?/g, "\n")).text.trimEnd();
  return clean === "" ? [] : clean.split("\n").flatMap((line) => divided(line.trimEnd(), maxLineBytes));
}

function divided(line: string, maxBytes: number): readonly string[] {
  const parts: string[] = [];
  let rest = line;
  do {
    const part = truncateToHead(rest, Math.max(maxBytes, LONGEST_CHARACTER)).text;
    parts.push(part);
    rest = rest.slice(part.length);
  } while (rest !== "");
  return parts;
}

function withoutText({ pages, texts }: PdfPagesRead): string {
  const unread = texts.length < pages ? `first ${texts.length} of its ${pages}` : `${pages}`;
  return `There is no text in its ${unread} pages; it may be a scan. Convert pages to images with a command such as \`pdftoppm -png\`, then read those.`;
}

function noteOn(read: PdfPagesRead, lines: number): string {
  const { pages, texts } = read;
  const empty = texts.filter((text) => text !== undefined && text.trim() === "").length;
  const facts = [
    `PDF shown as text of its pages (${pages}); line numbers are those of this view. Its images are not shown, and \`edit\` cannot edit it.`,
    empty === 0 ? "" : `Pages without text: ${empty}.`,
    texts.length === pages ? "" : restOf(read, lines),
  ];
  return facts.filter((fact) => fact !== "").join(" ");
}

function restOf({ texts, pages, why }: PdfPagesRead, lines: number): string {
  const upTo = `Only the first ${texts.length} of ${pages} pages were read`;
  if (why === "size") return `${upTo}: their text reaches ${MAX_PDF_CHARACTERS} characters. ${PDFTOTEXT}`;
  if (why === "fault") return `${upTo}: the next one needs too much memory or crashes the reader. ${PDFTOTEXT}`;
  return `${upTo} within the time of a call; continue with \`offset\` ${lines + 1}.`;
}
