/** Lines that look like errors, out of the part of a stream that an answer leaves out. */
import { cutHead, stripControls, utf8Length } from "../../text/index.js";

const MAX_LINES = 20;
const MAX_BYTES = 4_096;
const MAX_LINE_BYTES = 400;
/** Characters of a line that is not over yet which are kept to be looked at. */
const MAX_OPEN = 4_096;
/** Bytes that are looked through. */
const MAX_LOOKED_BYTES = 64 * 1_048_576;
const NOTABLE =
  /\b(?:[Ee]rror|ERROR|[Ff]atal|FATAL|FAIL(?:ED|URE)?|[Ff]ailed|[Pp]anic(?:ked)?|Traceback|[Ee]xception|Segmentation fault|[Cc]annot|Killed|Aborted|undefined reference|not found|denied)\b|[a-z](?:Error|Exception)\b|✗|✘|✖/;

export interface NotableLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Follows one stream from its start; what stands in the head or the tail of the answer is left out at the end. */
export class NotableLines {
  readonly #decoder = new TextDecoder();
  readonly #found: NotableLine[] = [];
  readonly #texts = new Set<string>();
  #foundBytes = 0;
  #lookedBytes = 0;
  /** The line that has begun and is not over, from its start. */
  #open = "";
  /** Lines that are over. */
  #lines = 0;
  #isFull = false;

  /** @param bytes - The next ones. */
  push(bytes: Uint8Array): void {
    if (this.#isFull) return;
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#lookedBytes += bytes.length;
    const end = text.lastIndexOf("\n") + 1;
    if (end === 0) {
      if (this.#open.length < MAX_OPEN) this.#open += text;
    } else {
      this.#look(this.#open + text.slice(0, end));
      this.#open = text.slice(end);
    }
    if (this.#found.length >= MAX_LINES * 2 || this.#lookedBytes >= MAX_LOOKED_BYTES) this.#isFull = true;
  }

  /** What is notable between the two, both as they are shown. */
  between(head: Uint8Array, tail: Uint8Array): readonly NotableLine[] {
    const first = 1 + countBytes(head);
    const last = this.#isFull ? Number.POSITIVE_INFINITY : this.#lines - countBytes(tail);
    return this.#found.filter(({ line }) => line > first && line <= last).slice(0, MAX_LINES);
  }

  #look(whole: string): void {
    const notable = new RegExp(NOTABLE, "g");
    let from = 0;
    while (from < whole.length && this.#foundBytes < MAX_BYTES) {
      notable.lastIndex = from;
      const at = notable.exec(whole)?.index;
      if (at === undefined) break;
      const start = whole.lastIndexOf("\n", at) + 1;
      const end = whole.indexOf("\n", at);
      this.#lines += countNewlines(whole.slice(from, start));
      this.#note(this.#lines + 1, whole.slice(start, end));
      this.#lines += 1;
      from = end + 1;
    }
    this.#lines += countNewlines(whole.slice(from));
  }

  #note(line: number, raw: string): void {
    const text = cutHead(stripControls(raw).text.trimEnd(), MAX_LINE_BYTES).text;
    if (this.#texts.has(text)) return;
    const bytes = utf8Length(text);
    this.#foundBytes += bytes;
    if (this.#foundBytes > MAX_BYTES) return;
    this.#texts.add(text);
    this.#found.push({ line, text });
  }
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

function countBytes(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}
