/** Storing and recalling notes, in the state that a toolkit has by default and, with HAFT_SERVICES, in PostgreSQL. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createToolkit } from "../../dist/index.js";
import { atMost } from "../goals.mjs";

const ENTRIES = 100_000;
const WORDS_OF_AN_ENTRY = 30;
const CALLS = 50;
const SYLLABLES = [
  "ta",
  "ko",
  "mi",
  "ren",
  "dor",
  "pla",
  "ser",
  "vin",
  "gat",
  "lo",
  "bu",
  "ze",
  "chi",
  "mar",
  "tel",
  "op",
];
const COMMON = ["the", "is", "of", "to", "on"];

/** Numbers that are the same in each run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Texts whose words are as frequent as those of a language: few very often, most seldom. */
function texts(seed) {
  const number = numbers(seed);
  const vocabulary = Array.from({ length: 8_000 }, () =>
    Array.from({ length: 2 + number(3) }, () => SYLLABLES[number(SYLLABLES.length)]).join(""),
  );
  const word = () => vocabulary[Math.floor(vocabulary.length ** (number(1_000_000) / 1_000_000)) - 1];
  const content = () =>
    Array.from({ length: WORDS_OF_AN_ENTRY }, () => (number(4) === 0 ? COMMON[number(COMMON.length)] : word())).join(
      " ",
    );
  return {
    word,
    content,
    part: () => word().slice(0, 5),
    question: () => `the ${word()} of ${word()} is on ${word()}`,
  };
}

async function openMemories(scratch, options = { stateDir: `${scratch}/state` }) {
  const toolkit = await createToolkit({ autonomy: "full", workspace: scratch, ...options });
  return { memories: toolkit.host.state.memories("default"), close: () => toolkit.close() };
}

const services = process.env.HAFT_SERVICES;
const { url: postgresUrl } = services
  ? (JSON.parse(readFileSync(`${services}/services.json`, "utf8")).postgres ?? {})
  : {};

/** In a schema of its own, which `close` drops. */
async function openPostgres(scratch) {
  const { default: pg } = await import("pg");
  const once = async (statement) => {
    const client = new pg.Client({ connectionString: postgresUrl });
    await client.connect();
    await client.query(statement);
    await client.end();
  };
  const name = `haft_bench_${randomBytes(6).toString("hex")}`;
  await once(`CREATE SCHEMA ${name}`);
  const url = new URL(postgresUrl);
  url.searchParams.set("options", `-c search_path=${name}`);
  const { memories, close } = await openMemories(scratch, { store: url.href, persist: false });
  return {
    memories,
    async close() {
      await close();
      await once(`DROP SCHEMA ${name} CASCADE`);
    },
  };
}

function recalling(id, what, queryOf, open = openMemories) {
  return {
    id,
    table: "library",
    what: `${what}, among ${ENTRIES} notes`,
    unit: "call",
    goals: [atMost(20)],
    // Each note is stored by itself, as a user's are.
    prepareMs: 1_200_000,
    sides: {
      ours: async ({ scratch }) => {
        const { memories, close } = await open(scratch);
        const text = texts(1);
        for (let at = 0; at < ENTRIES; at++)
          await memories.store({ key: `note ${at}`, content: text.content(), category: "core" });
        const run = async () => {
          for (let turn = 0; turn < CALLS; turn++) await memories.recall({ text: queryOf(text) });
          return { calls: CALLS };
        };
        return { run, close };
      },
    },
  };
}

function storing(id, what, goals, open = openMemories) {
  return {
    id,
    table: "library",
    what,
    unit: "call",
    goals,
    sides: {
      ours: async ({ scratch }) => {
        const { memories, close } = await open(scratch);
        const text = texts(2);
        let count = 0;
        const run = async () => {
          for (let turn = 0; turn < CALLS; turn++)
            await memories.store({ key: `note ${count++}`, content: text.content(), category: "core" });
          return { calls: CALLS };
        };
        return { run, close };
      },
    },
  };
}

const question = ({ question }) => question();
const part = ({ part }) => part();

export const cases = [
  recalling("memory-recall-question", "recall by a question of seven words", question),
  recalling("memory-recall-part", "recall by a part of a word", part),
  storing("memory-store", "store a note of 30 words", [atMost(1)]),
  ...(postgresUrl === undefined
    ? []
    : [
        recalling(
          "memory-postgres-question",
          "recall by a question of seven words in PostgreSQL",
          question,
          openPostgres,
        ),
        recalling("memory-postgres-part", "recall by a part of a word in PostgreSQL", part, openPostgres),
        storing("memory-postgres-store", "store a note of 30 words in PostgreSQL", [], openPostgres),
      ]),
];
