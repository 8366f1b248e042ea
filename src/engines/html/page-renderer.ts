import { Blocks, type ListState, type Mark } from "./blocks.js";
import { type Boilerplate, boilerplateOf, isHidden, isMain, isMenu, MAX_BY_WORDS } from "./boilerplate.js";
import { backtickFence, escapeLineStarts } from "./escape-markdown.js";
import { Inline, type MarkKind } from "./inline.js";
import { PageLinks } from "./page-links.js";
import type { Attributes, PageHandler } from "./page-reader.js";
import { Table } from "./tables.js";
import { collapseWhitespace, keepWhitespace } from "./whitespace.js";

export interface PageRendererOptions {
  readonly isMarkdown: boolean;
  readonly url: string;
  readonly dropsBoilerplate: boolean;
  /** Called with the size of the output as it grows. */
  readonly onSize: (characters: number) => void;
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const NO_TEXT = names(
  "script style template noscript svg iframe object embed applet canvas audio video map select textarea datalist noembed noframes frameset progress meter input",
);
const BLOCKS = names(
  "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form header hgroup html legend li main menu nav ol optgroup option p section summary table tbody td tfoot th thead tr ul",
);
/** Blocks that may turn out to be menus at their end. */
const MENUS = names("div dl form menu ol p section table td ul details");
const HEADING = /^h[1-6]$/;
const INLINE_MARKS: Readonly<Record<string, MarkKind>> = {
  b: "strong",
  strong: "strong",
  i: "emphasis",
  em: "emphasis",
  cite: "emphasis",
  dfn: "emphasis",
  var: "emphasis",
  del: "deleted",
  s: "deleted",
  strike: "deleted",
  sup: "sup",
  sub: "sub",
};
const CODE = names("code kbd samp tt");
/** The only text of a link to the heading that it is part of. */
const PERMALINK = /^[#¶§🔗\s]*$/u;
const LANGUAGE = /(?:^|\s)(?:language|lang)-([\w+#.-]{1,30})/;
/** A cell with more text than this belongs to a layout. */
const MAX_CELL = 4_000;

/** Renders the events of a page. */
export class PageRenderer implements PageHandler {
  readonly #options: PageRendererOptions;
  readonly #blocks = new Blocks();
  readonly #links: PageLinks;
  #inline: Inline;
  #title = "";
  #titleText: string | undefined;
  #math: { text: string; tex: string; isTex: boolean } | undefined;
  #pre: { text: string; language: string } | undefined;
  /** Why the text is not rendered now. */
  #skip: "hidden" | "drop" | "header" | undefined;
  #heading = 0;
  #mainDepth = 0;
  #linkDepth = 0;
  #isPermalink = false;
  /** Elements that keep the text of buttons in them. */
  #labelDepth = 0;
  readonly #tables: Table[] = [];
  /** Tables inside the cell of a table about data. */
  #flatTables = 0;
  #isInCell = false;
  readonly #lists: ListState[] = [];
  #hasBase = false;
  // Of the text that is rendered, and of what was dropped.
  #text = 0;
  #linkText = 0;
  #linkCount = 0;
  #droppedText = 0;
  #droppedLinks = 0;

  constructor(options: PageRendererOptions) {
    this.#options = options;
    this.#links = new PageLinks(options.url);
    this.#inline = this.#newInline(false);
  }

  finish() {
    this.#flush();
    return {
      text: this.#blocks.toString().trim(),
      title: collapseWhitespace(this.#title).trim(),
      links: this.#links.all(),
      droppedLinks: this.#droppedLinks,
      droppedCharacters: this.#droppedText,
    };
  }

  text(text: string): void {
    if (this.#titleText !== undefined) this.#titleText += text;
    else if (this.#skip !== undefined) this.#countDropped(text);
    else if (this.#math !== undefined) this.#math[this.#math.isTex ? "tex" : "text"] += text;
    else if (this.#pre !== undefined) this.#pre.text += keepWhitespace(text);
    else if (!(this.#isPermalink && PERMALINK.test(text))) {
      const size = text.trim().length;
      this.#text += size;
      if (this.#linkDepth > 0) this.#linkText += size;
      this.#inline.text(text);
      if (this.#isInCell && this.#inline.size > MAX_CELL) this.#becomeLayout();
    }
    this.#options.onSize(this.#blocks.size + this.#inline.size + (this.#tables.at(-1)?.size ?? 0));
  }

  open(name: string, attributes: Attributes): (() => void) | undefined {
    if (this.#skip !== undefined) return this.#openSkipped(name);
    if (this.#math !== undefined) return this.#openMath(name, attributes);
    if (name === "title") return this.#openTitle();
    if (name === "base") this.#setBase(attributes.href);
    if (name === "math") return this.#beginMath(attributes);
    if (NO_TEXT.has(name) || isHidden(name, attributes)) return this.#skipAs("hidden");
    if (name === "dialog" && attributes.open === undefined) return this.#skipAs("hidden");
    if (name === "button" && this.#labelDepth === 0) return this.#skipAs("hidden");
    const kind = this.#options.dropsBoilerplate ? boilerplateOf(name, attributes, this.#mainDepth > 0) : undefined;
    if (kind === "drop" || kind === "header") {
      this.#boundary();
      return this.#skipAs(kind);
    }
    if (this.#pre !== undefined) return this.#openInPre(name, attributes);
    const close = this.#openBlock(name, attributes, kind) ?? this.#openInline(name, attributes);
    if (!isMain(name, attributes)) return close;
    this.#mainDepth++;
    return () => {
      close?.();
      this.#mainDepth--;
    };
  }

  // What is not rendered.

  #skipAs(why: "hidden" | "drop" | "header"): () => void {
    const before = this.#skip;
    this.#skip = why;
    return () => {
      this.#skip = before;
    };
  }

  /** The heading of the page is kept, also where it is in a header that is dropped. */
  #openSkipped(name: string): (() => void) | undefined {
    if (this.#skip === "drop" || this.#skip === "header") {
      if (name === "a") this.#droppedLinks++;
      if (NO_TEXT.has(name)) return this.#skipAs("hidden");
      if (name === "h1" && this.#skip === "header") {
        this.#skip = undefined;
        const close = this.#openHeading(1);
        return () => {
          close();
          this.#skip = "header";
        };
      }
    }
    return undefined;
  }

  #countDropped(text: string): void {
    if (this.#skip !== "hidden") this.#droppedText += text.trim().length;
  }

  #openTitle(): () => void {
    this.#titleText = "";
    return () => {
      if (this.#title.trim() === "") this.#title = this.#titleText ?? "";
      this.#titleText = undefined;
    };
  }

  #setBase(href: string | undefined): void {
    if (this.#hasBase || href === undefined) return;
    this.#hasBase = true;
    this.#links.setBase(href);
  }

  // Blocks.

  #newInline(isCell: boolean): Inline {
    return new Inline(this.#options.isMarkdown, isCell ? "cell" : "block");
  }

  /** Ends the paragraph; in a cell, which is one line, the line. */
  #boundary(): void {
    if (this.#isInCell) this.#inline.lineBreak();
    else this.#flush();
  }

  #flush(): void {
    if (this.#isInCell) return;
    const text = this.#inline.finish();
    if (text === "") return;
    const { isMarkdown } = this.#options;
    if (this.#heading > 0) {
      this.#blocks.add(`${isMarkdown ? `${"#".repeat(this.#heading)} ` : ""}${text.replace(/\s*\n\s*/g, " ")}`);
    } else this.#blocks.add(isMarkdown ? escapeLineStarts(text) : text);
  }

  #openBlock(name: string, attributes: Attributes, kind: Boilerplate): (() => void) | undefined {
    if (HEADING.test(name)) return this.#openHeading(Number(name[1]));
    if (name === "pre" || name === "xmp" || name === "plaintext" || name === "listing")
      return this.#openPre(attributes);
    if (name === "hr") {
      this.#boundary();
      if (!this.#isInCell && this.#options.isMarkdown) this.#blocks.add("---");
      return undefined;
    }
    if (!BLOCKS.has(name)) return undefined;
    this.#boundary();
    const decide = this.#watchBlock(name, kind);
    const close = this.#openStructure(name, attributes);
    return () => {
      this.#boundary();
      close?.();
      decide?.();
    };
  }

  /** Returns what removes the block again if it has turned out to be a menu, a banner or a bar of buttons. */
  #watchBlock(name: string, kind: Boilerplate): (() => void) | undefined {
    const isWatched = kind === "words" || (MENUS.has(name) && this.#mainDepth === 0);
    if (!this.#options.dropsBoilerplate || !isWatched || this.#isInCell) return undefined;
    const mark: Mark = this.#blocks.mark();
    const [text, linkText, linkCount, links] = [this.#text, this.#linkText, this.#linkCount, this.#links.count];
    return () => {
      const content = {
        text: this.#text - text,
        linkText: this.#linkText - linkText,
        links: this.#linkCount - linkCount,
      };
      const isDropped = kind === "words" ? content.text <= MAX_BY_WORDS : isMenu(content);
      if (!isDropped || this.#isInCell) return;
      this.#blocks.returnTo(mark);
      this.#links.returnTo(links);
      this.#droppedText += content.text;
      this.#droppedLinks += content.links;
      [this.#text, this.#linkText, this.#linkCount] = [text, linkText, linkCount];
    };
  }

  #openStructure(name: string, attributes: Attributes): (() => void) | undefined {
    if (this.#isInCell && name !== "table" && name !== "td" && name !== "th" && name !== "tr") return undefined;
    switch (name) {
      case "ul":
      case "menu":
      case "dir":
        return this.#openList(false, 1);
      case "ol":
        return this.#openList(true, wholeOr(attributes.start, 1));
      case "li":
        return this.#openItem(attributes);
      case "dd":
        return this.#blocks.open({ first: this.#options.isMarkdown ? ": " : "  ", rest: "  ", isTight: true });
      case "blockquote":
        return this.#blocks.open({ first: "> ", rest: "> " });
      case "summary":
        return this.#openLabel("strong");
      case "dt":
        return this.#openLabel(undefined);
      default:
        return this.#openTablePart(name, attributes);
    }
  }

  #openHeading(level: number): () => void {
    this.#boundary();
    if (this.#isInCell && this.#tables.at(-1)?.isData === false) this.#becomeLayout();
    const before = this.#heading;
    this.#heading = level;
    this.#labelDepth++;
    return () => {
      this.#boundary();
      this.#heading = before;
      this.#labelDepth--;
    };
  }

  #openLabel(mark: MarkKind | undefined): () => void {
    this.#labelDepth++;
    if (mark !== undefined) this.#inline.open(mark);
    return () => {
      this.#labelDepth--;
      if (mark !== undefined) this.#inline.close(mark);
    };
  }

  #openList(isOrdered: boolean, next: number): () => void {
    this.#lists.push({ isOrdered, next, hasItems: false, isNested: this.#blocks.isInItem() });
    return () => {
      this.#lists.pop();
    };
  }

  #openItem(attributes: Attributes): () => void {
    const list = this.#lists.at(-1) ?? { isOrdered: false, next: 1, hasItems: false, isNested: false };
    if (list.isOrdered) list.next = wholeOr(attributes.value, list.next);
    const first = list.isOrdered ? `${list.next++}. ` : "- ";
    return this.#blocks.open({ first, rest: " ".repeat(first.length), list });
  }

  // Preformatted text.

  #openPre(attributes: Attributes): () => void {
    this.#boundary();
    if (this.#isInCell && this.#tables.at(-1)?.isData === false) this.#becomeLayout();
    const before = this.#pre;
    const pre = { text: "", language: languageOf(attributes) };
    this.#pre = pre;
    return () => {
      this.#pre = before;
      const content = pre.text.replace(/^\n/, "").trimEnd();
      if (content.trim() === "") return;
      this.#text += content.length;
      if (this.#isInCell) this.#inline.codeSpan(content.replace(/\s+/g, " "));
      else if (!this.#options.isMarkdown) this.#blocks.add(content);
      else {
        const fence = backtickFence(content, 3);
        this.#blocks.add(`${fence}${pre.language}\n${content}\n${fence}`);
      }
    };
  }

  #openInPre(name: string, attributes: Attributes): (() => void) | undefined {
    const pre = this.#pre!;
    if (name === "br") pre.text += "\n";
    if (name === "code" && pre.language === "") pre.language = languageOf(attributes);
    if (!BLOCKS.has(name)) return undefined;
    const newLine = () => {
      if (pre.text !== "" && !pre.text.endsWith("\n")) pre.text += "\n";
    };
    newLine();
    return newLine;
  }

  // Tables.

  #openTablePart(name: string, attributes: Attributes): (() => void) | undefined {
    if (name === "table") return this.#openTable();
    const table = this.#tables.at(-1);
    if (table === undefined || table.isLayout || this.#flatTables > 0) return undefined;
    if (name === "tr") table.beginRow();
    else if (name === "caption") table.isData = true;
    else if (name === "thead") {
      table.isInHead = true;
      table.isData = true;
      return () => {
        table.isInHead = false;
      };
    } else if (name === "td" || name === "th") return this.#openCell(table, name === "th", attributes);
    return undefined;
  }

  #openTable(): () => void {
    if (this.#isInCell) {
      if (this.#tables.at(-1)?.isData || this.#flatTables > 0) {
        this.#flatTables++;
        return () => {
          this.#flatTables--;
        };
      }
      this.#becomeLayout();
    }
    const table = new Table();
    this.#tables.push(table);
    return () => {
      this.#tables.pop();
      if (table.isLayout) return;
      const rendered = table.render(this.#options.isMarkdown);
      if (rendered !== undefined) this.#blocks.add(rendered);
      else for (const text of table.takeRows()) this.#blocks.add(text);
    };
  }

  #openCell(table: Table, isHeader: boolean, { colspan, rowspan }: Attributes): () => void {
    if (isHeader) {
      table.isData = true;
      this.#labelDepth++;
    }
    const outer = this.#inline;
    this.#inline = this.#newInline(true);
    this.#isInCell = true;
    return () => {
      if (isHeader) this.#labelDepth--;
      if (table.isLayout) {
        this.#flush();
        return;
      }
      table.add(this.#inline.finish(), isHeader, colspan, rowspan);
      this.#inline = outer;
      this.#isInCell = false;
    };
  }

  /** The table turns out to place blocks: what it has so far becomes text. */
  #becomeLayout(): void {
    const table = this.#tables.at(-1);
    if (table === undefined || !this.#isInCell || this.#flatTables > 0) return;
    table.isLayout = true;
    this.#isInCell = false;
    for (const text of table.takeRows()) this.#blocks.add(text);
    this.#flush();
  }

  // Inline elements.

  #openInline(name: string, attributes: Attributes): (() => void) | undefined {
    if (name === "a") return this.#openLink(attributes.href);
    if (name === "img") this.#addImage(attributes);
    if (name === "br") {
      if (this.#heading > 0) this.#inline.text(" ");
      else if (this.#inline.lineBreak()) this.#flush();
    }
    if (name === "q") {
      this.#inline.text('"');
      return () => this.#inline.text('"');
    }
    if (CODE.has(name)) {
      this.#inline.openCode();
      return () => this.#inline.closeCode();
    }
    const mark = INLINE_MARKS[name];
    if (mark === undefined || (mark === "strong" && this.#heading > 0)) return undefined;
    this.#inline.open(mark);
    return () => this.#inline.close(mark);
  }

  #openLink(href: string | undefined): () => void {
    const url = this.#links.resolve(href);
    this.#isPermalink = href?.includes("#") ?? false;
    this.#linkDepth++;
    this.#linkCount++;
    const before = this.#text;
    if (url !== undefined) this.#inline.open("link", url);
    return () => {
      this.#linkDepth--;
      this.#isPermalink = false;
      if (url === undefined) return;
      this.#inline.close("link");
      if (this.#text > before) this.#links.add(url);
    };
  }

  #addImage({ alt, src, "data-src": lazy }: Attributes): void {
    const text = collapseWhitespace(alt ?? "").trim();
    if (text === "") return;
    const url = this.#links.resolve(src?.startsWith("data:") && lazy !== undefined ? lazy : (src ?? lazy));
    this.#text += text.length;
    if (this.#linkDepth > 0) this.#linkText += text.length;
    if (url === undefined || !this.#options.isMarkdown) this.#inline.text(text);
    else {
      this.#inline.markup(`![${text.replace(/[\\[\]]/g, "\\$&")}](${url})`);
      this.#links.add(url);
    }
  }

  // Formulas: their source in TeX where they have it.

  #beginMath({ alttext }: Attributes): () => void {
    this.#math = { text: "", tex: alttext ?? "", isTex: false };
    return () => {
      const { text, tex } = this.#math ?? { text: "", tex: "" };
      this.#math = undefined;
      const body = collapseWhitespace(tex === "" ? text : tex).trim();
      if (body === "") return;
      if (this.#options.isMarkdown) this.#inline.markup(`$${body}$`);
      else this.#inline.text(body);
    };
  }

  #openMath(name: string, { encoding }: Attributes): (() => void) | undefined {
    const math = this.#math!;
    if (name !== "annotation" || encoding !== "application/x-tex") return undefined;
    math.isTex = true;
    math.tex = "";
    return () => {
      math.isTex = false;
    };
  }
}

function wholeOr(value: string | undefined, otherwise: number): number {
  return value !== undefined && /^\s*-?\d{1,9}\s*$/.test(value) ? Math.max(0, Number(value)) : otherwise;
}

function languageOf({ class: classes }: Attributes): string {
  return LANGUAGE.exec(classes ?? "")?.[1] ?? "";
}
