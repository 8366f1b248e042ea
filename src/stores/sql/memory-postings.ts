/**
 * The index of memories in PostgreSQL: for each term and each block of 1,024 numbers one row, with a bit for each entry that has the
 * term. What a search needs of a frequent word is then read by one lookup of its rows, and intersected here. A GIN index would read
 * and sort the whole list of a word for each question that is asked of it, and a row for each term of each entry would take several
 * times the space.
 */
import type { MemoryQuery } from "../../kernel/index.js";
import { COMMON, type MemoryIndex, type TermSearch } from "./memory-index.js";
import {
  COLUMNS,
  CURRENT,
  candidateColumns,
  type FoundRow,
  filterOf,
  foundRow,
  MAX_CANDIDATES,
  memoryOf,
  type SearchedNamespace,
} from "./memory-rows.js";
import { indexedTerms } from "./memory-terms.js";
import type { Sql } from "./sql.js";

/** Numbers of a block. */
const BLOCK = 1_024;
/** The newest entries with the words, among which those are looked for first that a query admits. */
const FILTERED = 2_000;

/**
 * The tables, for databases that have those of version 1. The entries of a namespace get consecutive numbers, in blocks of its own:
 * its terms are in no other block, so that a thousand small namespaces take no more space than a large one.
 */
export async function createPostings(sql: Sql): Promise<void> {
  // A process with the former version adds nothing any more.
  await sql.run("LOCK TABLE haft_memory_index IN ACCESS EXCLUSIVE MODE");
  await sql.run(
    `CREATE TABLE haft_memory_postings (term TEXT COLLATE "C" NOT NULL, block BIGINT NOT NULL, bits BYTEA NOT NULL, PRIMARY KEY (term, block)) WITH (fillfactor = 70)`,
  );
  // Bits hardly compress, and are changed with each entry.
  await sql.run("ALTER TABLE haft_memory_postings ALTER COLUMN bits SET STORAGE PLAIN");
  await sql.run("ALTER TABLE haft_memory_namespaces ADD COLUMN last_number BIGINT NOT NULL DEFAULT -1");
  const [last] = await sql.rows("SELECT COALESCE(MAX(number), 0) AS number FROM haft_memories");
  await sql.run(`CREATE SEQUENCE haft_memory_blocks START ${blockOf(Number(last?.number)) + 1}`);
  await copyVectors(sql);
  await sql.run("DROP TABLE haft_memory_index");
}

/** Each block of the former index, as the rows it has now. */
async function copyVectors(sql: Sql): Promise<void> {
  for (let from = 0; ; from += BLOCK) {
    const [next] = await sql.rows("SELECT MIN(rowid) AS number FROM haft_memory_index WHERE rowid >= $1", [from]);
    if (next === undefined || next.number === null) return;
    const block = blockOf(Number(next.number));
    from = block * BLOCK;
    const entries = await sql.rows(
      "SELECT rowid, array_to_string(tsvector_to_array(terms), ' ') AS terms FROM haft_memory_index WHERE rowid >= $1 AND rowid < $2",
      [from, from + BLOCK],
    );
    const found = new Map<string, Uint8Array>();
    for (const { rowid, terms } of entries) {
      // An entry without a word, such as an emoji, has no term.
      for (const term of String(terms)
        .split(" ")
        .filter((one) => one !== "")) {
        const bits = found.get(term) ?? new Uint8Array(BLOCK / 8);
        found.set(term, bits);
        const at = Number(rowid) - from;
        bits[at >> 3] = bits[at >> 3]! | (1 << (at & 7));
      }
    }
    const hex = [...found.values()].map((bits) => Buffer.from(bits).toString("hex"));
    await sql.run(
      `INSERT INTO haft_memory_postings (term, block, bits) SELECT term, $2, decode(bits, 'hex')
       FROM unnest(string_to_array($1, ' '), string_to_array($3, ' ')) AS posting (term, bits)`,
      [[...found.keys()].join(" "), block, hex.join(" ")],
    );
  }
}

