/** A box of the built product in a folder, as a library user makes it. */
import { createToolkit } from "../../dist/index.js";

export async function openBox(workspace, stateDir, more = {}) {
  const toolkit = await createToolkit({ workspace, stateDir, gate: "off", ...more });
  const box = await toolkit.box();
  let id = 0;
  return {
    async call(name, input) {
      const outcome = await box.runner.run({ id: String(++id), name, input });
      return outcome;
    },
    async must(name, input) {
      const outcome = await box.runner.run({ id: String(++id), name, input });
      if (outcome.isError) throw new Error(`${name}: ${JSON.stringify(outcome.output).slice(0, 400)}`);
      return outcome.output;
    },
    close: () => toolkit.close(),
  };
}

export const atMost = (factor, plusMs = 0) => ({
  text: `wall ≤ ${factor}x${plusMs ? ` + ${plusMs} ms` : ""}`,
  judge: ({ raw, ours }) => ours.wallMs <= raw.wallMs * factor + plusMs,
});
