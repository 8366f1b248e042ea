import { type QuoteType, Tokenizer, type TokenizerCallbacks } from "htmlparser2";

export type Attributes = Readonly<Record<string, string | undefined>>;

export interface PageHandler {
  /** Returns what to do when the element ends. */
  open(name: string, attributes: Attributes): (() => void) | undefined;
  /** The text between two tags, with its entities decoded; one of more than `MAX_TEXT` characters in parts. */
  text(text: string): void;
}

interface OpenElement {
  readonly name: string;
  close: (() => void) | undefined;
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

const VOID = names("area base basefont br col embed frame hr img input link meta param source track wbr keygen");
const P_CLOSERS = names(
  "address article aside blockquote center details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre section table ul",
);
const HEADINGS = names("h1 h2 h3 h4 h5 h6");
/** Where a search for an element to end stops: its end tag does not reach out of these. */
const TABLE_SCOPE = names("table caption td th html");
const STRUCTURE = names("table caption td th html ul ol menu dl li dd dt blockquote section article main body");
const LIST_SCOPE = names("ul ol menu dir table caption td th");
const DEFINITION_SCOPE = names("dl table caption td th");
const TABLES = names("table");
const INLINE = names("a abbr b bdi bdo big cite code del dfn em font i ins kbd label mark q s samp small span strike");
const MORE_INLINE = names("strong sub sup tt u var");
const TABLE_PARTS = names("table thead tbody tfoot tr td th caption");
const FOREIGN = names("svg math");

/** An element that opens ends these, when one is open inside the scope. */
const IMPLIED_ENDS = new Map<string, readonly [targets: ReadonlySet<string>, scope: ReadonlySet<string>]>(
  Object.entries({
    li: [names("li"), LIST_SCOPE],
    dt: [names("dt dd"), DEFINITION_SCOPE],
    dd: [names("dt dd"), DEFINITION_SCOPE],
    td: [names("td th caption"), TABLES],
    th: [names("td th caption"), TABLES],
    tr: [names("tr caption"), TABLES],
    thead: [names("thead tbody tfoot caption"), TABLES],
    tbody: [names("thead tbody tfoot caption"), TABLES],
    tfoot: [names("thead tbody tfoot caption"), TABLES],
    option: [names("option"), names("select datalist")],
    a: [names("a"), TABLE_SCOPE],
    button: [names("button"), TABLE_SCOPE],
  }),
);
const P = names("p");

/** Elements that are open at once: another one ends the innermost, as in browsers. */
const MAX_DEPTH = 512;
/** Characters of one text, so that what is made of it stays small. */
const MAX_TEXT = 65_536;
/** Elements that a search looks at, so that its cost does not grow with the depth of the page. */
const MAX_SEARCH = 128;
/** Characters of an attribute that are kept. */
const MAX_ATTRIBUTE = 8_192;
const KEPT_ATTRIBUTES = names(
  "href src action data-src alt class id role hidden style aria-hidden aria-modal aria-label start value colspan rowspan name content property open alttext encoding type rel title",
);

/**
 * Reads a page with the tokenizer of htmlparser2 and keeps the open elements itself: the parser of that package takes time
 * in proportion to the depth for each tag. Here the cost of a tag is bounded.
 */
export class PageReader {
  /** Work done: events of the tokenizer and elements looked at. */
  steps = 0;
  #page = "";
  readonly #handler: PageHandler;
  readonly #isXml: boolean;
  readonly #tokenizer: Tokenizer;
  readonly #stack: OpenElement[] = [];
  readonly #counts = new Map<string, number>();
  #text = "";
  #name = "";
  #attributes: Record<string, string | undefined> = {};
  #attribute = "";
  #value = "";

  constructor(handler: PageHandler, options: { readonly xml?: boolean; readonly decodeEntities?: boolean } = {}) {
    this.#handler = handler;
    this.#isXml = options.xml ?? false;
    this.#tokenizer = new Tokenizer(
      { xmlMode: this.#isXml, decodeEntities: options.decodeEntities ?? true },
      this.#callbacks(),
    );
  }

