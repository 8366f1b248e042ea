/** The pipeline itself: a tool that does nothing, recorded in an audit on disk. */
import { defineTool, text } from "../../dist/index.js";
import { openBox } from "./haft.mjs";

const CALLS = 2_000;

const idle = defineTool({
  name: "idle",
  description: "Does nothing.",
  input: { type: "object" },
  run: () => text("done"),
});

export const cases = [
  {
    id: "pipeline",
    what: `${CALLS} calls of a tool that does nothing, with audit`,
    goal: { text: "≤ 20 µs a call", judge: ({ ours }) => ours.wallMs * 1000 <= CALLS * 20 },
    async ours({ scratch }) {
      const box = await openBox(scratch, `${scratch}/state`, { tools: [idle] });
      await box.must("idle", {});
      return async () => {
        for (let turn = 0; turn < CALLS; turn++) await box.must("idle", {});
      };
    },
  },
];
