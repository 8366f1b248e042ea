import { BlockWriter } from "./block-writer.js";
import { type Boilerplate, boilerplateOf, isBanner, isHidden, isMain, isMenu, MAX_BY_WORDS } from "./boilerplate.js";
import { linkTarget } from "./escape-markdown.js";
import { Formula } from "./formula.js";
import type { MarkKind } from "./inline.js";
import { PageLinks } from "./page-links.js";
import type { Attributes, PageHandler } from "./page-reader.js";
import { TextBuilder } from "./text-builder.js";
import { collapseWhitespace, keepWhitespace } from "./whitespace.js";

export interface PageRendererOptions {
  readonly isMarkdown: boolean;
  readonly url: string;
  readonly dropsBoilerplate: boolean;
  /** Renders one of the parts that `finish` reports, and nothing outside of it. */
  readonly part?: number;
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
const PREFORMATTED = names("pre xmp plaintext listing");
const HEADING = /^h[1-6]$/;
const INLINE_MARKS = new Map<string, MarkKind>(
  Object.entries({
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
  }),
);
const CODE = names("code kbd samp tt");
/** The only text of a link to the heading that it is part of. */
const PERMALINK = /^[#¶§🔗\s]*$/u;
const LANGUAGE = /(?:^|\s)(?:language|lang)-([\w+#.-]{1,30})/;

/** Characters of a title, before its whitespace is collapsed. */
const MAX_TITLE = 10_000;

/** Of the text that is rendered: what decides whether a block is a menu. */
interface Counts {
  text: number;
  linkText: number;
  links: number;
}

/** An element that holds main text: `main`, `article` or one with such a role. */
export interface MainPart {
  /** How many such elements the page has before it. */
  readonly index: number;
  /** Characters of its text. */
  readonly text: number;
}

/** Renders the events of a page. */
export class PageRenderer implements PageHandler {
  readonly #options: PageRendererOptions;
  readonly #writer: BlockWriter;
  readonly #links: PageLinks;
  #title = "";
  #titleText: string | undefined;
  #formula: Formula | undefined;
  #pre: { readonly text: TextBuilder; language: string } | undefined;
  /** Why the text is not rendered now. */
  #skip: "hidden" | "dropped" | undefined;
  #mainDepth = 0;
  /** Of all parts, those dropped too. */
  #partCount = 0;
  readonly #parts: MainPart[] = [];
  #linkDepth = 0;
  #isPermalink = false;
  /** The heading in the header that is open. */
  #bannerTitle = "";
  #counts: Counts = { text: 0, linkText: 0, links: 0 };
  #droppedText = 0;
  #droppedLinks = 0;

  constructor(options: PageRendererOptions) {
    this.#options = options;
    this.#writer = new BlockWriter(options.isMarkdown);
    this.#links = new PageLinks(options.url);
    if (options.part !== undefined) this.#skip = "dropped";
  }

  finish() {
    this.#writer.flush();
    return {
      text: this.#writer.blocks.toString().trim(),
      title: collapseWhitespace(this.#title).trim(),
      parts: this.#parts,
      links: this.#links.found,
      droppedLinks: this.#droppedLinks,
      droppedCharacters: this.#droppedText,
    };
  }

  text(text: string): void {
    if (this.#titleText !== undefined) this.#addTitle(text);
    else if (this.#skip === "dropped") this.#droppedText += text.trim().length;
    else if (this.#skip === "hidden") return;
    else if (this.#formula !== undefined) this.#formula.text(text);
    else if (this.#pre !== undefined) this.#pre.text.add(keepWhitespace(text));
    else if (!(this.#isPermalink && PERMALINK.test(text))) {
      this.#count(text.trim().length);
      this.#writer.text(text);
    }
    this.#options.onSize(this.#writer.size);
  }

  open(name: string, attributes: Attributes): (() => void) | undefined {
    const part = isMain(name, attributes) ? this.#partCount++ : undefined;
    if (part !== undefined && part === this.#options.part) this.#skip = undefined;
    if (name === "base") this.#links.setBase(attributes.href);
    if (this.#skip !== undefined) return this.#openSkipped(name);
    if (this.#formula !== undefined) return this.#formula.open(name, attributes);
    if (name === "title") return this.#openTitle();
    if (name === "math") return this.#openFormula(attributes);
    if (this.#isInvisible(name, attributes)) return this.#skipAs("hidden");
    if (this.#pre !== undefined) return this.#openInPre(name, attributes);
    const kind = this.#options.dropsBoilerplate ? boilerplateOf(name, attributes, this.#mainDepth > 0) : undefined;
    if (kind === "drop" || (kind === "words" && name === "a")) {
      if (name === "a") this.#droppedLinks++;
      else this.#writer.boundary();
      return this.#skipAs("dropped");
    }
    const close = this.#openBlock(name, attributes, kind) ?? this.#openInline(name, attributes);
    return part === undefined ? close : this.#openPart(part, close);
  }

  #openPart(index: number, close: (() => void) | undefined): () => void {
    const before = this.#counts.text;
    this.#mainDepth++;
    return () => {
      close?.();
      this.#mainDepth--;
      this.#parts.push({ index, text: this.#counts.text - before });
      if (index === this.#options.part) this.#skip = "dropped";
    };
  }

  #count(characters: number): void {
    this.#counts.text += characters;
    if (this.#linkDepth > 0) this.#counts.linkText += characters;
  }

  // What is not rendered.

  #isInvisible(name: string, attributes: Attributes): boolean {
    if (NO_TEXT.has(name) || isHidden(name, attributes)) return true;
    if (name === "button") return this.#writer.labelDepth === 0;
    return name === "dialog" && attributes.open === undefined;
  }

  #skipAs(why: "hidden" | "dropped"): () => void {
    const before = this.#skip;
    this.#skip = why;
    return () => {
      this.#skip = before;
    };
  }

  #openSkipped(name: string): (() => void) | undefined {
    if (this.#skip === "hidden") return undefined;
    if (name === "a") this.#droppedLinks++;
    return NO_TEXT.has(name) ? this.#skipAs("hidden") : undefined;
  }

  #addTitle(text: string): void {
    if (this.#titleText!.length < MAX_TITLE) this.#titleText += text.slice(0, MAX_TITLE);
  }

  #openTitle(): () => void {
    this.#titleText = "";
    return () => {
      if (this.#title.trim() === "") this.#title = this.#titleText ?? "";
      this.#titleText = undefined;
    };
  }

  // Blocks.

  #openBlock(name: string, attributes: Attributes, kind: Boilerplate): (() => void) | undefined {
    if (HEADING.test(name)) return this.#openHeading(Number(name[1]));
    if (PREFORMATTED.has(name)) return this.#openPre(attributes);
    if (name === "hr") this.#writer.addRule();
    if (!BLOCKS.has(name)) return undefined;
    this.#writer.begin(name);
    const decide = this.#watchBlock(name, kind);
    const close = this.#writer.openStructure(name, attributes);
    return () => {
      this.#writer.boundary();
      close?.();
      decide?.();
    };
  }

  #openHeading(level: number): () => void {
    const isTitle = level === 1 && this.#writer.heading === 0;
    const close = this.#writer.openHeading(level);
    const mark = this.#writer.blocks.mark();
    return () => {
      close();
      if (isTitle) this.#bannerTitle = this.#writer.blocks.since(mark).trim();
    };
  }

  /** Returns what removes the block again if it has turned out to be a menu, a banner or a bar of buttons. */
  #watchBlock(name: string, kind: Boilerplate): (() => void) | undefined {
    const isWatched = kind !== undefined || (MENUS.has(name) && this.#mainDepth === 0);
    if (!this.#options.dropsBoilerplate || !isWatched || this.#writer.isInCell) return undefined;
    const mark = this.#writer.blocks.mark();
    const before = { ...this.#counts };
    this.#bannerTitle = "";
    return () => {
      if (this.#writer.isInCell) return;
      const content = {
        text: this.#counts.text - before.text,
        linkText: this.#counts.linkText - before.linkText,
        links: this.#counts.links - before.links,
      };
      const isDropped =
        kind === "header" ? isBanner(content) : kind === "words" ? content.text <= MAX_BY_WORDS : isMenu(content);
      if (!isDropped) return;
      this.#writer.blocks.returnTo(mark);
      this.#droppedText += content.text;
      this.#droppedLinks += content.links;
      this.#counts = before;
      if (kind === "header" && this.#bannerTitle !== "") this.#writer.blocks.add(this.#bannerTitle);
    };
  }

  // Preformatted text.

  #openPre(attributes: Attributes): () => void {
    const close = this.#writer.openPre();
    const pre = { text: new TextBuilder(), language: languageOf(attributes) };
    this.#pre = pre;
    return () => {
      this.#pre = undefined;
      const text = pre.text.toString();
      this.#count(text.trim().length);
      close(text, pre.language);
    };
  }

  #openInPre(name: string, attributes: Attributes): (() => void) | undefined {
    const pre = this.#pre!;
    if (name === "br") pre.text.add("\n");
    if (name === "code" && pre.language === "") pre.language = languageOf(attributes);
    if (!BLOCKS.has(name)) return undefined;
    const newLine = () => {
      if (pre.text.length > 0 && pre.text.last !== "\n") pre.text.add("\n");
    };
    newLine();
    return newLine;
  }

  // Inline elements.

  #openInline(name: string, attributes: Attributes): (() => void) | undefined {
    const { inline } = this.#writer;
    if (name === "a") return this.#openLink(attributes.href);
    if (name === "img") this.#addImage(attributes);
    if (name === "br") this.#writer.lineBreak();
    if (name === "q") {
      inline.text('"');
      return () => this.#writer.inline.text('"');
    }
    if (CODE.has(name)) {
      inline.openCode();
      return () => this.#writer.inline.closeCode();
    }
    const mark = INLINE_MARKS.get(name);
    if (mark === undefined || (mark === "strong" && this.#writer.heading > 0)) return undefined;
    inline.open(mark);
    return () => this.#writer.inline.close(mark);
  }

  #openLink(href: string | undefined): () => void {
    const url = this.#links.resolve(href);
    this.#isPermalink = href?.includes("#") ?? false;
    this.#linkDepth++;
    this.#counts.links++;
    if (url !== undefined) this.#writer.inline.open("link", url);
    return () => {
      this.#linkDepth--;
      this.#isPermalink = false;
      if (url !== undefined) this.#writer.inline.close("link");
    };
  }

  #addImage({ alt, src, "data-src": lazy }: Attributes): void {
    const text = collapseWhitespace(alt ?? "").trim();
    if (text === "") return;
    const url = this.#links.resolve(src?.startsWith("data:") && lazy !== undefined ? lazy : (src ?? lazy));
    this.#count(text.length);
    if (url === undefined || !this.#options.isMarkdown) this.#writer.inline.text(text);
    else this.#writer.inline.markup(`![${text.replace(/[\\[\]]/g, "\\$&")}](${linkTarget(url)})`);
  }

  #openFormula(attributes: Attributes): () => void {
    const formula = new Formula(attributes);
    this.#formula = formula;
    return () => {
      this.#formula = undefined;
      const body = formula.toString();
      this.#count(body.length);
      if (this.#options.isMarkdown && body !== "") this.#writer.inline.markup(`$${body}$`);
      else this.#writer.inline.text(body);
    };
  }
}

function languageOf({ class: classes }: Attributes): string {
  return LANGUAGE.exec(classes ?? "")?.[1] ?? "";
}
