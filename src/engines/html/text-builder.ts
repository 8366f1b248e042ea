/** Pieces that are joined at once: a page may have a million of one character each. */
const PACKED_PIECES = 512;

/** A text that grows by small pieces and can be cut back. The pieces are joined as they come, so that it has about the size of its characters. */
export class TextBuilder {
  length = 0;
  readonly #parts: string[] = [];
  /** How many of the parts are joined pieces. */
  #packed = 0;

  add(piece: string): void {
    if (piece === "") return;
    this.#parts.push(piece);
    this.length += piece.length;
    if (this.#parts.length - this.#packed < PACKED_PIECES) return;
    this.#parts.push(this.#parts.splice(this.#packed).join(""));
    this.#packed++;
  }

  /** Its last character; "" if it is empty. */
  get last(): string {
    return this.#parts.at(-1)?.at(-1) ?? "";
  }

  /** What was added after the first `length` characters. */
  since(length: number): string {
    let [index, start] = [this.#parts.length, this.length];
    while (start > length) start -= this.#parts[--index]!.length;
    return this.#parts
      .slice(index)
      .join("")
      .slice(length - start);
  }

  /** Removes what was added after the first `length` characters. */
  cutTo(length: number): void {
    while (this.length > length) {
      const last = this.#parts.pop()!;
      this.#packed = Math.min(this.#packed, this.#parts.length);
      this.length -= last.length;
      if (this.length < length) this.add(last.slice(0, length - this.length));
    }
  }

  toString(): string {
    return this.#parts.join("");
  }
}
