/** The index of memories in SQLite: FTS5, whose lists of entries are read from the newest on. */
import type { MemoryQuery } from "../../kernel/index.js";
import { type Alternatives, COMMON, type MemoryIndex, type TermSearch } from "./memory-index.js";
import {
  candidateColumns,
  type FoundRow,
  filterOf,
  foundRow,
  MAX_CANDIDATES,
  type SearchedNamespace,
} from "./memory-rows.js";
import type { Sql } from "./sql.js";

export const fullText: MemoryIndex = {
  nextNumber: async () => null,
  async add(sql, number, terms) {
    await sql.run("INSERT INTO haft_memory_index (rowid, terms) VALUES ($1, $2)", [number, terms]);
  },
  async remove(sql, _, number) {
    await sql.run("DELETE FROM haft_memory_index WHERE rowid = $1", [number]);
  },
  search: openFullText,
};

function openFullText(sql: Sql, _: SearchedNamespace, query: MemoryQuery): TermSearch {
  return {
    async counts(terms) {
      if (terms.length === 0) return [];
      const columns = terms.map((_, at) => {
        const some = `SELECT 1 FROM haft_memory_index WHERE haft_memory_index MATCH $${at + 1} LIMIT ${COMMON}`;
        return `(SELECT count(*) FROM (${some}) AS some${at}) AS n${at}`;
      });
      const [row] = await sql.rows(
        `SELECT ${columns.join(", ")}`,
        terms.map((term) => expressionFor([[term]])),
      );
      return terms.map((_, at) => Number(row?.[`n${at}`] ?? 0));
    },
    async numbers(term) {
      const some = `SELECT rowid FROM haft_memory_index WHERE haft_memory_index MATCH $1 LIMIT ${COMMON}`;
      return new Set((await sql.rows(some, [expressionFor([[term]])])).map(({ rowid }) => Number(rowid)));
    },
    async rows(steps) {
      const filter = filterOf(sql.engine, query, 2);
      const found = new Map<number, FoundRow>();
      for (const alternatives of steps) {
        if (found.size >= MAX_CANDIDATES) break;
        const rows = await sql.rows(
          `SELECT ${candidateColumns(query)} FROM haft_memory_index JOIN haft_memories m ON m.number = haft_memory_index.rowid
          WHERE haft_memory_index MATCH $1${filter.condition} ORDER BY haft_memory_index.rowid DESC LIMIT ${MAX_CANDIDATES}`,
          [expressionFor(alternatives), ...filter.values],
        );
        for (const row of rows.map(foundRow)) if (found.size < MAX_CANDIDATES) found.set(row.number, row);
      }
      return [...found.values()];
    },
  };
}

/** Terms have letters, digits and characters beyond ASCII only: nothing needs an escape. */
function expressionFor(alternatives: Alternatives): string {
  return alternatives.map((terms) => terms.map((term) => `"${term}"`).join(" AND ")).join(" OR ");
}
