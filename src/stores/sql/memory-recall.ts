/** Recalls entries by words, by embeddings, or by both. */
import type { FoundMemory, MemoryQuery } from "../../kernel/index.js";
import { byRank, similarity, wordScores } from "./memory-ranking.js";
import {
  COLUMNS,
  COMPARED,
  CURRENT,
  type FoundRow,
  filterOf,
  memoryOf,
  type SearchedNamespace,
} from "./memory-rows.js";
import { rowsWithVector, searchWords } from "./memory-search.js";
import type { Sql } from "./sql.js";

/** How much the similarity of embeddings counts beside the match of words. */
const VECTOR_SHARE = 0.7;
const DEFAULT_LIMIT = 5;
/** The score of an entry whose common words were not compared: it comes last. */
const UNSEEN = 1e-6;

export async function recall(sql: Sql, of: SearchedNamespace, query: MemoryQuery): Promise<readonly FoundMemory[]> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const hasText = (query.text ?? "").trim() !== "";
  if (!hasText && query.vector === undefined) {
    const filter = filterOf(sql.engine, query, 2);
    const newest = `SELECT ${COLUMNS} ${CURRENT}${filter.condition} ORDER BY m.stored_ms DESC, m.key LIMIT ${limit}`;
    return (await sql.rows(newest, [of.number, ...filter.values])).map((row) => ({ ...memoryOf(row), score: 1 }));
  }
  const scored = hasText ? await scoredByWords(sql, of, query) : new Map<number, Scored>();
  if (query.vector !== undefined) await addSimilarity(sql, of, query, query.vector, scored, hasText);
  // An entry whose key is the text was asked for by it.
  const isNamed = ({ key }: Scored): number => (key === query.text?.trim() ? 1 : 0);
  const best = [...scored.values()]
    .filter(({ score }) => score > 0)
    .sort((one, other) => isNamed(other) - isNamed(one) || byRank(one, other))
    .slice(0, limit);
  return entriesOf(sql, best);
}

interface Scored {
  readonly number: number;
  readonly key: string;
  readonly storedMs: number;
  readonly score: number;
}

async function scoredByWords(sql: Sql, of: SearchedNamespace, query: MemoryQuery): Promise<Map<number, Scored>> {
  const { words, rows, isIndexed } = await searchWords(sql, of, query);
  // The index knows words of a long entry that are past what is compared of it.
  const has = (row: FoundRow): boolean => isIndexed && row.content.length >= COMPARED;
  const scores = wordScores(words, rows, of.entries).map((score, at) =>
    score === 0 && has(rows[at]!) ? UNSEEN : score,
  );
  const best = Math.max(...scores, Number.MIN_VALUE);
  return new Map(rows.map((row, at) => [row.number, blended(row, (scores[at] ?? 0) / best, query.vector)]));
}

/** Adds what is similar without having a word of the query. */
async function addSimilarity(
  sql: Sql,
  of: SearchedNamespace,
  query: MemoryQuery,
  vector: readonly number[],
  scored: Map<number, Scored>,
  hasText: boolean,
): Promise<void> {
  for (const row of await rowsWithVector(sql, of, query)) {
    if (scored.has(row.number) || row.vector === undefined) continue;
    const { number, key, storedMs } = row;
    const likeness = similarity(row.vector, vector);
    scored.set(number, { number, key, storedMs, score: hasText ? VECTOR_SHARE * likeness : likeness });
  }
}

/** The weighted mean of what an entry has: one without an embedding has its match of words alone. */
function blended(row: FoundRow, words: number, vector: readonly number[] | undefined): Scored {
  const { number, key, storedMs } = row;
  const score =
    vector === undefined || row.vector === undefined
      ? words
      : VECTOR_SHARE * similarity(row.vector, vector) + (1 - VECTOR_SHARE) * words;
  return { number, key, storedMs, score };
}

async function entriesOf(sql: Sql, best: readonly Scored[]): Promise<readonly FoundMemory[]> {
  if (best.length === 0) return [];
  const numbers = best.map((_, at) => `$${at + 1}`).join(", ");
  const rows = await sql.rows(
    `SELECT ${COLUMNS} FROM haft_memories m WHERE m.number IN (${numbers})`,
    best.map(({ number }) => number),
  );
  const entries = new Map(rows.map((row) => [Number(row.number), memoryOf(row)]));
  return best.flatMap(({ number, score }) => {
    const entry = entries.get(number);
    return entry === undefined ? [] : [{ ...entry, score }];
  });
}
