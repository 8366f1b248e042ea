import type { Attributes } from "./page-reader.js";
import { collapseWhitespace } from "./whitespace.js";

/** A formula in MathML: its source in TeX where it has that, else its text. */
export class Formula {
  #text = "";
  #tex: string;
  #isTex = false;

  constructor({ alttext }: Attributes) {
    this.#tex = alttext ?? "";
  }

  open(name: string, { encoding }: Attributes): (() => void) | undefined {
    if (name !== "annotation" || encoding !== "application/x-tex") return undefined;
    this.#isTex = true;
    this.#tex = "";
    return () => {
      this.#isTex = false;
    };
  }

  text(text: string): void {
    if (this.#isTex) this.#tex += text;
    else this.#text += text;
  }

  toString(): string {
    return collapseWhitespace(this.#tex.trim() === "" ? this.#text : this.#tex).trim();
  }
}
