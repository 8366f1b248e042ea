import { TextBuilder } from "./text-builder.js";

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
  readonly length: number;
  readonly started: number;
}

/** Deeper containers add no indentation, so that the size of the output stays in proportion to the page. */
const MAX_CONTAINERS = 8;

/** Blocks of text in containers such as lists and quotes, with the prefixes of their lines. */
export class Blocks {
  readonly #text = new TextBuilder();
  readonly #containers: Container[] = [];
  /** How many of the containers have text. */
  #started = 0;

  get size(): number {
    return this.#text.length;
  }

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

  add(text: string): void {
    const open = this.#containers;
    const started = open.slice(0, this.#started);
    const fresh = open.slice(this.#started);
    const list = fresh[0]?.list;
    const isClose =
      fresh[0]?.isTight === true || (list !== undefined && !list.isLoose && (list.hasItems || list.isNested));
    for (const one of fresh) if (one.list !== undefined) one.list.hasItems = true;
    const item = started.at(-1);
    if (!isClose && list === undefined && item?.list !== undefined) item.list.isLoose = true;
    const outer = joined(started, "rest");
    if (this.#text.length > 0) this.#text.add(isClose ? "\n" : `\n${outer.trimEnd()}\n`);
    this.#addLines(text, outer + joined(fresh, "first"), outer + joined(fresh, "rest"));
    this.#started = open.length;
  }

  #addLines(text: string, first: string, rest: string): void {
    if (rest === "") {
      this.#text.add(text);
      return;
    }
    let prefix = first;
    for (let start = 0, end = 0; end !== -1; start = end + 1) {
      end = text.indexOf("\n", start);
      const line = text.slice(start, end === -1 ? undefined : end);
      if (start > 0) this.#text.add("\n");
      this.#text.add(line === "" ? prefix.trimEnd() : prefix);
      this.#text.add(line);
      prefix = rest;
    }
  }

  mark(): Mark {
    return { length: this.#text.length, started: this.#started };
  }

  /** The text of the blocks that were added since. */
  since({ length }: Mark): string {
    return this.#text.since(length);
  }

  /** Removes what was added since. */
  returnTo(mark: Mark): void {
    this.#text.cutTo(mark.length);
    this.#started = Math.min(mark.started, this.#containers.length);
  }

  toString(): string {
    return this.#text.toString();
  }
}

function joined(containers: readonly Container[], prefix: "first" | "rest"): string {
  return containers.reduce((text, one) => text + one[prefix], "");
}
