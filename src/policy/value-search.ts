/** Finds any of several fixed texts in a text, in time that hardly depends on their number (Wu and Manber). */
import type { SecretRange } from "./secret-shapes.js";

const TABLE_SIZE = 4096;

interface Wanted {
  readonly text: string;
  readonly kind: string;
}

export class ValueSearch {
  /** Characters by which the search may advance after a pair of characters, by its hash; 0: a wanted text may begin `#length` before. */
  readonly #advance: Uint8Array;
  readonly #byLastPair = new Map<number, Wanted[]>();
  /** Of each wanted text, this many characters decide whether it is compared. */
  readonly #length: number;
  readonly #wanted: readonly Wanted[];

  constructor(wanted: readonly Wanted[]) {
    this.#wanted = [...wanted].sort((a, b) => b.text.length - a.text.length);
    this.#length = Math.min(255, ...wanted.map(({ text }) => text.length));
    this.#advance = new Uint8Array(TABLE_SIZE).fill(Math.max(1, this.#length - 1));
    for (const one of this.#wanted) {
      for (let end = 1; end < this.#length; end++) {
        const pair = hashAt(one.text, end);
        this.#advance[pair] = Math.min(this.#advance[pair]!, this.#length - 1 - end);
      }
      const last = hashAt(one.text, this.#length - 1);
      this.#byLastPair.set(last, [...(this.#byLastPair.get(last) ?? []), one]);
    }
  }

  /** The longest at each place; the search continues after it. */
  in(text: string): readonly SecretRange[] {
    if (this.#wanted.length === 0) return [];
    const found: SecretRange[] = [];
    for (let end = this.#length - 1; end < text.length; ) {
      const pair = hashAt(text, end);
      const advance = this.#advance[pair]!;
      if (advance > 0) {
        end += advance;
        continue;
      }
      const from = end - this.#length + 1;
      const one = this.#byLastPair.get(pair)?.find((wanted) => text.startsWith(wanted.text, from));
      if (one !== undefined) found.push({ from, to: from + one.text.length, kind: one.kind });
      end += one === undefined ? 1 : one.text.length;
    }
    return found;
  }

  /** How many characters at the end of a text are the beginning of a wanted one that is longer. */
  incompleteLength(text: string): number {
    let longest = 0;
    for (const { text: wanted } of this.#wanted) {
      const start = Math.max(0, text.length - wanted.length + 1);
      for (let at = text.indexOf(wanted[0]!, start); at !== -1; at = text.indexOf(wanted[0]!, at + 1)) {
        const length = text.length - at;
        if (length <= longest) break;
        if (wanted.startsWith(text.slice(at))) longest = length;
      }
    }
    return longest;
  }
}

/** Of the pair of characters that ends at `at`. */
function hashAt(text: string, at: number): number {
  return (text.charCodeAt(at - 1) * 31 + text.charCodeAt(at)) & (TABLE_SIZE - 1);
}
