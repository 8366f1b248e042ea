import { type Attributes, type PageHandler, PageReader } from "./page-reader.js";

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const OMITTED = names("head script style svg noscript template iframe object canvas math audio video title");
const BLOCKS = names(
  "address article aside blockquote body br dd div dl dt fieldset figcaption figure footer form header hr main nav ol p pre section table td th tr ul",
);
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
  output = "";
  #omitted = 0;

  open(name: string, { href }: Attributes): (() => void) | undefined {
    if (OMITTED.has(name)) {
      this.#omitted++;
      return () => {
        this.#omitted--;
      };
    }
    if (this.#omitted > 0) return undefined;
    if (/^h[1-6]$/.test(name)) return this.#block(`${"#".repeat(Number(name[1]))} `);
    if (name === "li") return this.#block("- ", "\n");
    if (name === "a") return this.#link(decodeFew(href ?? "").trim());
    return BLOCKS.has(name) ? this.#block("") : undefined;
  }

  text(text: string): void {
    if (this.#omitted === 0) this.output += decodeFew(text.replace(/\s+/g, " "));
  }

  #block(prefix: string, separator = "\n\n"): () => void {
    this.output += separator + prefix;
    return () => {
      this.output += separator;
    };
  }

  #link(url: string): () => void {
    const start = this.output.length;
    return () => {
      if (url !== "" && this.output.slice(start).trim() !== "") this.output = `${this.output.trimEnd()} (${url})`;
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
export function simplifyHtml(html: string): string {
  const handler = new SimpleHandler();
  new PageReader(handler, { decodeEntities: false }).read(html);
  return handler.output
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
