/** A list whose items follow each other without a blank line. */
export interface ListState {
  readonly isOrdered: boolean;
  next: number;
  hasItems: boolean;
  /** An item has had several blocks, so that the next one is set apart. */
  isLoose?: boolean;
  /** It is inside an item of another list, after the text of that item. */
  readonly isNested: boolean;
}

interface Container {
  /** Before its first line, and before all others. */
  readonly first: string;
  readonly rest: string;
  readonly list?: ListState;
  readonly isTight?: boolean;
}

/** Where the output is, to return to. */
export interface Mark {
  readonly blocks: number;
  readonly size: number;
  readonly started: number;
}

/** Deeper containers add no indentation, so that the size of the output stays in proportion to the page. */
const MAX_CONTAINERS = 12;

/** Blocks of text in containers such as lists and quotes, with the prefixes of their lines. */
export class Blocks {
  readonly #blocks: string[] = [];
  readonly #containers: Container[] = [];
  #started = 0;
  size = 0;

  /** Opens a container and returns what closes it. */
  open(container: Container): () => void {
    if (this.#containers.length >= MAX_CONTAINERS) return () => {};
    this.#containers.push(container);
    const depth = this.#containers.length;
    return () => {
      this.#containers.length = Math.min(this.#containers.length, depth - 1);
      this.#started = Math.min(this.#started, this.#containers.length);
    };
  }

  /** Whether the innermost container is an item with text, so that a list in it is a nested one. */
  isInItem(): boolean {
    return this.#containers.at(-1)?.list !== undefined && this.#started === this.#containers.length;
  }

  add(text: string, isTight = false): void {
    const lines = text.split("\n");
    const open = this.#containers;
    const rest = open.map((one) => one.rest).join("");
    const outer = open.slice(0, this.#started).map((one) => one.rest);
    const firstNew = open[this.#started];
    const list = firstNew?.list;
    const isClose =
      isTight ||
      firstNew?.isTight === true ||
      (list !== undefined && !list.isLoose && (list.hasItems || list.isNested));
    const begin =
      outer.join("") +
      open
        .slice(this.#started)
        .map((one) => one.first)
        .join("");
    for (const one of open.slice(this.#started)) if (one.list !== undefined) one.list.hasItems = true;
    const item = open[this.#started - 1];
    if (!isClose && list === undefined && item?.list !== undefined) item.list.isLoose = true;
    const separator = this.#blocks.length === 0 ? "" : isClose ? "\n" : `\n${outer.join("").trimEnd()}\n`;
    const body = lines.map((line, index) => {
      const prefix = index === 0 ? begin : rest;
      return line === "" ? prefix.trimEnd() : prefix + line;
    });
    const block = separator + body.join("\n");
    this.#started = open.length;
    this.#blocks.push(block);
    this.size += block.length;
  }

  mark(): Mark {
    return { blocks: this.#blocks.length, size: this.size, started: this.#started };
  }

  /** The text of the blocks after the first `count`. */
  since(count: number): string {
    return this.#blocks.slice(count).join("");
  }

  /** Removes what was added since. */
  returnTo(mark: Mark): void {
    this.#blocks.length = mark.blocks;
    this.size = mark.size;
    this.#started = Math.min(mark.started, this.#containers.length);
  }

  toString(): string {
    return this.#blocks.join("");
  }
}
