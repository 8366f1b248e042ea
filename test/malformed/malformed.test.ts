import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ToolBox } from "../../src/kernel/index.js";
import { createToolkit, type Toolkit } from "../../src/toolkit/index.js";

/**
 * Arguments as models send them, one a line: with `input`, what the tool takes and how many repairs are reported; with `reported`,
 * what is reported to the model and the `next` call that it leads to.
 */
interface Row {
  readonly tool: string;
  readonly sent: unknown;
  readonly input?: unknown;
  readonly notes?: number;
  readonly reported?: string;
  readonly next?: unknown;
}

const rows = readFileSync(new URL("rows.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Row);

let directory: string;
let toolkit: Toolkit;
let box: ToolBox;
let count = 0;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "haft-malformed-"));
  const workspace = join(directory, "workspace");
  mkdirSync(join(workspace, "src"), { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "a\nb\nc\n");
  toolkit = await createToolkit({ autonomy: "full", workspace, stateDir: join(directory, "state") });
  box = await toolkit.box("all");
});
afterAll(async () => {
  await toolkit.close();
  rmSync(directory, { recursive: true, force: true });
});

const callOf = (tool: string, input: unknown) => ({ id: String(++count), name: tool, input });

it("has at least 150 rows of each sort together, and no row twice", () => {
  expect(rows.length).toBeGreaterThanOrEqual(150);
  expect(rows.filter(({ notes }) => notes !== undefined && notes > 0).length).toBeGreaterThan(60);
  expect(rows.filter(({ reported }) => reported !== undefined).length).toBeGreaterThan(60);
  expect(new Set(rows.map(({ tool, sent }) => JSON.stringify([tool, sent]))).size).toBe(rows.length);
});

it.each(rows.filter(({ reported }) => reported === undefined))(
  "$tool takes $sent as $input",
  async ({ tool, sent, ...row }) => {
    const explained = await box.explain(callOf(tool, sent));
    expect(explained?.stopped).toBeUndefined();
    expect(explained?.input).toEqual(row.input);
    expect(explained?.repairs).toHaveLength(row.notes ?? 0);
  },
);

it.each(rows.filter(({ reported }) => reported !== undefined))(
  "$tool refuses $sent with the next step",
  async ({ tool, sent, reported, next }) => {
    const outcome = await box.runner.run(callOf(tool, sent));
    expect([outcome.isError, String(outcome.output)]).toEqual([true, expect.stringContaining(reported ?? "")]);
    expect(readFileSync(join(directory, "workspace", "a.txt"), "utf8")).toBe("a\nb\nc\n");
    // The call that the sentence leads to is understood as it is, with nothing left to mend.
    const explained = await box.explain(callOf(tool, next));
    expect([explained?.stopped, explained?.repairs]).toEqual([undefined, []]);
  },
);
