import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configSchema, parseConfig } from "../src/toolkit/index.js";
import { REPOSITORY } from "./architecture/source-tree.js";
import { configReference } from "./config-reference.js";

// Stale files are written anew by `npx vitest run test/config-reference.test.ts -u`.
describe("what is generated from the schema of the configuration", () => {
  it("is up to date: the JSON Schema that is published", async () => {
    const text = `${JSON.stringify(configSchema(), null, 2)}\n`;
    await expect(text).toMatchFileSnapshot(join(REPOSITORY, "config.schema.json"));
  });

  it("is up to date: the table of keys", async () => {
    await expect(configReference()).toMatchFileSnapshot(join(REPOSITORY, "docs/reference/config.md"));
  });

  it("has a row for every key, each with words", () => {
    const rows = configReference()
      .split("\n")
      .filter((line) => line.startsWith("| `"));
    for (const key of Object.keys(configSchema().properties ?? {}))
      expect(rows.some((row) => row.startsWith(`| \`${key}\` |`))).toBe(true);
    expect(rows.some((row) => row.startsWith("| `servers.NAME.command` |"))).toBe(true);
  });
});

describe("the guides", () => {
  it("show only configurations that are understood", async () => {
    const blocks = ["configuration", "servers"].flatMap((name) => {
      const guide = readFileSync(join(REPOSITORY, `docs/guide/${name}.md`), "utf8");
      return [...guide.matchAll(/^```jsonc\n([\s\S]*?)^```$/gm)].map(([, text]) => text ?? "");
    });
    expect(blocks.length).toBeGreaterThan(3);
    for (const block of blocks) expect(Object.keys(await parseConfig(block, block))).not.toEqual([]);
  });
});
