/** What a page shows: its text, or its image. */
import { HaftError, shownEcho, type ToolContext } from "../../kernel/index.js";
import { parseContentType, showControls, stripInvisible } from "../../text/index.js";
import type { ReadPicture } from "../read/contract.js";
import { mediaIo, missingPackage } from "../read/media-file.js";
import { mediaTypeOf } from "../read/media-type.js";
import { showImage } from "../read/show-image.js";
import { quoted } from "../shared/path-input.js";
import { headerOf } from "../shared/response-body.js";
import type { WebFetchData, WebFetchFormat, WebFetchLimits } from "./contract.js";
import type { FetchedPage } from "./fetch-page.js";

/** The whole of it, before a window is taken. */
export interface PageContent extends Pick<WebFetchData, "kind" | "text" | "contentType" | "notes"> {
  readonly charset?: string;
  readonly title?: string;
  readonly image?: { readonly data: Uint8Array; readonly mime: string };
  readonly picture?: ReadPicture;
  /** Of a page of HTML and of the items of a feed: where the links lead. */
  readonly links?: ReadonlySet<string>;
}

/** Without what a reader does not see, such as escape sequences and bidirectional controls: it could hide or forge text. */
export async function renderPage(
  page: FetchedPage,
  format: WebFetchFormat,
  ctx: ToolContext<WebFetchLimits>,
): Promise<PageContent> {
  const header = headerOf(page.headers, "content-type") ?? "";
  const { decodePage, pageKind } = await engine();
  const kind = pageKind(header, page.bytes);
  const contentType = parseContentType(header).mediaType;
  const isOk = page.status >= 200 && page.status < 300;
  if (isOk && !isShown(kind, contentType, ctx.limits)) throw unreadable(page, contentType || kind);
  if (kind === "pdf") return { contentType, kind, ...(await pdfPage(page, ctx)) };
  if (kind === "image") return { contentType, kind, ...(await imagePage(page, ctx)) };
  if (kind === "binary") return { contentType: contentType || mediaTypeOf(page.bytes), kind, text: "", notes: [] };
  const decoded = await decodePage(page.bytes, header);
  const rendered = await textOf(kind, decoded.text, page, format);
  const { text, removed } = stripInvisible(rendered.text.replace(/\r\n?/g, "\n"));
  const inTitle = stripInvisible(rendered.title ?? "");
  const title = inTitle.text.replace(/\s+/g, " ").trim();
  // The text of a feed has its title.
  const notes = [
    ...decoded.notes,
    ...rendered.notes,
    ...removalNote(kind === "feed" ? removed : removed + inTitle.removed),
  ];
  const { links } = rendered;
  return {
    contentType,
    kind,
    charset: decoded.charset,
    text,
    notes,
    ...(title === "" ? {} : { title }),
    ...(links === undefined ? {} : { links }),
  };
}

const PAGE_TEXT = new Set(["", "text/plain", "text/markdown", "text/x-markdown"]);

function isShown(kind: WebFetchData["kind"], contentType: string, { types }: WebFetchLimits): boolean {
  if (types === "all" || kind === "html" || kind === "json") return true;
  return types === "text" ? kind === "text" || kind === "feed" : kind === "text" && PAGE_TEXT.has(contentType);
}

function unreadable({ url }: FetchedPage, type: string): HaftError {
  const message = `Did not show ${quoted(url)}: its content, ${showControls(shownEcho(type))}, is not of a type that this tool shows.`;
  return new HaftError("WEB_UNREADABLE", message, { details: { url, why: "type", contentType: type } });
}

function removalNote(removed: number): readonly string[] {
  if (removed === 0) return [];
  return [`Removed from the page: ${removed} control or invisible ${removed === 1 ? "character" : "characters"}.`];
}

const engine = () => import("../../engines/html/index.js");

interface PageText {
  readonly text: string;
  readonly title?: string | undefined;
  readonly notes: readonly string[];
  readonly links?: ReadonlySet<string>;
}

async function textOf(
  kind: "html" | "feed" | "json" | "text",
  text: string,
  { url }: FetchedPage,
  format: WebFetchFormat,
): Promise<PageText> {
  if (kind === "json" || kind === "text") return { text, notes: [] };
  const { articleOf, linksOfHtml, renderFeed, renderHtml, simplifyHtml } = await engine();
  const source = { text, notes: [] };
  if (kind === "feed") {
    const feed = renderFeed(text, url);
    return format === "html" || format === "simplified" ? { ...source, links: feed.links } : feed;
  }
  if (format === "html") return { ...source, links: linksOfHtml(text, url) };
  if (format === "simplified") return simplifyHtml(text, url);
  if (format === "article") return articleOf(text, url);
  return renderHtml(text, { url, format: format === "text" ? "text" : "markdown" });
}

/** Characters of one document; pages after the one that exceeds it are not shown. */
const MAX_PDF_CHARACTERS = 2_000_000;

async function pdfPage(
  page: FetchedPage,
  ctx: ToolContext<WebFetchLimits>,
): Promise<Pick<PageContent, "text" | "notes">> {
  const unshown = (why: string, next = "") => ({
    text: "",
    notes: [`The text of the PDF is not shown: ${why}.${next}`],
  });
  if (!page.isBodyComplete) return unshown(`it has more than the ${page.bytes.length} bytes that were read`);
  if (ctx.media === undefined) return unshown("this host cannot read PDFs");
  try {
    const pdf = await ctx.media.pdfText(page.bytes, { first: 1, maxCharacters: MAX_PDF_CHARACTERS }, mediaIo(ctx));
    if (pdf.texts.every((text = "") => text.trim() === "")) return unshown("it has none; it may be a scan");
    const rest = `Only the first ${pdf.texts.length} of ${pdf.pages} pages of the PDF were read.`;
    let removed = 0;
    const pages = pdf.texts.map((text = "[this page could not be read]", index) => {
      const clean = stripInvisible(text.replace(/\r\n?/g, "\n"));
      removed += clean.removed;
      return `--- page ${index + 1} of ${pdf.pages} ---\n${clean.text.trim()}\n`;
    });
    const notes = [...(pdf.texts.length < pdf.pages ? [rest] : []), ...removalNote(removed)];
    return { text: pages.join("\n"), notes };
  } catch (thrown) {
    const missing = missingPackage(thrown);
    if (missing !== undefined)
      return unshown(
        `the package ${missing}, which reads PDFs, is not installed`,
        ` Install it beside Haft (\`npm install ${missing}\`).`,
      );
    if (!HaftError.is(thrown, "MEDIA_UNREADABLE")) throw thrown;
    return unshown(String(thrown.details.problem));
  }
}

async function imagePage(
  page: FetchedPage,
  ctx: ToolContext<WebFetchLimits>,
): Promise<Omit<PageContent, "kind" | "contentType">> {
  const { bytes, url } = page;
  const unshown = (why: string) => ({ text: "", notes: [`The image is not shown: ${why}.`] });
  if (!page.isBodyComplete) return unshown(`it has more than the ${bytes.length} bytes that were read`);
  const mime = mediaTypeOf(bytes);
  const asked = { verb: "fetch", givenPath: url, absolute: url };
  const shown = await showImage({ asked, info: { size: bytes.length }, head: bytes, bytes, mime }, ctx);
  if ("isError" in shown) return unshown(String(shown.details?.why ?? "it could not be decoded"));
  const { image, data, note } = shown;
  return {
    text: "",
    notes: note === undefined ? [] : [note],
    ...(image === undefined ? {} : { image }),
    ...(data.picture === undefined ? {} : { picture: data.picture }),
  };
}
