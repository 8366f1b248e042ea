/**
 * The words by which entries are found: the same ones on SQLite and on PostgreSQL, whose own word splitting differs in accents,
 * punctuation and scripts without spaces.
 */

/** Characters of a word that count. */
const MAX_WORD = 64;
/** Different words, and different parts of words, of one entry that are indexed. */
const MAX_TERMS = 20_000;
const GRAM = 3;
/** The first half of a character that `MAX_WORD` has cut: no database keeps it. */
const HALF = /[\ud800-\udbff]$/;

/** Letters that Unicode does not decompose, and the sigma of the end of a word: before a full stop it is written as elsewhere. */
const FOLDED: Readonly<Record<string, string>> = {
  ß: "ss",
  ø: "o",
  æ: "ae",
  œ: "oe",
  ł: "l",
  đ: "d",
  ð: "d",
  þ: "th",
  ı: "i",
  ς: "σ",
};
const UNDECOMPOSED = new RegExp(`[${Object.keys(FOLDED).join("")}]`, "g");
const ASCII_ONLY = /^[\x00-\x7f]*$/;

/** Text as it is compared: lower case, without accents, full-width letters as the usual ones. */
export function folded(text: string): string {
  if (ASCII_ONLY.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(UNDECOMPOSED, (letter) => FOLDED[letter] ?? letter)
    .normalize("NFC");
}

/** Scripts that are written without spaces, or add endings to words as a rule. */
const UNSPACED = "\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Hang}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmr}\\p{sc=Mymr}々ー";
const RUNS = new RegExp(`[${UNSPACED}]+|[[\\p{L}\\p{N}\\p{M}_]--[${UNSPACED}]]+`, "gv");
const UNSPACED_RUN = new RegExp(`^[${UNSPACED}]`, "u");

/** Whether a word is of a script without spaces, by its first character. */
export function isUnspaced(word: string): boolean {
  return UNSPACED_RUN.test(word);
}

/** Where an identifier has parts: `getUser`, `HTTPServer`, `port9000`, `user_name`. */
const IDENTIFIER_PARTS =
  /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})|_+/u;
/** What punctuation joins: `C#`, `blue-green`, `src/a.ts`, `2026-03-14`. */
const JOINED = /[\p{L}\p{N}_]+(?:[-./:@#+&$%~=*^|\\<>'!?]+[\p{L}\p{N}_]+)*[#+]*/gu;
const HAS_PUNCTUATION = /[!-/:-@[-^`{-~]/;

/** The words of a text, folded, with repetitions. */
export function wordsOf(text: string): readonly string[] {
  const words: string[] = [];
  const add = (word: string): void => {
    // A lone accent is nothing then.
    const kept = folded(word).slice(0, MAX_WORD).replace(HALF, "");
    if (kept !== "") words.push(kept);
  };
  const plain = ASCII_ONLY.test(text) ? text : text.normalize("NFKC");
  for (const [run] of plain.matchAll(RUNS)) {
    if (isUnspaced(run)) addUnspaced(run, add);
    else {
      add(run);
      const parts = run.split(IDENTIFIER_PARTS);
      if (parts.length > 1) for (const part of parts) add(part);
    }
  }
  for (const [joined] of plain.matchAll(JOINED)) {
    if (joined.length <= MAX_WORD && HAS_PUNCTUATION.test(joined)) add(joined);
  }
  return words;
}

/** One character and two characters are what is searched for; longer words are found by their pairs. */
function addUnspaced(run: string, add: (word: string) => void): void {
  const characters = [...run];
  for (const [index, character] of characters.entries()) {
    add(character);
    const next = characters[index + 1];
    if (next !== undefined) add(character + next);
  }
}

/** The words that a query searches for: of scripts without spaces only pairs, except where a character stands alone. */
export function queryWords(text: string): readonly string[] {
  const isSingle = (word: string) => isUnspaced(word) && [...word].length === 1;
  const alone = new Set<string>();
  for (const [run] of text.normalize("NFKC").matchAll(RUNS)) if (isSingle(run)) alone.add(folded(run));
  return [...new Set(wordsOf(text))].filter((word) => !isSingle(word) || alone.has(word));
}

/** The parts of a word of letters and digits: every three neighbours. What punctuation joins has none, as its words have theirs. */
export function gramsOf(word: string): readonly string[] {
  if (word.length < GRAM || HAS_PUNCTUATION.test(word)) return [];
  const characters = [...word];
  const grams = new Set<string>();
  for (let at = 0; at + GRAM <= characters.length; at++) grams.add(characters.slice(at, at + GRAM).join(""));
  return [...grams];
}

/** What the index holds for an entry: its terms, each once. `namespace` is part of each, so that no search sees another one. */
export function indexedTerms(namespace: number, text: string): string {
  const words = new Set<string>();
  const grams = new Set<string>();
  for (const word of wordsOf(text)) {
    if (words.size < MAX_TERMS) words.add(word);
    if (grams.size < MAX_TERMS) for (const gram of gramsOf(word)) grams.add(gram);
  }
  const terms = [...words].map((word) => wordTerm(namespace, word));
  return [...terms, ...[...grams].map((gram) => gramTerm(namespace, gram))].join(" ");
}

export function wordTerm(namespace: number, word: string): string {
  return `${namespace}w${indexable(word)}`;
}

export function gramTerm(namespace: number, gram: string): string {
  return `${namespace}g${indexable(gram)}`;
}

/** Punctuation as its full-width form, which no index takes for the end of a word and `folded` leaves in no other word. */
function indexable(word: string): string {
  return word.replace(/[!-/:-@[-`{-~]/g, (character) => String.fromCharCode(character.charCodeAt(0) + 0xfee0));
}
