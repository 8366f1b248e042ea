interface Cell {
  readonly text: string;
  readonly columns: number;
  readonly rows: number;
}

interface Row {
  readonly cells: Cell[];
  readonly isHead: boolean;
  hasData: boolean;
}

const MAX_COLUMNS = 100;
const MAX_SPAN = 1_000;
/** Empty cells that spans may add before others, for each cell of the table, so that its size stays in proportion to the page. */
const MAX_ADDED_PER_CELL = 10;

/** The cells of one table, until it ends. */
export class Table {
  /** A layout table is only a way of placing blocks: its cells are rendered as these. */
  isLayout = false;
  /** Whether it has header cells or a caption, so that it is about data. */
  isData = false;
  isInHead = false;
  readonly #rows: Row[] = [];
  size = 0;

  beginRow(): void {
    this.#rows.push({ cells: [], isHead: this.isInHead, hasData: false });
  }

  add(text: string, isHeader: boolean, columns: string | undefined, rows: string | undefined): void {
    if (this.#rows.length === 0) this.beginRow();
    const row = this.#rows.at(-1)!;
    const content = text.trim();
    this.size += content.length + 3;
    row.cells.push({ text: content, columns: spanOf(columns, MAX_COLUMNS), rows: spanOf(rows, MAX_SPAN) });
    if (!isHeader) row.hasData = true;
  }

  /** The paragraphs of the rows so far, which are forgotten: the short cells of a row are one. */
  takeRows(): string[] {
    const cells = this.#rows.splice(0).map((row) => row.cells.map(({ text }) => text).filter((text) => text !== ""));
    return cells.flatMap((row) =>
      row.some((text) => text.includes("\n")) ? row.flatMap((text) => text.split("\n")) : row.join(" "),
    );
  }

  /** As a table of GitHub's Markdown, as rows of text, or `undefined` for a single column or one row of blocks. */
  render(isMarkdown: boolean): string | undefined {
    const rows = this.#rows.filter(({ cells }) => cells.some(({ text }) => text !== ""));
    const lineBreak = isMarkdown ? "<br>" : " ";
    const grid = gridOf(rows.map(({ cells }) => cells)).map((row) =>
      row.map((text) => text.replaceAll("\n", lineBreak)),
    );
    const width = grid.reduce((most, row) => Math.max(most, row.length), 0);
    if (width < 2 || (rows.length < 2 && !this.isData)) return undefined;
    if (!isMarkdown) return grid.map((row) => row.filter((text) => text !== "").join(" | ")).join("\n");
    const rule = rowLine(Array<string>(width).fill("---"));
    const [first] = rows;
    const hasHeader = first !== undefined && (first.isHead || !first.hasData);
    // A header has as many cells as the rule; other rows may end earlier.
    const names = hasHeader ? grid[0]! : [];
    const header = rowLine([...names, ...Array<string>(width - names.length).fill("")]);
    const body = (hasHeader ? grid.slice(1) : grid).map(rowLine);
    return [header, rule, ...body].join("\n");
  }
}

const rowLine = (cells: readonly string[]) =>
  `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |");

function spanOf(value: string | undefined, most: number): number {
  const span = Number.parseInt(value ?? "1", 10);
  return span >= 1 ? Math.min(span, most) : 1;
}

/** Places each cell in its column: one that spans others leaves them empty. A row ends with its last text. */
function gridOf(rows: readonly (readonly Cell[])[]): string[][] {
  /** By column: the row at which the cells that span it end. */
  const spannedUntil: number[] = [];
  let mayAdd = MAX_ADDED_PER_CELL * rows.reduce((count, cells) => count + cells.length, 0);
  return rows.map((cells, index) => {
    const row: string[] = [];
    let column = 0;
    for (const { text, columns, rows: height } of cells) {
      while ((spannedUntil[column] ?? 0) > index) column++;
      if (column >= MAX_COLUMNS) {
        // What is beyond the last column stays in it, so that no text is lost.
        if (text !== "") addToLast(row, text);
        continue;
      }
      if (text !== "") {
        const added = Math.min(column - row.length, mayAdd);
        mayAdd -= added;
        for (let count = 0; count < added; count++) row.push("");
        row.push(text);
      }
      const end = Math.min(column + columns, MAX_COLUMNS);
      if (height > 1)
        for (let at = column; at < end; at++) spannedUntil[at] = Math.max(spannedUntil[at] ?? 0, index + height);
      column = end;
    }
    return row;
  });
}

function addToLast(row: string[], text: string): void {
  const last = row.pop();
  row.push(last === undefined ? text : `${last} ${text}`);
}
