/** Looks for many sequences of units in one pass over a text, in time that does not depend on how many they are. */
import type { Units } from "./edit-search.js";

/** Units that are looked through between two chances to do something else. */
const UNITS_AT_ONCE = 1 << 20;

/** Told of each place; false when this sequence need not be looked for any more. */
export type FoundUnits = (needle: number, at: number) => boolean;

/**
 * A tree of all sequences, each node of which knows the longest end of its own path that is the begin of another one (the
 * automaton of Aho and Corasick): no unit of the text is looked at twice. About 24 bytes for each unit of the sequences.
 */
export class UnitSearchMany {
  readonly #needles: readonly Units[];
  readonly #root: Int32Array;
  /** Of each node: its first child and the unit that leads there; further children are in `#more`. */
  readonly #child: Int32Array;
  readonly #childUnit: Uint16Array;
  readonly #more: ChildTable;
  /** Of each node: the one for the longest end of its path that begins another sequence, and the nearest of those that ends one. */
  readonly #fall: Int32Array;
  readonly #endBelow: Int32Array;
  /** By the node where they end: the sequences that are still looked for. */
  readonly #ends = new Map<number, number[]>();
  readonly #hasEnd: Uint8Array;
  #open = 0;

  /** @param needles - Each of at least one unit. */
  constructor(needles: readonly Units[]) {
    const size = 1 + needles.reduce((sum, needle) => sum + needle.length, 0);
    this.#needles = needles;
    this.#root = new Int32Array(needles.some((needle) => needle instanceof Uint16Array) ? 65_536 : 256);
    this.#child = new Int32Array(size);
    this.#childUnit = new Uint16Array(size);
    this.#more = new ChildTable(needles.length);
    this.#fall = new Int32Array(size);
    this.#endBelow = new Int32Array(size);
    this.#hasEnd = new Uint8Array(size);
    this.#build();
  }

  /** Yields now and then, so that the caller can look after other things. */
  *scan(text: Units, found: FoundUnits): Generator<void, void, void> {
    let node = 0;
    for (let from = 0; from < text.length && this.#open > 0; from += UNITS_AT_ONCE) {
      const to = Math.min(text.length, from + UNITS_AT_ONCE);
      for (let at = from; at < to && this.#open > 0; at++) {
        const unit = text[at]!;
        let next = this.#childOf(node, unit);
        while (next === 0 && node !== 0) {
          node = this.#fall[node]!;
          next = this.#childOf(node, unit);
        }
        node = next;
        if (this.#hasEnd[node] === 1 || this.#endBelow[node] !== 0) this.#tell(node, at + 1, found);
      }
      yield;
    }
  }

  /** Level by level, so that a node comes after all that are nearer to the root. */
  #build(): void {
    const reached = new Int32Array(this.#needles.length);
    let going = this.#needles.map((_, index) => index);
    let count = 1;
    for (let depth = 0; going.length > 0; depth++) {
      const first = count;
      for (const index of going) {
        const unit = this.#needles[index]![depth]!;
        const parent = reached[index]!;
        let node = this.#childOf(parent, unit);
        if (node === 0) {
          node = count++;
          this.#addChild(parent, unit, node);
          if (parent !== 0) this.#fall[node] = this.#fallFrom(this.#fall[parent]!, unit);
        }
        reached[index] = node;
      }
      for (let node = first; node < count; node++) this.#endBelow[node] = this.#nearestEnd(this.#fall[node]!);
      going = going.filter((index) => {
        if (this.#needles[index]!.length > depth + 1) return true;
        this.#addEnd(reached[index]!, index);
        return false;
      });
    }
  }

  #fallFrom(start: number, unit: number): number {
    for (let node = start; ; node = this.#fall[node]!) {
      const next = this.#childOf(node, unit);
      if (next !== 0 || node === 0) return next;
    }
  }

  #addEnd(node: number, index: number): void {
    const ends = this.#ends.get(node);
    if (ends === undefined) this.#ends.set(node, [index]);
    else ends.push(index);
    this.#hasEnd[node] = 1;
    this.#open++;
  }

  #childOf(node: number, unit: number): number {
    if (node === 0) return unit < this.#root.length ? this.#root[unit]! : 0;
    const first = this.#child[node]!;
    if (first === 0 || this.#childUnit[node] === unit) return first;
    return this.#more.get(node, unit);
  }

  #addChild(node: number, unit: number, child: number): void {
    if (node === 0) this.#root[unit] = child;
    else if (this.#child[node] === 0) {
      this.#child[node] = child;
      this.#childUnit[node] = unit;
    } else this.#more.set(node, unit, child);
  }

  /** The node itself or the nearest one below it at which a sequence ends; the ways past those that nobody looks for get shorter. */
  #nearestEnd(node: number): number {
    let end = node;
    while (end !== 0 && this.#hasEnd[end] === 0) end = this.#endBelow[end]!;
    for (let at = node; at !== end; ) {
      const next = this.#endBelow[at]!;
      this.#endBelow[at] = end;
      at = next;
    }
    return end;
  }

  #tell(node: number, endAt: number, found: FoundUnits): void {
    for (let end = this.#nearestEnd(node); end !== 0; end = this.#nearestEnd(this.#endBelow[end]!)) {
      const ends = this.#ends.get(end)!;
      const left = ends.filter((index) => found(index, endAt - this.#needles[index]!.length));
      if (left.length === ends.length) continue;
      this.#open -= ends.length - left.length;
      this.#ends.set(end, left);
      if (left.length === 0) this.#hasEnd[end] = 0;
    }
  }
}

/** Children beside the first of their parent, of which there are fewer than sequences. */
class ChildTable {
  readonly #parents: Int32Array;
  readonly #units: Uint16Array;
  readonly #children: Int32Array;
  readonly #mask: number;

  constructor(most: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * most + 2));
    this.#mask = size - 1;
    this.#parents = new Int32Array(size);
    this.#units = new Uint16Array(size);
    this.#children = new Int32Array(size);
  }

  get(parent: number, unit: number): number {
    return this.#children[this.#slot(parent, unit)]!;
  }

  set(parent: number, unit: number, child: number): void {
    const slot = this.#slot(parent, unit);
    this.#parents[slot] = parent;
    this.#units[slot] = unit;
    this.#children[slot] = child;
  }

  /** Where the child is, or the free slot where it would be. */
  #slot(parent: number, unit: number): number {
    let slot = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(unit, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & this.#mask;
    while (this.#children[slot] !== 0 && (this.#parents[slot] !== parent || this.#units[slot] !== unit))
      slot = (slot + 1) & this.#mask;
    return slot;
  }
}
