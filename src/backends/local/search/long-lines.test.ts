import { afterAll, beforeAll, expect, it } from "vitest";
import type { SearchPattern } from "../../../engines/search/index.js";
import type { GrepQuery } from "../../../kernel/index.js";
import { outputPlan } from "../../ripgrep/index.js";
import { TwoEngines } from "./two-engines.fixture.js";

let engines: TwoEngines;
beforeAll(() => {
  engines = new TwoEngines();
});
afterAll(() => engines.dispose());

const line = "a".repeat(1_000_000);

it("has our own engine look for what may match at every byte, since ripgrep would hold each match", () => {
  const plan = (source: string, matches: (text: string) => boolean) => {
    const tried = { test: (bytes: Uint8Array) => matches(new TextDecoder().decode(bytes)) } as unknown as SearchPattern;
    const query = { mode: "content", offset: 0, limit: 10, ...pattern(source) } as unknown as GrepQuery;
    return outputPlan(query, tried).output;
  };
  expect(plan("a", (text) => text.includes("a"))).toBe("files");
  expect(plan("[[:alpha:]]", (text) => /[a-z]/.test(text))).toBe("files");
  expect(plan("function \\w+", (text) => /function \w+/.test(text))).toBe("lines");
  for (const untried of ["\\p{Cyrillic}", "\\PL", "[\\x{400}-\\x{4ff}]"])
    expect(plan(untried, () => false)).toBe("files");
});
const pattern = (source: string, more: Partial<GrepQuery["pattern"]> = {}) =>
  ({ pattern: { source, syntax: "re2", ignoreCase: false, multiline: false, ...more } }) as const;

it("finds a match at every byte of long lines, by either engine alike", async () => {
  engines.lay({ "long.txt": `${line}\n${line}\n${line}\na short one\n` });
  for (const query of [
    pattern("a"),
    pattern("A", { ignoreCase: true }),
    pattern("."),
    pattern("[[:alpha:]]"),
    pattern("", { multiline: true }),
    pattern("^", { multiline: true }),
    pattern("^a", { multiline: true }),
  ]) {
    const [ripgrep, own] = await engines.ask(query.pattern.source, { ...query, maxLineBytes: 400 });
    expect([query.pattern.source, ripgrep.end, ripgrep.hits.length]).toEqual([
      query.pattern.source,
      expect.objectContaining({ why: "complete" }),
      4,
    ]);
    expect(ripgrep.hits).toEqual(own.hits);
  }
}, 60_000);

it("counts a line that comes in pieces as one line, and numbers those behind it right", async () => {
  const huge = "ab".repeat(17 * 1024 * 1024);
  engines.lay({ "long.txt": `${huge}\nno\nxyz 1\n` });
  const [ripgrep, own] = await engines.ask("xyz \\d");
  expect([ripgrep.hits, own.hits]).toEqual([["long.txt:3:[[0,5]]:,,: xyz 1"], ["long.txt:3:[[0,5]]:,,: xyz 1"]]);
  const [counted, ownCounted] = await engines.ask("b[ab]{20}a|xyz", { mode: "count" });
  expect(counted.hits).toEqual(["long.txt:0:[]:,2,: "]);
  expect([ownCounted.hits, ownCounted.end]).toEqual([
    ["long.txt:0:[]:,1,: "],
    expect.objectContaining({ skipped: { long: 1 } }),
  ]);
}, 60_000);
