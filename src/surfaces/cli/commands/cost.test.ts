import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import type { Finished } from "../../../testing/built.fixture.js";
import { cliPlace } from "../../../testing/cli-place.fixture.js";
import { builtinRegistry, DIALECT_NAMES, dialectNamed } from "../../../toolkit/index.js";
import { estimateTokens } from "./cost.js";

const place = cliPlace();
const haft = (...args: readonly string[]): Promise<Finished> => place.inProcess(["cost", ...args]);

interface Cost {
  readonly dialect: string;
  readonly isEstimate: boolean;
  readonly tools: Record<string, number>;
  readonly collections: Record<string, number>;
}

describe("haft cost", () => {
  it("adds the tools up to their collections", async () => {
    const done = await haft("--json");
    expect(done).toMatchObject({ status: 0, stderr: "" });
    const { dialect, isEstimate, tools, collections } = JSON.parse(done.stdout) as Cost;
    expect({ dialect, isEstimate }).toEqual({ dialect: "haft", isEstimate: true });
    expect(Object.values(tools).reduce((sum, tokens) => sum + tokens, 0)).toBe(collections.all);
    expect(collections["read-only"]).toBeLessThan(collections.coding ?? 0);
    const text = (await haft()).stdout;
    expect(text).toMatch(new RegExp(`^read +${tools.read}$`, "m"));
    expect(text).toMatch(new RegExp(`^all +${collections.all}$`, "m"));
    expect(text).toContain("Estimated");
    expect(text).not.toContain("\u001b");
  });

  it("counts the parameter by which a call chooses a target", async () => {
    const toolsOn = async (...on: readonly string[]) =>
      (JSON.parse((await haft("--json", ...on.flatMap((one) => ["--on", one]))).stdout) as Cost).tools;
    const [one, two] = [await toolsOn("local"), await toolsOn("local", "posix:dash")];
    expect(Object.keys(two).filter((tool) => (two[tool] ?? 0) <= (one[tool] ?? 0))).toEqual([]);
  });

  it("compares the dialects", async () => {
    const costs = JSON.parse((await haft("--all", "--json")).stdout) as Cost[];
    expect(costs.map(({ dialect }) => dialect)).toEqual(DIALECT_NAMES);
    const text = (await haft("--all")).stdout;
    for (const { dialect, collections } of costs)
      expect(text).toMatch(new RegExp(`^${dialect} .*\\b${collections.all}\\b`, "m"));
  });

  it("counts only what is switched on, and says so where nothing is", async () => {
    const before = JSON.parse((await haft("--json")).stdout) as Cost;
    const config = (tools: readonly string[]): void =>
      writeFileSync(
        join(place.workspace, "haft.jsonc"),
        JSON.stringify({ tools: Object.fromEntries(tools.map((tool) => [tool, false])) }),
      );
    config(["bash"]);
    const after = JSON.parse((await haft("--json")).stdout) as Cost;
    expect(after.collections.all).toBe((before.collections.all ?? 0) - (before.tools.bash ?? 0));
    config(Object.keys(before.tools));
    expect((await haft()).stdout).toContain("use no tokens");
  });
});

describe("estimateTokens", () => {
  it.each(DIALECT_NAMES)("is within 8 % for each tool of %s and within 3 % for all of them", async (name) => {
    const registry = builtinRegistry(await dialectNamed(name));
    const texts = registry.names().map((tool) => JSON.stringify(registry.get(tool).descriptor()));
    const off = texts.map((text) => Math.abs(estimateTokens(text) / countTokens(text) - 1));
    expect(Math.max(...off)).toBeLessThan(0.08);
    const sums = [estimateTokens, countTokens].map((count) => texts.reduce((sum, text) => sum + count(text), 0));
    expect(Math.abs(sums[0]! / sums[1]! - 1)).toBeLessThan(0.03);
  });

  it("counts nothing for nothing, and every script for something", () => {
    expect(estimateTokens("")).toBe(0);
    for (const text of ["日本語", "Привет", "🙂", "{}[]", "\n\n"]) expect(estimateTokens(text)).toBeGreaterThan(0);
  });
});