const blockOf = (number: number): number => Math.floor(number / BLOCK);

export const postings: MemoryIndex = {
  async nextNumber(sql, namespace) {
    const [row] = await sql.rows(
      `UPDATE haft_memory_namespaces SET last_number = CASE
         WHEN (last_number + 1) % ${BLOCK} = 0 THEN nextval('haft_memory_blocks') * ${BLOCK} ELSE last_number + 1 END
       WHERE number = $1 RETURNING last_number`,
      [namespace],
    );
    return Number(row?.last_number);
  },
  async add(sql, number, terms) {
    // Bits beyond those that are there are 0; those of a new row end with the one that is set.
    await sql.run(
      `INSERT INTO haft_memory_postings AS old (term, block, bits)
       SELECT term, $2, set_bit(decode(repeat('00', CAST($3 AS INTEGER) / 8 + 1), 'hex'), CAST($3 AS INTEGER), 1)
       FROM unnest(string_to_array($1, ' ')) AS term
       ON CONFLICT (term, block) DO UPDATE
       SET bits = set_bit(old.bits || substr(excluded.bits, length(old.bits) + 1), CAST($3 AS INTEGER), 1)`,
      [terms, blockOf(number), number % BLOCK],
    );
  },
  async remove(sql, namespace, number) {
    const [row] = await sql.rows(`SELECT ${COLUMNS} FROM haft_memories m WHERE m.number = $1`, [number]);
    if (row === undefined) return;
    const { key, content } = memoryOf(row);
    const values = [indexedTerms(namespace, `${key}\n${content}`), blockOf(number), number % BLOCK];
    const has = "term = ANY(string_to_array($1, ' ')) AND block = $2 AND length(bits) > CAST($3 AS INTEGER) / 8";
    const without = "set_bit(bits, CAST($3 AS INTEGER), 0)";
    await sql.run(`DELETE FROM haft_memory_postings WHERE ${has} AND btrim(${without}, '\\x00') = ''`, values);
    await sql.run(`UPDATE haft_memory_postings SET bits = ${without} WHERE ${has}`, values);
  },
  search: openPostings,
};

/** The bits of a term, by block. */
type Blocks = ReadonlyMap<number, Uint8Array>;

const NOTHING: Blocks = new Map();
const NO_BITS = new Uint8Array();

function openPostings(sql: Sql, namespace: SearchedNamespace, query: MemoryQuery): TermSearch {
  const read = new Map<string, Blocks>();
  const readTerms = async (terms: readonly string[]): Promise<void> => {
    const missing = terms.filter((term) => !read.has(term));
    if (missing.length === 0) return;
    for (const term of missing) read.set(term, NOTHING);
    const statement = `SELECT term, string_agg(int8send(block) || int4send(length(bits)) || bits, '') AS blocks
      FROM haft_memory_postings WHERE term = ANY(string_to_array($1, ' ')) GROUP BY term`;
    for (const { term, blocks } of await sql.rows(statement, [missing.join(" ")]))
      read.set(String(term), blocksIn(blocks as Uint8Array));
  };
  let admitted: Promise<ReadonlySet<number>> | undefined;
  const admits = (): Promise<ReadonlySet<number>> => {
    admitted ??= admittedNumbers(sql, namespace, query);
    return admitted;
  };
  return {
    async counts(terms) {
      await readTerms(terms);
      return terms.map((term) => countIn(read.get(term) ?? NOTHING));
    },
    async numbers(term) {
      await readTerms([term]);
      return new Set(newestFirst([[read.get(term) ?? NOTHING]]));
    },
    async rows(steps) {
      await readTerms(steps.flat(2));
      const lists = steps.map((step) => step.map((terms) => terms.map((term) => read.get(term) ?? NOTHING)));
      const numbers = { [Symbol.iterator]: () => stepByStep(lists) };
      return admittedRows(sql, namespace, query, numbers, admits);
    },
  };
}

