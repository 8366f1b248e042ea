import { TextBuilder } from "./text-builder.js";

const MAX_COLUMNS = 100;
const MAX_SPAN = 1_000;
/** Empty cells that spans may add before others, for each cell of the table, so that its size stays in proportion to the page. */
const MAX_ADDED_PER_CELL = 10;

interface Span {
  readonly columns: number;
  readonly rows: number;
}

const ONE: Span = { columns: 1, rows: 1 };

/** The cells of one table, until it ends. They are in flat lists, because a page may have a million of them. */
export class Table {
  /** A layout table is only a way of placing blocks: its cells are rendered as these. */
  isLayout = false;
  /** Whether it has header cells or a caption, so that it is about data. */
  isData = false;
  isInHead = false;
  size = 0;
  /** Of all cells, row after row. */
  readonly #texts: string[] = [];
  /** Of the cells that span several columns or rows, by their index. */
  readonly #spans = new Map<number, Span>();
  /** The index of the first cell of each row. */
  readonly #starts: number[] = [];
  /** Of the current row: the texts of the cells beyond the last column become a part of that, so that nothing is lost. */
  #surplus = new TextBuilder();
  #isHead = false;
  #hasData = false;
  /** Whether the first row is a header; undefined before it ends. */
  #hasHeader: boolean | undefined;

  beginRow(): void {
    this.#endRow();
    this.#starts.push(this.#texts.length);
    this.#isHead = this.isInHead;
    this.#hasData = false;
  }

  add(text: string, isHeader: boolean, columns: string | undefined, rows: string | undefined): void {
    if (this.#starts.length === 0) this.beginRow();
    const content = text.trim();
    this.size += content.length + 3;
    if (!isHeader) this.#hasData = true;
    if (this.#texts.length - this.#starts.at(-1)! === MAX_COLUMNS) {
      if (content !== "") this.#surplus.add(` ${content}`);
      return;
    }
    const span = { columns: spanOf(columns, MAX_COLUMNS), rows: spanOf(rows, MAX_SPAN) };
    if (span.columns > 1 || span.rows > 1) this.#spans.set(this.#texts.length, span);
    this.#texts.push(content);
  }

  /** A row without text is none. */
  #endRow(): void {
    const start = this.#starts.at(-1);
    if (start === undefined) return;
    if (this.#surplus.length > 0) this.#texts.push(`${this.#texts.pop()}${this.#surplus}`.trim());
    this.#surplus = new TextBuilder();
    if (hasText(this.#texts, start)) this.#hasHeader ??= this.#isHead || !this.#hasData;
    else this.#removeCells(this.#starts.pop()!);
  }

  /** The paragraphs of the rows so far, which are forgotten: the short cells of a row are one. */
  *takeRows(): Generator<string> {
    this.#endRow();
    for (const [index, start] of this.#starts.entries()) {
      const texts = this.#texts.slice(start, this.#starts[index + 1]).filter((text) => text !== "");
      if (texts.some((text) => text.includes("\n"))) for (const text of texts) yield* text.split("\n");
      else yield texts.join(" ");
    }
    this.#starts.length = 0;
    this.#removeCells(0);
  }

  #removeCells(start: number): void {
    for (let index = start; index < this.#texts.length; index++) this.#spans.delete(index);
    this.#texts.length = start;
  }

  /** As a table of GitHub's Markdown, as rows of text, or `undefined` for a single column or one row of blocks. */
  render(isMarkdown: boolean): string | undefined {
    this.#endRow();
    const body = new TextBuilder();
    let header: readonly string[] = [];
    let width = 0;
    for (const [index, row] of this.#grid(isMarkdown ? "<br>" : " ")) {
      width = Math.max(width, row.length);
      if (!isMarkdown) body.add(`\n${row.filter((text) => text !== "").join(" | ")}`);
      else if (index === 0 && this.#hasHeader) header = row;
      else body.add(`\n${rowLine(row)}`);
    }
    if (width < 2 || (this.#starts.length < 2 && !this.isData)) return undefined;
    if (!isMarkdown) return body.since(1);
    // A header has as many cells as the rule; other rows may end earlier.
    const names = [...header, ...Array<string>(width - header.length).fill("")];
    return `${rowLine(names)}\n${rowLine(Array<string>(width).fill("---"))}${body}`;
  }

  /** Places each cell in its column: one that spans others leaves them empty. A row ends with its last text. */
  *#grid(lineBreak: string): Generator<readonly [index: number, row: readonly string[]]> {
    /** By column: the row at which the cells that span it end. */
    const spannedUntil: number[] = [];
    let mayAdd = MAX_ADDED_PER_CELL * this.#texts.length;
    for (const [index, start] of this.#starts.entries()) {
      const row: string[] = [];
      const next = this.#starts[index + 1] ?? this.#texts.length;
      let column = 0;
      for (let cell = start; cell < next; cell++) {
        const text = this.#texts[cell]!.replaceAll("\n", lineBreak);
        const { columns, rows } = this.#spans.get(cell) ?? ONE;
        while ((spannedUntil[column] ?? 0) > index) column++;
        if (column >= MAX_COLUMNS) {
          if (text !== "") row.push([...row.splice(-1), text].join(" "));
          continue;
        }
        if (text !== "") {
          const added = Math.min(column - row.length, mayAdd);
          mayAdd -= added;
          for (let count = 0; count < added; count++) row.push("");
          row.push(text);
        }
        const end = Math.min(column + columns, MAX_COLUMNS);
        if (rows > 1)
          for (let at = column; at < end; at++) spannedUntil[at] = Math.max(spannedUntil[at] ?? 0, index + rows);
        column = end;
      }
      yield [index, row];
    }
  }
}

function hasText(texts: readonly string[], start: number): boolean {
  for (let index = start; index < texts.length; index++) if (texts[index] !== "") return true;
  return false;
}

const rowLine = (cells: readonly string[]) =>
  `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |");

function spanOf(value: string | undefined, most: number): number {
  const span = Number.parseInt(value ?? "1", 10);
  return span >= 1 ? Math.min(span, most) : 1;
}
