/** Finds the entries of a namespace that a query may mean: few enough to be compared one by one. */
import type { MemoryQuery } from "../../kernel/index.js";
import { type Alternatives, COMMON, type TermSearch } from "./memory-index.js";
import { MEMORY_INDEXES } from "./memory-indexes.js";
import type { SearchedWord } from "./memory-ranking.js";
import {
  COMPARED,
  CURRENT,
  candidateColumns,
  type FoundRow,
  filterOf,
  foundRow,
  MAX_CANDIDATES,
  type SearchedNamespace,
} from "./memory-rows.js";
import { folded, gramsOf, gramTerm, queryWords, wordTerm } from "./memory-terms.js";
import type { Sql } from "./sql.js";

/** Characters of a query that count. */
const MAX_QUERY = 1_000;
/** Different words of a query that count. */
const MAX_WORDS = 40;
/** Parts of a word that nothing has as a whole, by which entries are found. */
const RARE_GRAMS = 4;
/** Entries with an embedding that are compared with that of the query: the newest. */
const MAX_VECTORS = 10_000;

/** Of the common words, the rarest: entries that have some of them together come before those that have one. */
const COMBINED = 5;

/** The words of a query, and the entries that may have them. */
export interface WordSearch {
  readonly words: readonly SearchedWord[];
  readonly rows: readonly FoundRow[];
  /** Whether the index has found the rows, which knows each word of an entry. */
  readonly isIndexed: boolean;
}

export async function searchWords(sql: Sql, namespace: SearchedNamespace, query: MemoryQuery): Promise<WordSearch> {
  const text = (query.text ?? "").slice(0, MAX_QUERY);
  const names = queryWords(text).slice(0, MAX_WORDS);
  const index = MEMORY_INDEXES[sql.engine].search(sql, namespace, query);
  const counts = await index.counts(names.map((word) => wordTerm(namespace.number, word)));
  const words = names.map((word, at) => ({ word, entries: counts[at] ?? 0 }));
  const rows = await candidateRows(index, namespace.number, words);
  if (rows.length > 0) return { words: await withIndexed(index, namespace.number, words, rows), rows, isIndexed: true };
  // No index has a part of one or two characters, or punctuation alone.
  const rest = words.length > 0 ? words : [{ word: folded(text).trim(), entries: 0 }];
  if (rest[0]?.word === "") return { words: [], rows: [], isIndexed: false };
  return { words: rest, rows: await newestRows(sql, namespace, query), isIndexed: false };
}

/** Says of the rare words which entries have them that are too long to be compared wholly. */
async function withIndexed(
  index: TermSearch,
  namespace: number,
  words: readonly SearchedWord[],
  rows: readonly FoundRow[],
): Promise<readonly SearchedWord[]> {
  const long = rows.filter(({ content }) => content.length >= COMPARED).map(({ number }) => number);
  if (long.length === 0) return words;
  const known: SearchedWord[] = [];
  for (const one of words) {
    const isRare = one.entries > 0 && one.entries < COMMON;
    const numbers = isRare ? await index.numbers(wordTerm(namespace, one.word)) : new Set<number>();
    known.push({ ...one, indexed: new Set(long.filter((number) => numbers.has(number))) });
  }
  return known;
}

interface CountedTerm {
  readonly term: string;
  readonly entries: number;
}

/**
 * Entries with a rare word first, all of them; then the newest of those that have all common words, all but one of the rarest, two of
 * these, and one. A word that no entry has is searched for by its rarest parts.
 */
async function candidateRows(
  index: TermSearch,
  namespace: number,
  words: readonly SearchedWord[],
): Promise<readonly FoundRow[]> {
  const known = words.filter(({ entries }) => entries > 0);
  const terms: CountedTerm[] = known.map(({ word, entries }) => ({ term: wordTerm(namespace, word), entries }));
  const together: string[][] = [];
  for (const { word } of words.filter(({ entries }) => entries === 0)) {
    const grams = await countedGrams(index, namespace, word);
    const rare = grams.filter(({ entries }) => entries < COMMON).slice(0, RARE_GRAMS);
    if (rare.length > 0) terms.push(...rare);
    else if (grams.length > 0) together.push(grams.map(({ term }) => term));
  }
  const rare: string[][] = [];
  const common: string[] = [];
  let entries = 0;
  for (const one of terms.sort(byEntries)) {
    entries += one.entries;
    if (entries <= MAX_CANDIDATES) rare.push([one.term]);
    else common.push(one.term);
  }
  const steps: Alternatives[] = [rare, ...togetherFirst(common), together, common.map((term) => [term])];
  return index.rows(steps.filter((alternatives) => alternatives.length > 0));
}

/** @param common - The rarest first. */
function togetherFirst(common: readonly string[]): readonly Alternatives[] {
  if (common.length < 2) return [];
  const rarest = common.slice(0, COMBINED);
  const allButOne = rarest.map((term) => rarest.filter((other) => other !== term));
  const pairs = rarest.flatMap((term, at) => rarest.slice(at + 1).map((other) => [term, other]));
  return [[common], ...(rarest.length > 2 ? [allButOne] : []), ...(rarest.length > 3 ? [pairs] : [])];
}

async function countedGrams(index: TermSearch, namespace: number, word: string): Promise<readonly CountedTerm[]> {
  const terms = gramsOf(word).map((gram) => gramTerm(namespace, gram));
  const counts = await index.counts(terms);
  const counted = terms.map((term, at) => ({ term, entries: counts[at] ?? 0 }));
  return counted.filter(({ entries }) => entries > 0).sort(byEntries);
}

function byEntries(one: CountedTerm, other: CountedTerm): number {
  return one.entries - other.entries || (one.term < other.term ? -1 : 1);
}

const NEWEST = "ORDER BY m.stored_ms DESC, m.key";

async function newestRows(sql: Sql, { number }: SearchedNamespace, query: MemoryQuery): Promise<readonly FoundRow[]> {
  const filter = filterOf(sql.engine, query, 2);
  const rows = await sql.rows(
    `SELECT ${candidateColumns(query)} ${CURRENT}${filter.condition} ${NEWEST} LIMIT ${MAX_CANDIDATES}`,
    [number, ...filter.values],
  );
  return rows.map(foundRow);
}

/** The newest entries that have an embedding; without their content. */
export async function rowsWithVector(
  sql: Sql,
  { number }: SearchedNamespace,
  query: MemoryQuery,
): Promise<readonly FoundRow[]> {
  const filter = filterOf(sql.engine, query, 2);
  const rows = await sql.rows(
    `SELECT ${candidateColumns(query, "''")} ${CURRENT} AND m.vector IS NOT NULL${filter.condition} ${NEWEST} LIMIT ${MAX_VECTORS}`,
    [number, ...filter.values],
  );
  return rows.map(foundRow);
}
