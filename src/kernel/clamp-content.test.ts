import { describe, expect, it } from "vitest";
import { DIALECTS } from "../dialects/golden.fixture.js";
import { bareArtifacts, bareContext, bareHost, bareSession } from "../testing/fakes/bare-host.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";
import { builtinRegistry } from "../toolkit/index.js";
import { defineTool, json, type OutputBudget, standardBudget, type ToolResult, text } from "./index.js";
import { shrinkJson } from "./shrink-json.js";

const bytes = (value: unknown) =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)).length;

async function answer(result: ToolResult<never>, budget: OutputBudget = standardBudget()) {
  const artifacts = bareArtifacts();
  const tool = defineTool({ name: "stub", description: "", parameters: {}, run: () => result });
  const context = bareContext(bareHost(), { budget, session: { ...bareSession(), artifacts } });
  return { outcome: await tool.invoke({ id: "1", name: "stub", input: {} }, context), artifacts };
}

describe("an answer over its budget", () => {
  verifies("IR-044", "keeps both ends of 64 KiB of a third party's text, and the whole as an artifact", async () => {
    const whole = "x".repeat(70_000);
    const { outcome, artifacts } = await answer(text(whole));
    const elided = 70_000 - 65_536;
    expect(outcome.output).toBe(
      `${"x".repeat(32_768)}\n[${elided} bytes elided to stay within the output ceiling]\n${"x".repeat(32_768)}`,
    );
    expect(outcome.truncations).toEqual([
      {
        what: "output of stub",
        producedBytes: 70_000,
        keptBytes: 65_536,
        artifact: "1",
        next: "The full text is stored as artifact:1.",
      },
    ]);
    expect(outcome.artifacts).toEqual(["1"]);
    expect(artifacts.texts.get("1")).toBe(whole);
  });

  it("says how to read the whole in the dialect of the model", async () => {
    const tool = defineTool({ name: "stub", description: "", parameters: {}, run: () => text("x".repeat(70_000)) });
    const named: Readonly<Record<string, string>> = {
      haft: "read",
      indusagi: "read",
      zeroclaw: "file_read",
      buddy: "read_file",
    };
    for (const [name, dialect] of Object.entries(DIALECTS)) {
      const outcome = await tool.invoke({ id: "1", name: "stub", input: {} }, bareContext(bareHost(), { dialect }));
      const next = `Read the rest with \`${named[name]}\`, path "artifact:1".`;
      expect(outcome.truncations).toMatchObject([{ artifact: "1", next }]);
      expect(builtinRegistry(dialect).get(named[name] ?? "").parameters.properties).toHaveProperty("path");
      expect(String(outcome.output).includes(next)).toBe(name === "haft");
    }
  });

  it("takes from the largest block and leaves the small ones", async () => {
    const content = [...text("small").content, ...text("y".repeat(5_000)).content];
    const { outcome } = await answer({ content, isError: false }, { kind: "head", maxBytes: 3_000 });
    expect(outcome.content[0]).toEqual({ kind: "text", text: "small" });
    expect(bytes((outcome.content[1] as { text: string }).text)).toBeLessThan(3_100);
  });

  it("keeps JSON valid: long strings and lists are shortened, with counts", async () => {
    const value = { name: "n", log: "z".repeat(9_000), list: Array.from({ length: 500 }, (_, index) => ({ index })) };
    const { outcome, artifacts } = await answer(json(value), { kind: "middle", maxBytes: 2_000 });
    const output = outcome.output as { name: string; log: unknown; list: unknown[] };
    expect(bytes(output)).toBeLessThanOrEqual(2_000);
    expect(output.name).toBe("n");
    expect(output.log).toEqual({ artifact: expect.any(String), bytes: 9_000 });
    expect(output.list.at(-1)).toMatchObject({ of: 500, omitted: 500 - output.list.length + 1 });
    expect(outcome.truncations.map((cut) => cut.what)).toEqual(["log", "list"]);
    expect([...artifacts.texts.values()]).toContain(value.log);
  });

  it("stores the whole value if nothing in it can be shortened", async () => {
    const wide = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`k${index}`, index]));
    const shrunk = await shrinkJson(wide, 500, async () => "7");
    expect(shrunk.value).toEqual({ artifact: "7", bytes: bytes(wide) });
  });

  it("is linear in a wide value, and stops at once where sixty-four parts are not enough", async () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, "v".repeat(500)]));
    const kept: string[] = [];
    const shrunk = await shrinkJson(wide, 1_000, async (what) => {
      kept.push(what);
      return "7";
    });
    expect([shrunk.value, kept]).toEqual([{ artifact: "7", bytes: bytes(wide) }, ["json"]]);
  });

  it("counts right where lists lie in lists that gave way", async () => {
    const nested = Array.from({ length: 30 }, (_, row) => Array.from({ length: 200 }, (_, at) => row * at));
    for (const maxBytes of [4_000, 9_000, 15_000]) {
      const shrunk = await shrinkJson({ nested, log: "z".repeat(9_000) }, maxBytes, async () => "7");
      expect(bytes(shrunk.value)).toBeLessThanOrEqual(maxBytes);
      expect(shrunk.truncations.length).toBeGreaterThan(0);
    }
  });

  it("does not change the value that it was given", async () => {
    const value = { log: "z".repeat(3_000) };
    await shrinkJson(value, 100, async () => undefined);
    expect(value.log).toHaveLength(3_000);
  });
});
