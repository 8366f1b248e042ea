/** Which entries have a term: a word, or a part of one. Each engine keeps that in the form in which it is fast there. */
import type { MemoryQuery } from "../../kernel/index.js";
import type { FoundRow, SearchedNamespace } from "./memory-rows.js";
import type { Sql } from "./sql.js";

/** From so many entries on, a word is common: how many have it is no longer counted. */
export const COMMON = 1_000;

/** Lists of terms: an entry is found that has all terms of one of them. */
export type Alternatives = readonly (readonly string[])[];

/** The index during one search. */
export interface TermSearch {
  /** How many entries have each term, counted up to `COMMON`. */
  counts(terms: readonly string[]): Promise<readonly number[]>;
  /** Which entries have a term of fewer than `COMMON`. */
  numbers(term: string): Promise<ReadonlySet<number>>;
  /** Of those that the query admits, at most `MAX_CANDIDATES`: those of the first step before those of the next, each from the newest on. */
  rows(steps: readonly Alternatives[]): Promise<readonly FoundRow[]>;
}

/** The index of an engine. Its tables are those of `memoryTables` and later migrations. */
export interface MemoryIndex {
  /** The number that the next entry has to have; null for the one that the engine gives. */
  nextNumber(sql: Sql, namespace: number): Promise<number | null>;
  /** `terms` are those of `indexedTerms`. */
  add(sql: Sql, number: number, terms: string): Promise<void>;
  /** While the row of the entry is there. */
  remove(sql: Sql, namespace: number, number: number): Promise<void>;
  search(sql: Sql, namespace: SearchedNamespace, query: MemoryQuery): TermSearch;
}
