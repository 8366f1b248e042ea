import { hasUtf8Bom, hasUtf16Bom, looksBinary, parseContentType } from "../../text/index.js";

export type PageKind = "html" | "feed" | "json" | "text" | "pdf" | "image" | "binary";

const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;
const FEED = /^application\/(?:rss|atom|rdf)\+xml$/;
const JSON_TYPE = /^(?:(?:application|text)\/(?:json|x-json|json5|manifest\+json|ld\+json)|[\w.-]+\/[\w.-]+\+json)$/;
const XML = /^(?:(?:application|text)\/xml|[\w.-]+\/[\w.-]+\+xml)$/;
const TEXT =
  /^(?:text\/.+|application\/(?:(?:x-)?javascript|ecmascript|typescript|(?:x-)?yaml|toml|(?:x-)?sh|x-httpd-php|x-www-form-urlencoded|(?:x-)?ndjson|jsonl|json-seq|jsonlines|graphql|sql|xml-dtd|x-tex|x-latex|rtf|x-subrip|pgp-.+|x-pem-file))$/;
/** Types that say nothing about the content. */
const UNKNOWN =
  /^(?:|application\/(?:octet-stream|unknown|x-unknown|x-download|force-download)|binary\/octet-stream|unknown\/unknown|\*\/\*)$/;

const SNIFFED_BYTES = 4_096;
const HTML_START =
  /^(?:<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|h1|div|p|table|main|article|a|ul|b|br|font|iframe)(?=[\s/>])/i;
const FEED_START =
  /^(?:<\?[^>]*\?>\s*|<!--(?:(?!-->)[\s\S])*-->\s*|<!doctype[^>]*>\s*)*<(?:rss|feed|rdf:rdf|[\w-]{1,20}:feed)(?=[\s/>])/i;
const XHTML_START = /^(?:<\?[^>]*\?>\s*|<!--(?:(?!-->)[\s\S])*-->\s*)*<(?:!doctype\s+html|html)(?=[\s/>])/i;
const JSON_START = /^(?:\{\s*["}]|\[\s*(?:[[\]{"\d-]|true|false|null))/;

/** What to do with a body, by its content type, and by its first bytes where that says nothing. */
export function pageKind(contentType: string | undefined, bytes: Uint8Array): PageKind {
  const { mediaType: type } = parseContentType(contentType ?? "");
  if (UNKNOWN.test(type)) return sniff(bytes);
  if (FEED.test(type)) return "feed";
  if (JSON_TYPE.test(type)) return "json";
  if (HTML.test(type)) return FEED_START.test(startOf(bytes)) ? "feed" : "html";
  if (XML.test(type)) return xmlKind(bytes);
  if (type === "application/pdf" || type === "application/x-pdf") return "pdf";
  if (type.startsWith("image/")) return "image";
  if (TEXT.test(type)) return isBinaryText(bytes) ? sniff(bytes) : "text";
  return /^(?:audio|video|font)\//.test(type) ? "binary" : sniff(bytes) === "text" ? "text" : "binary";
}

function xmlKind(bytes: Uint8Array): PageKind {
  const start = startOf(bytes);
  return FEED_START.test(start) ? "feed" : XHTML_START.test(start) ? "html" : "text";
}

function sniff(bytes: Uint8Array): PageKind {
  const start = startOf(bytes);
  if (start.startsWith("%PDF-")) return "pdf";
  if (isImage(bytes)) return "image";
  if (FEED_START.test(start)) return "feed";
  if (HTML_START.test(start) || XHTML_START.test(start)) return "html";
  if (isBinaryText(bytes)) return "binary";
  return JSON_START.test(start) ? "json" : "text";
}

function isBinaryText(bytes: Uint8Array): boolean {
  return looksBinary(bytes.subarray(0, 16 * SNIFFED_BYTES));
}

/** The first characters as far as they are ASCII, without whitespace and BOM before them. */
function startOf(bytes: Uint8Array): string {
  const skipped = hasUtf8Bom(bytes) ? 3 : hasUtf16Bom(bytes) ? 2 : 0;
  const codes = bytes.subarray(skipped, skipped + SNIFFED_BYTES).filter((byte) => byte !== 0);
  return String.fromCharCode(...codes).trimStart();
}

const IMAGES: readonly (readonly [offset: number, signature: string])[] = [
  [0, "\x89PNG\r\n"],
  [0, "\xff\xd8\xff"],
  [0, "GIF87a"],
  [0, "GIF89a"],
  [8, "WEBP"],
  [4, "ftypavif"],
];

function isImage(bytes: Uint8Array): boolean {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  return IMAGES.some(([offset, signature]) => head.startsWith(signature, offset));
}
