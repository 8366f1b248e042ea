import type { WordPlan } from "./command-plan.js";

/** Expands variables in words; unquoted values are split at whitespace, and empty unquoted words removed. */
export function expandWords(words: readonly WordPlan[], lookUp: (variable: string) => string): string[] {
  return words.flatMap((word) => {
    const fields: string[] = [];
    let open: string | undefined;
    for (const piece of word) {
      const text = "text" in piece ? piece.text : lookUp(piece.variable);
      if (piece.isQuoted) {
        open = (open ?? "") + text;
        continue;
      }
      const parts = text.split(/[ \t\n]+/);
      for (const [index, part] of parts.entries()) {
        if (index > 0 && open !== undefined) {
          fields.push(open);
          open = undefined;
        }
        if (part !== "") open = (open ?? "") + part;
      }
    }
    return open === undefined ? fields : [...fields, open];
  });
}

/** One word, never split. */
export function expandWord(word: WordPlan, lookUp: (variable: string) => string): string {
  return word.map((piece) => ("text" in piece ? piece.text : lookUp(piece.variable))).join("");
}
