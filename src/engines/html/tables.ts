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

  /** As a table of GitHub's Markdown, as rows of text, or `undefined` where it is no table but a column or one row of blocks. */
  render(isMarkdown: boolean): string | undefined {
    const rows = this.#rows.filter(({ cells }) => cells.some(({ text }) => text !== ""));
    const lineBreak = isMarkdown ? "<br>" : " ";
    const grid = gridOf(rows.map(({ cells }) => cells)).map((row) =>
      row.map((text) => text.replaceAll("\n", lineBreak)),
    );
    const width = Math.max(0, ...grid.map((row) => row.length));
    if (width < 2 || (rows.length < 2 && !this.isData)) return undefined;
    if (!isMarkdown) return grid.map((row) => row.filter((text) => text !== "").join(" | ")).join("\n");
    const lines = grid.map((row) => rowLine([...row, ...Array<string>(width - row.length).fill("")]));
    const rule = rowLine(Array<string>(width).fill("---"));
    const [first] = rows;
    const hasHeader = first !== undefined && (first.isHead || !first.hasData);
    const [header, body] = hasHeader ? [lines[0]!, lines.slice(1)] : [rowLine(Array<string>(width).fill("")), lines];
    return [header, rule, ...body].join("\n");
  }
}

const rowLine = (cells: readonly string[]) =>
  `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |");

function spanOf(value: string | undefined, most: number): number {
  const span = Number.parseInt(value ?? "1", 10);
  return span >= 1 ? Math.min(span, most) : 1;
}

/** Places each cell in its column: one that spans others leaves them empty. */
function gridOf(rows: readonly (readonly Cell[])[]): string[][] {
  const spanned: number[] = [];
  return rows.map((cells) => {
    const row: string[] = [];
    const skip = () => {
      while ((spanned[row.length] ?? 0) > 0) {
        spanned[row.length]!--;
        row.push("");
      }
    };
    for (const { text, columns, rows: height } of cells) {
      skip();
      for (let column = 0; column < columns && row.length < MAX_COLUMNS; column++) {
        spanned[row.length] = height - 1;
        row.push(column === 0 ? text : "");
      }
      // What is beyond the last column stays in it, so that no text is lost.
      if (row.length >= MAX_COLUMNS && columns > 0 && row.at(-1) !== text && text !== "")
        row[MAX_COLUMNS - 1] += ` ${text}`;
    }
    skip();
    return row;
  });
}
