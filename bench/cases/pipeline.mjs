/** The pipeline itself: a tool that does nothing, recorded in an audit on disk. */
import { openBox } from "./haft.mjs";

const CALLS = 2_000;

export const cases = [
  {
    id: "pipeline",
    what: `${CALLS} calls of todo_read, with audit`,
    goal: { text: "≤ 20 µs a call", judge: ({ ours }) => ours.wallMs * 1000 <= CALLS * 20 },
    async ours({ scratch }) {
      const box = await openBox(scratch, `${scratch}/state`);
      await box.must("todo_read", {});
      return async () => {
        for (let turn = 0; turn < CALLS; turn++) await box.must("todo_read", {});
      };
    },
  },
];
