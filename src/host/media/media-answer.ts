/** Parses the output of the process. Each line is validated, because a hostile file may have taken the process over. */
import { isRecord, PDF_PAGE_CHARACTERS } from "../../kernel/index.js";

/** A line of the output. */
export type MediaFact =
  /** same: the input bytes can be used. image: use the bytes that follow the line. */
  | {
      readonly kind: "same" | "image";
      readonly mime: string;
      readonly width: number;
      readonly height: number;
    }
  | { readonly kind: "begun" }
  | { readonly kind: "pages"; readonly pages: number }
  | { readonly kind: "page"; readonly text: string | undefined }
  | { readonly kind: "end" }
  | { readonly kind: "fault"; readonly why: "damaged" | "encrypted" | "large" | "package" };

const FAULTS = ["damaged", "encrypted", "large", "package"] as const;
const MIMES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** Splits the output into lines, and the bytes after the line `image`. */
export class MediaAnswer {
  readonly facts: Exclude<MediaFact, { kind: "begun" }>[] = [];
  /** Whether the process has started on the file; an earlier exit is not a fault of the file. */
  hasBegun = false;
  /** Of the text of all pages, and what each page counts. */
  characters = 0;
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #pending = 0;
  #taken = 0;
  #bodyBytes: Buffer[] | undefined;

  /** @param maxBytes - Limit for one line and for the bytes of an image; the total may be twice that. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes of an image. */
  get body(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#bodyBytes ?? []));
  }

  /** False for invalid or too much output. */
  take(chunk: Buffer): boolean {
    this.#taken += chunk.length;
    if (this.#taken > 2 * this.#maxBytes) return false;
    let rest = chunk;
    while (this.#bodyBytes === undefined) {
      const end = rest.indexOf(10);
      if (end === -1) return this.#keep(this.#chunks, rest);
      const line = Buffer.concat([...this.#chunks, rest.subarray(0, end)]).toString("utf8");
      this.#chunks = [];
      this.#pending = 0;
      rest = rest.subarray(end + 1);
      const fact = factOf(line);
      if (fact === undefined) return false;
      if (fact.kind === "begun") this.hasBegun = true;
      else this.facts.push(fact);
      if (fact.kind === "image") this.#bodyBytes = [];
      if (fact.kind === "page") this.characters += PDF_PAGE_CHARACTERS + (fact.text?.length ?? 0);
    }
    return this.#keep(this.#bodyBytes, rest);
  }

  #keep(chunks: Buffer[], bytes: Buffer): boolean {
    chunks.push(bytes);
    this.#pending += bytes.length;
    return this.#pending <= this.#maxBytes;
  }
}

function factOf(line: string): MediaFact | undefined {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isRecord(message)) return undefined;
  const { kind, width, height, mime, pages, text, why } = message;
  if (kind === "end" || kind === "begun") return { kind };
  if (kind === "page") return { kind, text: typeof text === "string" ? text : undefined };
  if (kind === "pages") return isCount(pages) ? { kind, pages } : undefined;
  if (kind === "fault") {
    const known = FAULTS.find((one) => one === why);
    return known === undefined ? undefined : { kind, why: known };
  }
  if (!isCount(width) || !isCount(height)) return undefined;
  if (kind !== "same" && kind !== "image") return undefined;
  return typeof mime === "string" && MIMES.includes(mime) ? { kind, mime, width, height } : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
