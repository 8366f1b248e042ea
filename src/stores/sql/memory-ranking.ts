/** How entries are ordered that a search has found. */
import { folded, gramsOf, isUnspaced } from "./memory-terms.js";

/** A word of a query. */
export interface SearchedWord {
  readonly word: string;
  /** In how many entries of the namespace it is a whole word. */
  readonly entries: number;
  /** Of the candidates that are compared in part only, those that have it by the index. */
  readonly indexed?: ReadonlySet<number>;
}

/** What is compared of an entry. */
export interface Candidate {
  readonly number: number;
  readonly key: string;
  readonly content: string;
  readonly storedMs: number;
}

/** BM25: how soon further occurrences of a word stop to count, and how much long entries are held back. */
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.6;
/** A word in the key counts like so many in the content. */
const KEY_WEIGHT = 2;
/** What a word counts that is only a part of a word of the entry, or past what is compared of it, and one of whose parts only some are there. */
const PART = 0.7;
const RESEMBLING = 0.6;
/** Occurrences of a word that count. */
const MAX_COUNT = 8;
/** The share of a word's parts that make it resemble. */
const MIN_SHARE = 0.6;

interface ReadCandidate {
  readonly key: string;
  readonly content: string;
}

/**
 * The scores of candidates for the words of a query, by BM25 over key and content; a part of a word counts less than a whole one.
 *
 * @param total - How many entries the namespace has.
 */
export function wordScores(
  words: readonly SearchedWord[],
  candidates: readonly Candidate[],
  total: number,
): readonly number[] {
  const read = candidates.map(({ key, content }) => ({ key: folded(key), content: folded(content) }));
  const meanLength = read.reduce((sum, one) => sum + lengthOf(one), 0) / Math.max(1, read.length);
  const scores = candidates.map(() => 0);
  for (const { word, entries, indexed } of words) {
    const grams = gramsOf(word);
    const strengths = read.map(
      (one, at) => strengthIn(one, word, grams, meanLength) || (indexed?.has(candidates[at]!.number) ? PART : 0),
    );
    const found = entries > 0 ? entries : strengths.filter((strength) => strength > 0).length;
    const weight = Math.log(1 + (Math.max(total, found) - found + 0.5) / (found + 0.5));
    for (const [index, strength] of strengths.entries()) scores[index] = (scores[index] ?? 0) + weight * strength;
  }
  return scores;
}

function lengthOf({ key, content }: ReadCandidate): number {
  return key.length + content.length;
}

function strengthIn(one: ReadCandidate, word: string, grams: readonly string[], meanLength: number): number {
  const { key, content } = one;
  const count = KEY_WEIGHT * wholeWords(key, word) + wholeWords(content, word);
  if (count > 0) {
    const held = SATURATION * (1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * lengthOf(one)) / meanLength);
    return (count * (SATURATION + 1)) / (count + held);
  }
  if (content.includes(word) || key.includes(word)) return PART;
  if (grams.length < 2) return 0;
  const share = grams.filter((gram) => content.includes(gram) || key.includes(gram)).length / grams.length;
  return share >= MIN_SHARE ? RESEMBLING * share : 0;
}

/** How often a word occurs that is not a part of another one; in a script without spaces, how often it occurs. */
function wholeWords(text: string, word: string): number {
  let count = 0;
  if (word === "") return count;
  for (let at = text.indexOf(word); at >= 0 && count < MAX_COUNT; at = text.indexOf(word, at + word.length)) {
    if (isUnspaced(word) || (!isInWord(text, at - 1) && !isInWord(text, at + word.length))) count += 1;
  }
  return count;
}

function isInWord(text: string, at: number): boolean {
  return /[\p{L}\p{N}_]/u.test(text.charAt(at));
}

/** How alike two embeddings are: 0 to 1, and 0 where their lengths differ. */
export function similarity(one: readonly number[] | Float32Array, other: readonly number[] | Float32Array): number {
  if (one.length !== other.length) return 0;
  let [product, ofOne, ofOther] = [0, 0, 0];
  for (let at = 0; at < one.length; at++) {
    const [a, b] = [one[at] as number, other[at] as number];
    product += a * b;
    ofOne += a * a;
    ofOther += b * b;
  }
  return ofOne === 0 || ofOther === 0 ? 0 : Math.min(1, Math.max(0, product / Math.sqrt(ofOne * ofOther)));
}

/** The best first, then the newest, then by key. */
export function byRank(
  one: { readonly score: number; readonly storedMs: number; readonly key: string },
  other: { readonly score: number; readonly storedMs: number; readonly key: string },
): number {
  return other.score - one.score || other.storedMs - one.storedMs || (one.key < other.key ? -1 : 1);
}
