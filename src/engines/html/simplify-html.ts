import { PageLinks } from "./page-links.js";
import { type Attributes, type PageHandler, PageReader } from "./page-reader.js";
import type { RenderedHtml } from "./render-html.js";

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const OMITTED = names("head script style svg noscript template iframe object canvas math audio video title");
const BLOCKS = names(
  "address article aside blockquote body div dl fieldset figcaption figure footer form header hr main nav ol p pre section table ul",
);
/** Each begins a line. */
const LINES = names("br dd dt li td th tr");
const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  copy: "©",
};

/** Lines of text with few marks; links keep the addresses that the page gives. */
class SimpleHandler implements PageHandler {
  readonly #parts: string[] = [];
  #omitted = 0;
  readonly links: PageLinks;
  /** Parts that are not blank: a link without any has no text. */
  #visible = 0;

  constructor(url: string) {
    this.links = new PageLinks(url);
  }

  open(name: string, { href }: Attributes): (() => void) | undefined {
    if (OMITTED.has(name)) {
      this.#omitted++;
      return () => {
        this.#omitted--;
      };
    }
    if (this.#omitted > 0) return undefined;
    if (/^h[1-6]$/.test(name)) return this.#block("\n\n", `${"#".repeat(Number(name[1]))} `);
    if (name === "a") return this.#link(decodeFew(href ?? "").trim());
    if (LINES.has(name)) return this.#block("\n", name === "li" ? "- " : "");
    return BLOCKS.has(name) ? this.#block("\n\n", "") : undefined;
  }

  text(text: string): void {
    if (this.#omitted === 0) this.#push(decodeFew(text.replace(/\s+/g, " ")));
  }

  toString(): string {
    return this.#parts
      .join("")
      .replace(/[^\S\n]+/g, " ")
      .replace(/ ?\n ?/g, "\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim();
  }

  #push(part: string): void {
    this.#parts.push(part);
    if (part.trim() !== "") this.#visible++;
  }

  #block(separator: string, prefix: string): () => void {
    this.#push(separator);
    this.#push(prefix);
    return () => this.#push(separator === "\n" ? "" : separator);
  }

  #link(url: string): () => void {
    this.links.resolve(url);
    const before = this.#visible;
    return () => {
      if (url !== "" && this.#visible > before) this.#push(` (${url})`);
    };
  }
}

function decodeFew(text: string): string {
  return text.replace(/&(?:#(\d{1,8}|x[\da-f]{1,8})|([a-z]{2,6}));/gi, (match, code?: string, name?: string) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? match;
    const point = Number(code!.startsWith("x") || code!.startsWith("X") ? `0${code}` : code);
    const isCharacter = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
    return isCharacter ? String.fromCodePoint(point) : "\ufffd";
  });
}

/** The few rules of a plain simplifier: links as `text (url)`, headings with `#`, list items with `- `, everything else text. */
export function simplifyHtml(html: string, url: string): RenderedHtml {
  const handler = new SimpleHandler(url);
  new PageReader(handler, { decodeEntities: false }).read(html);
  return { text: handler.toString(), notes: [], links: handler.links.found };
}
