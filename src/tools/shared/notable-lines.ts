/** Finds lines that look like errors in the omitted part of a stream. */
import { countNewlines, stripControls, truncateToHead, utf8Length } from "../../text/index.js";

const MAX_LINES = 20;
const MAX_BYTES = 4_096;
const MAX_LINE_BYTES = 400;
/** Matches that are examined, duplicates included. */
const MAX_HITS = 200;
/** Characters kept of an incomplete line. */
const MAX_OPEN = 4_096;
/** Bytes scanned. */
const MAX_SCANNED_BYTES = 64 * 1_048_576;
const NOTABLE =
  /\b(?:[Ee]rror|ERROR|[Ff]atal|FATAL|FAIL(?:ED|URE)?|[Ff]ailed|[Pp]anic(?:ked)?|Traceback|[Ee]xception|Segmentation fault|[Cc]annot|Killed|Aborted|undefined reference|not found|denied)\b|[a-z](?:Error|Exception)\b|✗|✘|✖/;

export interface NotableLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Follows one stream from its start; lines shown in the head or tail are excluded at the end. */
export class NotableLines {
  /** Remaining bytes of the head. */
  #headBytes: number;
  readonly #decoder = new TextDecoder();
  readonly #found: NotableLine[] = [];
  readonly #texts = new Set<string>();
  #foundBytes = 0;
  #hits = 0;
  #scannedBytes = 0;
  /** The current incomplete line. */
  #open = "";
  /** Complete lines. */
  #lines = 0;

  /** @param headBytes - In the first bytes of the stream lines are only counted. */
  constructor(headBytes: number) {
    this.#headBytes = headBytes;
  }

  /** @param bytes - The next ones. */
  push(bytes: Uint8Array): void {
    const head = bytes.subarray(0, this.#headBytes);
    this.#headBytes -= head.length;
    if (head.length > 0) this.#take(head, false);
    if (head.length < bytes.length) this.#take(bytes.subarray(head.length), true);
  }

  #take(bytes: Uint8Array, isScanned: boolean): void {
    const before = this.#lines;
    this.#lines += countNewlines(bytes);
    if (this.#isFull) return;
    this.#scannedBytes += bytes.length;
    const text = this.#decoder.decode(bytes, { stream: true });
    const end = text.lastIndexOf("\n") + 1;
    if (end === 0) {
      if (this.#open.length < MAX_OPEN) this.#open += text;
      return;
    }
    if (isScanned) this.#scan(this.#open + text.slice(0, end), before);
    this.#open = text.slice(end);
  }

  /** The notable lines between the shown head and tail. */
  between(head: Uint8Array, tail: Uint8Array): readonly NotableLine[] {
    const first = 1 + countNewlines(head);
    const last = this.#lines - countNewlines(tail);
    return this.#found.filter(({ line }) => line > first && line <= last).slice(0, MAX_LINES);
  }

  get #isFull(): boolean {
    return this.#hits >= MAX_HITS || this.#foundBytes >= MAX_BYTES || this.#scannedBytes >= MAX_SCANNED_BYTES;
  }

  /** @param lines - Lines before this text. */
  #scan(whole: string, lines: number): void {
    const notable = new RegExp(NOTABLE, "g");
    let line = lines + 1;
    let from = 0;
    while (from < whole.length && !this.#isFull) {
      notable.lastIndex = from;
      const at = notable.exec(whole)?.index;
      if (at === undefined) return;
      const start = whole.lastIndexOf("\n", at) + 1;
      const end = whole.indexOf("\n", at);
      for (let next = whole.indexOf("\n", from); next !== -1 && next < start; next = whole.indexOf("\n", next + 1))
        line += 1;
      this.#note(line, whole.slice(start, end));
      line += 1;
      from = end + 1;
    }
  }

  #note(line: number, raw: string): void {
    this.#hits += 1;
    const text = truncateToHead(stripControls(raw).text.trimEnd(), MAX_LINE_BYTES).text;
    if (this.#texts.has(text)) return;
    this.#foundBytes += utf8Length(text);
    if (this.#foundBytes > MAX_BYTES) return;
    this.#texts.add(text);
    this.#found.push({ line, text });
  }
}