/** The blocks of a term as they are read: of each its number, the length of its bits, and these. */
function blocksIn(bytes: Uint8Array): Blocks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks = new Map<number, Uint8Array>();
  for (let at = 0; at < bytes.length; ) {
    const [block, length] = [Number(view.getBigInt64(at)), view.getInt32(at + 8)];
    blocks.set(block, bytes.subarray(at + 12, at + 12 + length));
    at += 12 + length;
  }
  return blocks;
}

/** The first of some entries that the query admits. Most queries admit many: whether each is admitted is asked only where few are. */
async function admittedRows(
  sql: Sql,
  { number }: SearchedNamespace,
  query: MemoryQuery,
  numbers: Iterable<number>,
  admits: () => Promise<ReadonlySet<number>>,
): Promise<readonly FoundRow[]> {
  const filter = filterOf(sql.engine, query, 3);
  const rowsOf = (columns: string, some: readonly number[]) =>
    sql.rows(
      `SELECT ${columns} ${CURRENT} AND m.number = ANY(CAST(string_to_array($2, ' ') AS BIGINT[]))${filter.condition}`,
      [number, some.join(" "), ...filter.values],
    );
  let found = firstOf(numbers, filter.values.length > 0 ? FILTERED : MAX_CANDIDATES);
  if (found.length > MAX_CANDIDATES) {
    const all = found;
    const admitted = new Set((await rowsOf("m.number", all)).map((row) => Number(row.number)));
    found = firstOf(all, MAX_CANDIDATES, (one) => admitted.has(one));
    if (found.length < MAX_CANDIDATES && all.length === FILTERED) {
      const every = await admits();
      found = firstOf(numbers, MAX_CANDIDATES, (one) => every.has(one));
    }
  }
  return found.length === 0 ? [] : (await rowsOf(candidateColumns(query), found)).map(foundRow);
}

/** All entries of the namespace that the query admits, by what it states besides its words. */
async function admittedNumbers(
  sql: Sql,
  { number }: SearchedNamespace,
  query: MemoryQuery,
): Promise<ReadonlySet<number>> {
  const filter = filterOf(sql.engine, query, 2);
  const rows = await sql.rows(`SELECT m.number ${CURRENT}${filter.condition}`, [number, ...filter.values]);
  return new Set(rows.map((row) => Number(row.number)));
}

function firstOf(
  numbers: Iterable<number>,
  limit: number,
  isWanted: (number: number) => boolean = () => true,
): number[] {
  const first: number[] = [];
  for (const one of numbers) {
    if (isWanted(one)) first.push(one);
    if (first.length === limit) break;
  }
  return first;
}

function countIn(blocks: Blocks): number {
  let count = 0;
  for (const bits of blocks.values()) {
    for (const byte of bits) for (let rest = byte; rest > 0; rest &= rest - 1) count += 1;
    if (count >= COMMON) return COMMON;
  }
  return count;
}

/** The numbers of the entries of each step, once each. */
function* stepByStep(steps: readonly (readonly (readonly Blocks[])[])[]): Generator<number> {
  const seen = new Set<number>();
  for (const lists of steps) {
    for (const one of newestFirst(lists)) {
      if (seen.has(one)) continue;
      seen.add(one);
      yield one;
    }
  }
}

/** The numbers of the entries that have all terms of one of the lists. */
function* newestFirst(lists: readonly (readonly Blocks[])[]): Generator<number> {
  const blocks = new Set(lists.flatMap(([first = NOTHING]) => [...first.keys()]));
  for (const block of [...blocks].sort((one, other) => other - one)) {
    const together = new Uint8Array(BLOCK / 8);
    for (const list of lists) {
      const parts = list.map((of) => of.get(block) ?? NO_BITS);
      const length = Math.min(...parts.map((bits) => bits.length));
      for (let at = 0; at < length; at++) {
        let common = 0xff;
        for (const bits of parts) common &= bits[at]!;
        together[at] = together[at]! | common;
      }
    }
    for (let at = BLOCK - 1; at >= 0; at--) if ((together[at >> 3]! & (1 << (at & 7))) !== 0) yield block * BLOCK + at;
  }
}