  read(page: string): void {
    this.#page = page;
    this.#tokenizer.write(page);
    this.#tokenizer.end();
    this.#flushText();
    while (this.#stack.length > 0) this.#pop();
  }

  /** Reads no further; elements that are open end. */
  stop(): void {
    this.#tokenizer.pause();
  }

  #callbacks(): TokenizerCallbacks {
    const nothing = () => {};
    return {
      isInForeignContext: () => this.#isForeign(),
      ontext: (start, end) => this.#addText(this.#page.slice(start, end)),
      ontextentity: (code) => this.#addText(String.fromCodePoint(code)),
      oncdata: (start, end, offset) => {
        if (this.#isXml || this.#isForeign()) this.#addText(this.#page.slice(start, end - offset));
      },
      onopentagname: (start, end) => {
        this.steps++;
        this.#name = this.#page.slice(start, end).toLowerCase();
        this.#attributes = {};
      },
      onattribname: (start, end) => {
        this.steps++;
        const name = end - start > 32 ? "" : this.#page.slice(start, end).toLowerCase();
        this.#attribute = KEPT_ATTRIBUTES.has(name) ? name : "";
        this.#value = "";
      },
      onattribdata: (start, end) => this.#addValue(() => this.#page.slice(start, Math.min(end, start + MAX_ATTRIBUTE))),
      onattribentity: (code) => this.#addValue(() => String.fromCodePoint(code)),
      onattribend: (_quote: QuoteType) => {
        if (this.#attribute !== "") this.#attributes[this.#attribute] ??= this.#value;
      },
      onopentagend: () => this.#open(false),
      onselfclosingtag: () => this.#open(true),
      onclosetag: (start, end) => this.#closeTag(this.#page.slice(start, end).toLowerCase()),
      oncomment: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    };
  }

  #addText(text: string): void {
    this.steps++;
    this.#text += text;
    while (this.#text.length > MAX_TEXT) {
      const end = endOfPart(this.#text);
      this.#handler.text(this.#text.slice(0, end));
      this.#text = this.#text.slice(end);
    }
  }

  #addValue(take: () => string): void {
    this.steps++;
    if (this.#attribute !== "" && this.#value.length < MAX_ATTRIBUTE) this.#value += take();
  }

  #flushText(): void {
    if (this.#text === "") return;
    const text = this.#text;
    this.#text = "";
    this.#handler.text(text);
  }

  #isForeign(): boolean {
    return !this.#isXml && (this.#has("svg") || this.#has("math"));
  }

  #has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0;
  }

  #open(isSelfClosed: boolean): void {
    this.#flushText();
    const name = this.#name === "image" ? "img" : this.#name;
    if (!this.#isXml) this.#endImplied(name);
    const isEmpty = this.#isXml ? isSelfClosed : VOID.has(name);
    if (this.#stack.length >= MAX_DEPTH && !isEmpty) this.#pop();
    const close = this.#handler.open(name, this.#attributes);
    if (isEmpty || (isSelfClosed && (this.#isForeign() || FOREIGN.has(name)))) {
      close?.();
      return;
    }
    this.#stack.push({ name, close });
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  #endImplied(name: string): void {
    if (P_CLOSERS.has(name)) {
      // HTML inside a drawing ends the drawing.
      while (this.#isForeign() && !this.#has("foreignobject")) if (!this.#endNearest(FOREIGN, TABLE_SCOPE)) break;
      if (this.#has("p")) this.#endNearest(P, STRUCTURE);
      if (HEADINGS.has(name) && HEADINGS.has(this.#stack.at(-1)?.name ?? "")) this.#pop();
    }
    const implied = IMPLIED_ENDS.get(name);
    if (implied !== undefined && this.#hasAny(implied[0])) this.#endNearest(implied[0], implied[1]);
  }

  #hasAny(candidates: ReadonlySet<string>): boolean {
    for (const name of candidates) if (this.#has(name)) return true;
    return false;
  }

  #endNearest(targets: ReadonlySet<string>, scope: ReadonlySet<string>): boolean {
    const index = this.#find((name) => targets.has(name), scope);
    while (index !== undefined && this.#stack.length > index) this.#pop();
    return index !== undefined;
  }

  /** The index of the innermost element that fits, unless it is outside of the scope or far away. */
  #find(fits: (name: string) => boolean, scope: ReadonlySet<string>): number | undefined {
    const last = Math.max(0, this.#stack.length - MAX_SEARCH);
    for (let index = this.#stack.length - 1; index >= last; index--) {
      this.steps++;
      const { name } = this.#stack[index]!;
      if (fits(name)) return index;
      if (scope.has(name)) return undefined;
    }
    return undefined;
  }

  #closeTag(name: string): void {
    this.steps++;
    this.#flushText();
    if (!this.#isXml) {
      if (name === "br" || (name === "p" && !this.#has("p"))) this.#handler.open(name, {})?.();
      if (name === "body" || name === "html") return;
    }
    if (!this.#has(name)) return;
    if (INLINE.has(name) || MORE_INLINE.has(name)) this.#endInline(name);
    else {
      const scope = this.#isXml ? P : TABLE_PARTS.has(name) ? TABLES : TABLE_SCOPE;
      const index = this.#find((one) => one === name, this.#isXml ? new Set() : scope);
      while (index !== undefined && this.#stack.length > index) this.#pop();
    }
  }

  /** The end tag of an inline element does not end a list or a section that began inside it. */
  #endInline(name: string): void {
    const index = this.#find((one) => one === name, TABLE_SCOPE);
    if (index === undefined) return;
    const isWithin = this.#stack.slice(index + 1).every((one) => !STRUCTURE.has(one.name));
    if (isWithin) while (this.#stack.length > index) this.#pop();
    else {
      this.#stack[index]!.close?.();
      this.#stack[index]!.close = undefined;
    }
  }

  #pop(): void {
    this.steps++;
    const element = this.#stack.pop()!;
    this.#counts.set(element.name, this.#counts.get(element.name)! - 1);
    element.close?.();
  }
}

/** After whitespace, so that no word and no line ending is divided, if there is any. */
function endOfPart(text: string): number {
  const end = Math.max(text.lastIndexOf("\n", MAX_TEXT - 1), text.lastIndexOf(" ", MAX_TEXT - 1)) + 1;
  return end > MAX_TEXT / 2 ? end : MAX_TEXT;
}
