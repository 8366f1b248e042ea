/** A call on one target, alone and beside targets that fail. */
import { writeFileSync } from "node:fs";
import { createToolkit } from "../../dist/index.js";
import { atMostTimes } from "../goals.mjs";

const CALLS = 200;

const schemes = {
  silent: { open: () => new Promise(() => {}) },
  dead: {
    open: () => {
      throw new Error("no route to host");
    },
  },
};

/** Reads a file on this machine again and again. `others`: targets that are called before, and fail or never answer. */
async function reading(scratch, others) {
  writeFileSync(`${scratch}/a.txt`, "a line\n".repeat(150));
  const toolkit = await createToolkit({
    autonomy: "full",
    on: ["local", ...others],
    schemes,
    workspace: scratch,
    stateDir: `${scratch}/state`,
    gate: "off",
  });
  const { runner } = toolkit.box();
  const read = (more = {}) => runner.run({ id: "1", name: "read", input: { path: "a.txt", ...more } });
  return async () => {
    for (const on of others) void read({ on });
    for (let turn = 0; turn < CALLS; turn++) {
      const { isError, output } = await read();
      if (isError) throw new Error(String(output));
    }
    return { calls: CALLS };
  };
}

export const cases = [
  {
    id: "targets",
    table: "library",
    what: "a read of 1 KB beside a target that does not answer and one that cannot be opened",
    unit: "call",
    goals: [atMostTimes(1.1, { name: "alone" })],
    sides: {
      raw: ({ scratch }) => reading(scratch, []),
      ours: ({ scratch }) => reading(scratch, ["silent:a", "dead:b"]),
    },
  },
];
