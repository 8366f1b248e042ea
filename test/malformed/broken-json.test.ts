import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DIALECTS } from "../../src/dialects/golden.fixture.js";
import type { ToolBox } from "../../src/kernel/index.js";
import { createToolkit, type Toolkit } from "../../src/toolkit/index.js";

/** Texts that begin like arguments in JSON and are none, one a line, each with what is reported to its sender. */
const rows = readFileSync(new URL("broken-json.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as { readonly sent: string; readonly reported: string });

it("has at least 60 texts, and none twice", () => {
  expect(rows.length).toBeGreaterThanOrEqual(60);
  expect(new Set(rows.map(({ sent }) => sent)).size).toBe(rows.length);
});

describe.each(Object.keys(DIALECTS))("in the dialect %s", (dialect) => {
  let directory: string;
  let workspace: string;
  let toolkit: Toolkit;
  let box: ToolBox;
  let count = 0;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "haft-broken-json-"));
    workspace = join(directory, "workspace");
    mkdirSync(workspace);
    writeFileSync(join(workspace, "a.txt"), "a\n");
    toolkit = await createToolkit({ autonomy: "full", workspace, stateDir: join(directory, "state"), dialect });
    box = await toolkit.box("all");
  });
  afterAll(async () => {
    await toolkit.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each(rows)("no tool runs with $sent", async ({ sent, reported }) => {
    for (const { name } of box.descriptors()) {
      const outcome = await box.runner.run({ id: String(++count), name, input: sent });
      const text = outcome.content.map((block) => (block.kind === "text" ? block.text : "")).join("");
      expect([name, outcome.status, text]).toEqual([name, "invalid", expect.stringContaining(reported)]);
      expect(outcome.repairs).toEqual([]);
    }
    expect(readdirSync(workspace)).toEqual(["a.txt"]);
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("a\n");
  });
});

it("takes text as a parameter in no tool that acts, except where a seed demands it", () => {
  const acting = ["write", "edit", "move", "delete", "bash", "process", "todo_set"];
  const bare = Object.values(DIALECTS).flatMap((dialect) =>
    acting.filter((tool) => dialect.tools[tool]?.bareString !== undefined).map((tool) => `${dialect.name}:${tool}`),
  );
  expect(bare).toEqual(["zeroclaw:bash"]);
});
