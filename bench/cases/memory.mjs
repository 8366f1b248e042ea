/** Storing and recalling notes, in the state that a toolkit has by default. */
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

async function openMemories(scratch) {
  const toolkit = await createToolkit({ autonomy: "full", workspace: scratch, stateDir: `${scratch}/state` });
  return toolkit.host.state.memories("default");
}

function recalling(id, what, queryOf) {
  return {
    id,
    table: "library",
    what: `${what}, among ${ENTRIES} notes`,
    unit: "call",
    goals: [atMost(20)],
    // Each note is stored by itself, as a user's are.
    prepareMs: 600_000,
    sides: {
      ours: async ({ scratch }) => {
        const memories = await openMemories(scratch);
        const text = texts(1);
        for (let at = 0; at < ENTRIES; at++)
          await memories.store({ key: `note ${at}`, content: text.content(), category: "core" });
        return async () => {
          for (let turn = 0; turn < CALLS; turn++) await memories.recall({ text: queryOf(text) });
          return { calls: CALLS };
        };
      },
    },
  };
}

export const cases = [
  recalling("memory-recall-question", "recall by a question of seven words", ({ question }) => question()),
  recalling("memory-recall-part", "recall by a part of a word", ({ part }) => part()),
  {
    id: "memory-store",
    table: "library",
    what: "store a note of 30 words",
    unit: "call",
    goals: [atMost(1)],
    sides: {
      ours: async ({ scratch }) => {
        const memories = await openMemories(scratch);
        const text = texts(2);
        let count = 0;
        return async () => {
          for (let turn = 0; turn < CALLS; turn++)
            await memories.store({ key: `note ${count++}`, content: text.content(), category: "core" });
          return { calls: CALLS };
        };
      },
    },
  },
];
