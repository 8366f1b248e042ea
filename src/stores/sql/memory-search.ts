/** Finds the entries of a namespace that a query may mean: few enough to be compared one by one. */
import type { MemoryQuery } from "../../kernel/index.js";
import type { SearchedWord } from "./memory-ranking.js";
import { CURRENT } from "./memory-rows.js";
import { folded, gramsOf, gramTerm, queryWords, wordTerm } from "./memory-terms.js";
import type { Sql, SqlRow, SqlValue } from "./sql.js";

/** Characters of a query that count. */
const MAX_QUERY = 1_000;
/** Different words of a query that count. */
const MAX_WORDS = 40;
/** Entries that are compared one by one. */
const MAX_CANDIDATES = 400;
/** Characters of an entry that are compared; the index has all of them. */
const COMPARED = 4_096;
/** From so many entries on, a word is common: how many have it is no longer counted. */
const COMMON = 1_000;
/** Parts of a word that nothing has as a whole, by which entries are found. */
const RARE_GRAMS = 4;
/** Entries with an embedding that are compared with that of the query: the newest. */
const MAX_VECTORS = 10_000;

/** The namespace that is searched. */
export interface SearchedNamespace {
  readonly number: number;
  /** How many entries it has. */
  readonly entries: number;
}

/** An entry that may be meant. */
export interface FoundRow {
  readonly number: number;
  readonly key: string;
  readonly content: string;
  readonly storedMs: number;
  readonly vector?: Float32Array;
}

/** The words of a query, and the entries that may have them. */
export interface WordSearch {
  readonly words: readonly SearchedWord[];
  readonly rows: readonly FoundRow[];
}

export async function searchWords(sql: Sql, namespace: SearchedNamespace, query: MemoryQuery): Promise<WordSearch> {
  const text = (query.text ?? "").slice(0, MAX_QUERY);
  const names = queryWords(text).slice(0, MAX_WORDS);
  const counts = await countTerms(
    sql,
    names.map((word) => wordTerm(namespace.number, word)),
  );
  const words = names.map((word, at) => ({ word, entries: counts[at] ?? 0 }));
  const rows = await candidateRows(sql, namespace.number, words, query);
  if (rows.length > 0) return { words, rows };
  // No index has a part of one or two characters, or punctuation alone.
  const rest = words.length > 0 ? words : [{ word: folded(text.trim()), entries: 0 }];
  return { words: rest, rows: await newestRows(sql, namespace, query) };
}

/** Lists of terms: an entry is found that has all terms of one of them. */
type Alternatives = readonly (readonly string[])[];

interface CountedTerm {
  readonly term: string;
  readonly entries: number;
}

/**
 * Entries with a rare word first, all of them; then the newest of those that have all common words, then of those that have one.
 * A word that no entry has is searched for by its rarest parts.
 */
