/** Opening a box beside many stored sessions. */
import { mkdirSync, writeFileSync } from "node:fs";
import { createToolkit } from "../../dist/index.js";
import { atMost } from "../goals.mjs";

const SESSIONS = 10_000;

export const cases = [
  {
    id: "box-sessions",
    table: "library",
    what: "open a box, 10,000 sessions in the state directory",
    unit: "box",
    goals: [atMost(10)],
    sides: {
      ours: async ({ scratch }) => {
        const stateDir = `${scratch}/state`;
        const createdMs = Date.now();
        for (let index = 0; index < SESSIONS; index++) {
          const directory = `${stateDir}/sessions/s${index}`;
          mkdirSync(directory, { recursive: true });
          writeFileSync(`${directory}/session.json`, JSON.stringify({ id: `s${index}`, createdMs, nonce: `${index}` }));
        }
        const toolkit = await createToolkit({ autonomy: "full", stateDir, workspace: scratch });
        return async () => {
          toolkit.box("coding");
          return { calls: 1 };
        };
      },
    },
  },
];
