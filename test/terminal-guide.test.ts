/** The examples of docs/guide/terminal.md, run. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createMemoryBackend } from "../src/backends/memory/index.js";
import { createToolkit } from "../src/index.js";
import { withFakeTerminal } from "../src/testing/fakes/fake-terminal.fixture.js";
import { findScheme } from "../src/toolkit/target-schemes.js";

const guide = readFileSync(new URL("../docs/guide/terminal.md", import.meta.url), "utf8");
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block = ""]) => block);

it("the guide of the terminal shows a background command as it is answered", async () => {
  const pane = withFakeTerminal(createMemoryBackend());
  await using toolkit = await createToolkit({ on: "pane", backends: { pane }, persist: false, autonomy: "full" });
  const { runner } = toolkit.box();
  const { output } = await runner.run({ id: "1", name: "bash", input: { command: "npm test", background: true } });
  expect([`${output}\n`]).toEqual(blocks("text"));
});

it("the guide of the terminal names targets and tools that exist", async () => {
  const targets = blocks("sh").flatMap((block) => [...block.matchAll(/--on (\S+)/g)].map(([, target = ""]) => target));
  expect(targets).toHaveLength(2);
  for (const target of targets) expect(findScheme(target)?.terminal).toBeDefined();
  await using toolkit = await createToolkit({ on: targets[0]!, persist: false });
  const names = toolkit
    .box()
    .descriptors()
    .map(({ name }) => name);
  const listed = [...guide.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(listed).toEqual(names.slice(-3));
});