async function candidateRows(
  sql: Sql,
  namespace: number,
  words: readonly SearchedWord[],
  query: MemoryQuery,
): Promise<readonly FoundRow[]> {
  const known = words.filter(({ entries }) => entries > 0);
  const terms: CountedTerm[] = known.map(({ word, entries }) => ({ term: wordTerm(namespace, word), entries }));
  const together: string[][] = [];
  for (const { word } of words.filter(({ entries }) => entries === 0)) {
    const grams = await countedGrams(sql, namespace, word);
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
  const steps: Alternatives[] = [rare, common.length > 1 ? [common] : [], together, common.map((term) => [term])];
  const rows = new Map<number, FoundRow>();
  for (const alternatives of steps) {
    if (alternatives.length === 0 || rows.size >= MAX_CANDIDATES) continue;
    for (const row of await rowsWith(sql, alternatives, query)) {
      if (rows.size < MAX_CANDIDATES) rows.set(row.number, row);
    }
  }
  return [...rows.values()];
}

async function countedGrams(sql: Sql, namespace: number, word: string): Promise<readonly CountedTerm[]> {
  const terms = gramsOf(word).map((gram) => gramTerm(namespace, gram));
  const counts = await countTerms(sql, terms);
  const counted = terms.map((term, at) => ({ term, entries: counts[at] ?? 0 }));
  return counted.filter(({ entries }) => entries > 0).sort(byEntries);
}

function byEntries(one: CountedTerm, other: CountedTerm): number {
  return one.entries - other.entries || (one.term < other.term ? -1 : 1);
}

/** How many entries have each term, counted up to `COMMON`. */
async function countTerms(sql: Sql, terms: readonly string[]): Promise<readonly number[]> {
  if (terms.length === 0) return [];
  const matches = MATCHES[sql.engine];
  const columns = terms.map((_, at) => {
    const some = `SELECT 1 FROM haft_memory_index WHERE ${matches(`$${at + 1}`)} LIMIT ${COMMON}`;
    return `(SELECT count(*) FROM (${some}) AS some${at}) AS n${at}`;
  });
  const values = terms.map((term) => EXPRESSIONS[sql.engine]([[term]]));
  const [row] = await sql.rows(`SELECT ${columns.join(", ")}`, values);
  return terms.map((_, at) => Number(row?.[`n${at}`] ?? 0));
}

const MATCHES = {
  sqlite: (value: string) => `haft_memory_index MATCH ${value}`,
  postgres: (value: string) => `haft_memory_index.terms @@ CAST(${value} AS tsquery)`,
};

/** A query of the engine for alternatives. Terms have letters, digits and characters beyond ASCII only: nothing needs an escape. */
const EXPRESSIONS = {
  sqlite: (alternatives: Alternatives) =>
    alternatives.map((terms) => terms.map((term) => `"${term}"`).join(" AND ")).join(" OR "),
  postgres: (alternatives: Alternatives) =>
    alternatives.map((terms) => terms.map((term) => `'${term}'`).join(" & ")).join(" | "),
};

function columnsOf({ vector }: MemoryQuery, content = `substr(m.content, 1, ${COMPARED})`): string {
  return `m.number, m.key, ${content} AS content, m.stored_ms, ${vector === undefined ? "NULL" : "m.vector"} AS vector`;
}

async function rowsWith(sql: Sql, alternatives: Alternatives, query: MemoryQuery): Promise<readonly FoundRow[]> {
  const filter = filterOf(sql.engine, query, 2);
  const rows = await sql.rows(
    `SELECT ${columnsOf(query)} FROM haft_memory_index JOIN haft_memories m ON m.number = haft_memory_index.rowid
    WHERE ${MATCHES[sql.engine]("$1")}${filter.condition} ORDER BY haft_memory_index.rowid DESC LIMIT ${MAX_CANDIDATES}`,
    [EXPRESSIONS[sql.engine](alternatives), ...filter.values],
  );
  return rows.map(foundRow);
}

const NEWEST = "ORDER BY m.stored_ms DESC, m.key";

async function newestRows(sql: Sql, { number }: SearchedNamespace, query: MemoryQuery): Promise<readonly FoundRow[]> {
  const filter = filterOf(sql.engine, query, 2);
  const rows = await sql.rows(
    `SELECT ${columnsOf(query)} ${CURRENT}${filter.condition} ${NEWEST} LIMIT ${MAX_CANDIDATES}`,
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
    `SELECT ${columnsOf(query, "''")} ${CURRENT} AND m.vector IS NOT NULL${filter.condition} ${NEWEST} LIMIT ${MAX_VECTORS}`,
    [number, ...filter.values],
  );
  return rows.map(foundRow);
}

function foundRow(row: SqlRow): FoundRow {
  const bytes = row.vector as Uint8Array | null;
  return {
    number: Number(row.number),
    key: String(row.key),
    content: String(row.content),
    storedMs: Number(row.stored_ms),
    ...(bytes === null ? {} : { vector: new Float32Array(Uint8Array.from(bytes).buffer) }),
  };
}

const CONTAINS = { sqlite: "instr", postgres: "strpos" };

/** What an entry must be besides, for the row `m`. `first` is the number of the first value. */
export function filterOf(
  engine: Sql["engine"],
  { category, tags = [], sinceMs, untilMs }: Pick<MemoryQuery, "category" | "tags" | "sinceMs" | "untilMs">,
  first: number,
): { readonly condition: string; readonly values: readonly SqlValue[] } {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: (value: string) => string, value: SqlValue): void => {
    conditions.push(` AND ${condition(`$${first + values.length}`)}`);
    values.push(value);
  };
  // No category has a NUL, which a database may refuse.
  if (category !== undefined) add((value) => `m.category = ${value}`, category.replaceAll("\0", "\u0001"));
  if (sinceMs !== undefined) add((value) => `m.stored_ms >= ${value}`, Math.ceil(sinceMs));
  if (untilMs !== undefined) add((value) => `m.stored_ms < ${value}`, Math.ceil(untilMs));
  for (const tag of tags) add((value) => `${CONTAINS[engine]}(m.tags, ${value}) > 0`, tagsText([tag]));
  return { condition: conditions.join(""), values };
}

/** Tags as they are stored: each as JSON between commas, so that the text of one tag occurs where it is one of the list, and nowhere else. */
export function tagsText(tags: readonly string[]): string {
  return tags.length === 0 ? "," : `,${tags.map((tag) => JSON.stringify(tag)).join(",")},`;
}
