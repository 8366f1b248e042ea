/** The pipeline itself: a tool that does nothing, recorded in an audit on disk. */
import { defineTool, text } from "../../dist/index.js";
import { atMost } from "../goals.mjs";
import { openBox } from "../tools/haft.mjs";

const CALLS = 2_000;
/** Node.js 22 makes promises and signals more cheaply. */
const GOAL_US = Number(process.versions.node.split(".")[0]) >= 22 ? 35 : 50;

const idle = defineTool({
  name: "idle",
  description: "Does nothing.",
  input: { type: "object" },
  run: () => text("done"),
});

export const cases = [
  {
    id: "pipeline",
    table: "library",
    what: "a call of a tool that does nothing, with audit",
    unit: "call",
    goals: [atMost(GOAL_US, { of: ({ wallMs }) => wallMs * 1000, unit: "µs" })],
    sides: {
      ours: async ({ scratch }) => {
        const box = await openBox(scratch, `${scratch}/state`, { tools: [idle] });
        return async () => {
          for (let turn = 0; turn < CALLS; turn++) await box.must("idle", {});
          return { calls: CALLS };
        };
      },
    },
  },
];
