import { Blocks, type ListState } from "./blocks.js";
import { backtickFence, escapeLineStarts } from "./escape-markdown.js";
import { Inline, type MarkKind } from "./inline.js";
import type { Attributes } from "./page-reader.js";
import { Table } from "./tables.js";

/** A cell with more text than this belongs to a layout, unless the table has headers. */
const MAX_CELL = 4_000;
const NOT_IN_CELLS: ReadonlySet<string> = new Set([
  "ul",
  "ol",
  "dl",
  "blockquote",
  "form",
  "section",
  "article",
  "main",
]);

/** Headings, lists, quotes, tables and code: where the text of a page goes. Each `open…` returns what ends the element. */
export class BlockWriter {
  readonly isMarkdown: boolean;
  readonly blocks = new Blocks();
  /** The text of the current paragraph or cell. */
  inline: Inline;
  isInCell = false;
  /** Level of the heading that is open; 0: none. */
  heading = 0;
  /** Elements that keep the text of buttons in them. */
  labelDepth = 0;
  readonly #tables: Table[] = [];
  /** Tables inside the cell of a table about data, which are text there. */
  #flatTables = 0;
  readonly #lists: ListState[] = [];

  constructor(isMarkdown: boolean) {
    this.isMarkdown = isMarkdown;
    this.inline = new Inline(isMarkdown, "block");
  }

  get size(): number {
    return this.blocks.size + this.inline.size + (this.#tables.at(-1)?.size ?? 0);
  }

  text(text: string): void {
    this.inline.text(text);
    if (this.inline.size > MAX_CELL) this.#becomeLayout();
  }

  lineBreak(): void {
    if (this.heading > 0) this.inline.text(" ");
    else if (this.inline.lineBreak()) this.flush();
  }

  /** Ends the paragraph; in a cell, which is one line, begins a new part of it. */
  boundary(): void {
    if (this.isInCell) this.inline.lineBreak();
    else this.flush();
  }

  /** Begins a block; some are in a table only where it is a layout. */
  begin(name: string): void {
    if (NOT_IN_CELLS.has(name)) this.#becomeLayout();
    this.boundary();
  }

  flush(): void {
    if (this.isInCell) return;
    const text = this.inline.finish();
    if (text === "") return;
    if (this.heading > 0) {
      const marks = this.isMarkdown ? `${"#".repeat(this.heading)} ` : "";
      this.blocks.add(marks + text.replace(/\s*\n\s*/g, " "));
    } else this.blocks.add(this.isMarkdown ? escapeLineStarts(text) : text);
  }

  addRule(): void {
    this.boundary();
    if (!this.isInCell && this.isMarkdown) this.blocks.add("---");
  }

  openHeading(level: number): () => void {
    this.boundary();
    this.#becomeLayout();
    const before = this.heading;
    this.heading = level;
    this.labelDepth++;
    return () => {
      this.boundary();
      this.heading = before;
      this.labelDepth--;
    };
  }

  /** Preformatted text; the text itself is given at its end. */
  openPre(): (text: string, language: string) => void {
    this.boundary();
    this.#becomeLayout();
    return (text, language) => {
      const content = text.replace(/^\n/, "").trimEnd();
      if (content.trim() === "") return;
      if (this.isInCell) this.inline.codeSpan(content.replace(/\s+/g, " "));
      else if (!this.isMarkdown) this.blocks.add(content);
      else {
        const fence = backtickFence(content, 3);
        this.blocks.add(`${fence}${language}\n${content}\n${fence}`);
      }
    };
  }

  /** A block that is a container of others, or a part of a table. */
  openStructure(name: string, attributes: Attributes): (() => void) | undefined {
    if (name === "table") return this.#openTable();
    if (name === "summary") return this.#openLabel("strong");
    if (name === "dt") return this.#openLabel(undefined);
    return this.isInCell ? this.#openTablePart(name, attributes) : this.#openContainer(name, attributes);
  }

  #openContainer(name: string, attributes: Attributes): (() => void) | undefined {
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
        return this.blocks.open({ first: this.isMarkdown ? ": " : "  ", rest: "  ", isTight: true });
      case "blockquote":
        return this.blocks.open({ first: "> ", rest: "> " });
      default:
        return this.#openTablePart(name, attributes);
    }
  }

  #openLabel(mark: MarkKind | undefined): () => void {
    this.labelDepth++;
    if (mark !== undefined) this.inline.open(mark);
    return () => {
      this.labelDepth--;
      if (mark !== undefined) this.inline.close(mark);
    };
  }

  #openList(isOrdered: boolean, next: number): () => void {
    this.#lists.push({ isOrdered, next, hasItems: false, isNested: this.blocks.isInItem() });
    return () => {
      this.#lists.pop();
    };
  }

  #openItem(attributes: Attributes): () => void {
    const list = this.#lists.at(-1) ?? { isOrdered: false, next: 1, hasItems: false, isNested: false };
    if (list.isOrdered) list.next = wholeOr(attributes.value, list.next);
    const first = list.isOrdered ? `${list.next++}. ` : "- ";
    return this.blocks.open({ first, rest: " ".repeat(first.length), list });
  }

  #openTable(): () => void {
    if (this.isInCell) {
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
      const rendered = table.render(this.isMarkdown);
      if (rendered !== undefined) this.blocks.add(rendered);
      else this.#addRows(table);
    };
  }

  #openTablePart(name: string, attributes: Attributes): (() => void) | undefined {
    const table = this.#tables.at(-1);
    if (table === undefined || table.isLayout || this.#flatTables > 0) return undefined;
    if (name === "td" || name === "th") return this.#openCell(table, name === "th", attributes);
    if (name === "tr") table.beginRow();
    if (name === "caption" || name === "thead") table.isData = true;
    if (name !== "thead") return undefined;
    table.isInHead = true;
    return () => {
      table.isInHead = false;
    };
  }

  #openCell(table: Table, isHeader: boolean, { colspan, rowspan }: Attributes): () => void {
    if (isHeader) {
      table.isData = true;
      this.labelDepth++;
    }
    const outer = this.inline;
    this.inline = new Inline(this.isMarkdown, "cell");
    this.isInCell = true;
    return () => {
      if (isHeader) this.labelDepth--;
      if (table.isLayout) {
        this.flush();
        return;
      }
      table.add(this.inline.finish(), isHeader, colspan, rowspan);
      this.inline = outer;
      this.isInCell = false;
    };
  }

  /** Where the current table has no headers, it places blocks, and what it has so far becomes text. */
  #becomeLayout(): void {
    const table = this.#tables.at(-1);
    if (!this.isInCell || table === undefined || table.isData || this.#flatTables > 0) return;
    table.isLayout = true;
    this.isInCell = false;
    this.#addRows(table);
    for (const text of this.inline.finish().split("\n")) if (text !== "") this.blocks.add(text);
    this.inline.place = "block";
  }

  #addRows(table: Table): void {
    for (const text of table.takeRows()) if (text !== "") this.blocks.add(text);
  }
}

function wholeOr(value: string | undefined, otherwise: number): number {
  return value !== undefined && /^\s*-?\d{1,9}\s*$/.test(value) ? Math.max(0, Number(value)) : otherwise;
}
