import { backtickFence, escapeMarkdown, linkTarget } from "./escape-markdown.js";
import { TextBuilder } from "./text-builder.js";
import { collapseWhitespace } from "./whitespace.js";

export type MarkKind = "strong" | "emphasis" | "deleted" | "link" | "sup" | "sub";

interface Mark {
  readonly kind: MarkKind;
  opener: string;
  closer: string;
  readonly url?: string;
  /** How many elements of the kind are open. */
  depth: number;
  /** Where its opener is in the text; -1: not written, because no text has followed. */
  start: number;
}

const DELIMITERS: Readonly<Record<Exclude<MarkKind, "link">, readonly [string, string]>> = {
  strong: ["**", "**"],
  emphasis: ["*", "*"],
  deleted: ["~~", "~~"],
  sup: ["^", ""],
  sub: ["_", ""],
};

/** Where the text of a block goes: in a cell the bars are escaped, and the table decides what a line break is. */
export type InlinePlace = "block" | "cell";

/** The text of one block, piece by piece: whitespace collapsed, marks set close to the text that they are about. */
export class Inline {
  readonly #isMarkdown: boolean;
  place: InlinePlace;
  #text = new TextBuilder();
  #hasSpace = false;
  #hasBreak = false;
  readonly #marks: Mark[] = [];
  #code = "";
  #codeDepth = 0;

  constructor(isMarkdown: boolean, place: InlinePlace) {
    this.#isMarkdown = isMarkdown;
    this.place = place;
  }

  /** Characters of the current block. */
  get size(): number {
    return this.#text.length;
  }

  text(text: string): void {
    const collapsed = collapseWhitespace(text);
    if (this.#codeDepth > 0) {
      this.#code += collapsed;
      return;
    }
    if (collapsed.startsWith(" ")) this.#hasSpace = true;
    const body = collapsed.trim();
    if (body === "") return;
    this.#begin(body);
    const escaped = this.#isMarkdown ? escapeMarkdown(body, this.#text.last, this.#isInLink()) : body;
    this.#text.add(this.#inPlace(escaped));
    this.#hasSpace = collapsed.endsWith(" ");
  }

  /** Markup that is complete in itself. */
  markup(markup: string): void {
    if (markup === "") return;
    this.#begin(markup);
    this.#text.add(this.#inPlace(markup));
  }

  codeSpan(text: string): void {
    const body = text.trim();
    if (body === "") {
      this.#hasSpace ||= text !== "";
      return;
    }
    if (!this.#isMarkdown) {
      this.markup(body);
      return;
    }
    if (text.startsWith(" ")) this.#hasSpace = true;
    const fence = backtickFence(body, 1);
    const padding = body.startsWith("`") || body.endsWith("`") ? " " : "";
    this.markup(`${fence}${padding}${body}${padding}${fence}`);
    this.#hasSpace = text.endsWith(" ");
  }

  openCode(): void {
    this.#codeDepth++;
  }

  closeCode(): void {
    if (--this.#codeDepth === 0) this.#flushCode();
  }

  /** A line break; true where it is the second one in a row, which separates paragraphs. */
  lineBreak(): boolean {
    this.#flushCode();
    this.#hasSpace = false;
    if (this.size === 0) return false;
    if (this.#hasBreak) return true;
    this.#hasBreak = true;
    return false;
  }

  open(kind: MarkKind, url?: string): void {
    this.#flushCode();
    const known = this.#marks.find((mark) => mark.kind === kind);
    if (known !== undefined) {
      known.depth++;
      return;
    }
    const [opener, closer] = kind === "link" ? ["[", `](${linkTarget(url ?? "")})`] : DELIMITERS[kind];
    const shown = this.#isMarkdown || kind === "sup" || kind === "sub";
    const mark = { kind, opener: shown ? opener : "", closer: shown ? closer : "", depth: 1, start: -1 };
    this.#marks.push(url === undefined ? mark : { ...mark, url });
  }

  close(kind: MarkKind): void {
    this.#flushCode();
    const index = this.#marks.findIndex((mark) => mark.kind === kind);
    const mark = this.#marks[index];
    if (mark === undefined || --mark.depth > 0) return;
    this.#marks.splice(index, 1);
    if (mark.start >= 0) this.#end(mark);
  }

  /** The text of the block, and begins the next one; marks that are open continue there, a link does not. */
  finish(): string {
    this.#flushCode();
    for (const mark of this.#marks.toReversed()) {
      if (mark.start < 0) continue;
      this.#end(mark);
      mark.start = -1;
      if (mark.kind === "link") [mark.opener, mark.closer] = ["", ""];
    }
    const text = this.#text.toString();
    this.#text = new TextBuilder();
    this.#hasSpace = false;
    this.#hasBreak = false;
    return text;
  }

  #inPlace(markup: string): string {
    return this.#isMarkdown && this.place === "cell" ? markup.replaceAll("|", "\\|") : markup;
  }

  #isInLink(): boolean {
    return this.#marks.some(({ kind, opener }) => kind === "link" && opener !== "");
  }

  #flushCode(): void {
    if (this.#code === "") return;
    const code = this.#code;
    this.#code = "";
    this.codeSpan(code);
  }

  /** Writes what was waiting for text: a line break or a space, and the openers of marks. */
  #begin(next: string): void {
    if (this.#hasBreak) {
      const lineBreak = this.#isMarkdown && this.place === "block" ? "  \n" : "\n";
      this.#text.add(lineBreak);
    } else if (this.#hasSpace && this.size > 0) this.#text.add(" ");
    this.#hasBreak = false;
    this.#hasSpace = false;
    const waiting = this.#marks.filter(({ start }) => start < 0);
    for (const [index, mark] of waiting.entries()) {
      mark.start = this.size;
      const isScript = mark.kind === "sup" || mark.kind === "sub";
      const isPlain = isScript && (waiting[index + 1]?.kind === "link" || !isExponent(this.#text.last, next));
      this.#text.add(isPlain ? "" : mark.opener);
    }
  }

  #end(mark: Mark): void {
    if (mark.kind === "link" && mark.opener !== "") {
      const text = this.#text.since(mark.start + mark.opener.length);
      if (text.replaceAll("\\", "") === mark.url) {
        this.#text.cutTo(mark.start);
        this.#text.add(`<${mark.url}>`);
        return;
      }
    }
    this.#text.add(mark.closer);
  }
}

/** Not so: a reference such as `[1]`, an ordinal such as `1st`, and what follows no letter or digit. */
function isExponent(before: string, text: string): boolean {
  return /[\p{L}\p{N})\]]/u.test(before) && !text.startsWith("[") && !(/\d/.test(before) && /^\p{L}/u.test(text));
}
