/** How much of what a user is shown a redactor replaced, so that they know of the gap. */
import { redactText } from "./redact-text.js";
import type { ApprovalRequest, Redactor } from "./services.js";

export type HiddenPart = NonNullable<ApprovalRequest["hidden"]>;

/** Redacts texts and counts what was replaced in them. */
export class CountingRedactor implements Redactor {
  readonly #redactor: Redactor | undefined;
  #characters = 0;
  #lines = 0;

  constructor(redactor: Redactor | undefined) {
    this.#redactor = redactor;
  }

  /** For a text that is not shown itself. */
  redactUncounted(text: string): string {
    return redactText(this.#redactor, text);
  }

  redact(text: string): string {
    const redacted = this.redactUncounted(text);
    if (redacted !== text) this.add(hiddenIn(text, redacted));
    return redacted;
  }

  add({ characters, lines }: HiddenPart): void {
    this.#characters += characters;
    this.#lines += lines;
  }

  /** Undefined where nothing was replaced. */
  get hidden(): HiddenPart | undefined {
    return this.#lines === 0 ? undefined : { characters: this.#characters, lines: this.#lines };
  }
}

/** What two texts of the same lines differ in, line by line; of others, everything from the first difference to the last. */
function hiddenIn(text: string, redacted: string): HiddenPart {
  const lines = text.split("\n");
  const shown = redacted.split("\n");
  if (lines.length !== shown.length) {
    const part = differing(text, redacted);
    return { characters: part.length, lines: part.split("\n").length };
  }
  const parts = lines.flatMap((line, index) => (line === shown[index] ? [] : [differing(line, shown[index] ?? "")]));
  return { characters: parts.reduce((sum, part) => sum + part.length, 0), lines: parts.length };
}

/** What was replaced in the lines of a diff, by the lines of the texts before and after and what is shown of each. */
export function hiddenInDiff(diff: string, before: HiddenLines, after: HiddenLines): HiddenPart {
  const parts = diff.split("\n").flatMap((line) => {
    const texts = line.startsWith("+") ? after : before;
    const shown = texts.get(line.slice(1));
    return shown === undefined ? [] : [differing(line.slice(1), shown)];
  });
  return { characters: parts.reduce((sum, part) => sum + part.length, 0), lines: parts.length };
}

/** What is shown of each line that a redactor changed. */
export type HiddenLines = ReadonlyMap<string, string>;

/** Of two texts with as many lines. */
export function hiddenLines(text: string, redacted: string): HiddenLines {
  const shown = redacted.split("\n");
  const changed = text.split("\n").map((line, index) => [line, shown[index] ?? ""] as const);
  return new Map(changed.filter(([line, other]) => line !== other));
}

/** The part of a text between what it has in common with another at both ends. */
function differing(text: string, other: string): string {
  const most = Math.min(text.length, other.length);
  let start = 0;
  while (start < most && text[start] === other[start]) start++;
  let end = 0;
  while (end < most - start && text[text.length - 1 - end] === other[other.length - 1 - end]) end++;
  return text.slice(start, text.length - end);
}
