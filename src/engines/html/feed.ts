import { escapeMarkdown, linkTarget } from "./escape-markdown.js";
import { PageLinks } from "./page-links.js";
import { type Attributes, type PageHandler, PageReader } from "./page-reader.js";
import { type RenderedHtml, renderHtml } from "./render-html.js";
import { collapseWhitespace } from "./whitespace.js";

/** Characters of the summary of one item. */
const MAX_SUMMARY = 1_000;

type Field = "title" | "link" | "date" | "summary" | "content";

const FIELDS = new Map<string, Field>(
  Object.entries({
    title: "title",
    link: "link",
    pubdate: "date",
    published: "date",
    updated: "date",
    "dc:date": "date",
    description: "summary",
    summary: "summary",
    subtitle: "summary",
    content: "content",
    "content:encoded": "content",
  }),
);
const ITEMS: ReadonlySet<string> = new Set(["item", "entry"]);
const HEADS: ReadonlySet<string> = new Set(["channel", "feed"]);

type Entry = Partial<Record<Field, string>>;

/** Collects the feed and its items; whatever else a feed has is omitted. */
class FeedHandler implements PageHandler {
  readonly head: Entry = {};
  readonly items: Entry[] = [];
  readonly #path: string[] = [];
  #field: { readonly entry: Entry; readonly name: Field; text: string } | undefined;

  open(name: string, attributes: Attributes): () => void {
    const parent = this.#path.at(-1) ?? "";
    this.#path.push(name);
    const leave = () => {
      this.#path.pop();
    };
    if (this.#field !== undefined) {
      this.#field.text += " ";
      return leave;
    }
    if (ITEMS.has(name)) this.items.push({});
    const entry = ITEMS.has(parent) ? this.items.at(-1) : HEADS.has(parent) ? this.head : undefined;
    const field = FIELDS.get(name);
    if (entry === undefined || field === undefined) return leave;
    const { href, rel } = attributes;
    if (field === "link" && href !== undefined) {
      if (rel === undefined || rel === "alternate") entry.link ??= href;
      return leave;
    }
    this.#field = { entry, name: field, text: "" };
    return () => {
      this.#path.pop();
      const { text } = this.#field!;
      this.#field = undefined;
      if (text.trim() !== "") entry[field] ??= text;
    };
  }

  text(text: string): void {
    if (this.#field !== undefined) this.#field.text += text;
  }
}

/** Renders an RSS, Atom or RDF feed as Markdown: its title, then each item with link, date and summary. */
export function renderFeed(xml: string, url: string): RenderedHtml {
  const handler = new FeedHandler();
  new PageReader(handler, { xml: true }).read(xml);
  const links = new PageLinks(url);
  const title = plain(handler.head.title, url);
  const blocks = [title === "" ? "" : `# ${escapeMarkdown(title, "", false)}`, summaryOf(handler.head, url)];
  for (const item of handler.items) {
    const target = links.resolve(item.link);
    const name = escapeMarkdown(plain(item.title, url) || target || "Untitled", "", true);
    blocks.push(`## ${target === undefined ? name : `[${name}](${linkTarget(target)})`}`);
    blocks.push(plain(item.date, url), summaryOf(item, url));
  }
  const notes = handler.items.length === 0 ? ["The feed contains no items."] : [];
  const text = blocks.filter((block) => block !== "").join("\n\n");
  return { text, ...(title === "" ? {} : { title }), notes, links: links.found };
}

/** Titles and summaries are text or escaped HTML, which feeds do not distinguish reliably. */
function plain(text: string | undefined, url: string): string {
  if (text === undefined) return "";
  return /[<&]/.test(text)
    ? collapseWhitespace(renderHtml(text, { format: "text", url, maxCharacters: 2 * MAX_SUMMARY }).text).trim()
    : collapseWhitespace(text).trim();
}

function summaryOf(entry: Entry, url: string): string {
  const text = plain(entry.summary ?? entry.content, url);
  if (text.length <= MAX_SUMMARY) return escapeMarkdown(text, "", false);
  const end = text.lastIndexOf(" ", MAX_SUMMARY);
  const head = text.slice(0, end > MAX_SUMMARY / 2 ? end : MAX_SUMMARY);
  return `${escapeMarkdown(head, "", false)} …`;
}
