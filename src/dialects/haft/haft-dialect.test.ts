import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { builtinRegistry, needsSeveralTargets } from "../../toolkit/index.js";
import { builtinTools, memoryTools, scheduleTools, terminalTools } from "../../tools/index.js";
import { haftDialect } from "./haft-dialect.js";

/** Tokens (o200k) that the descriptors of the coding set may take together. */
const MAX_TOKENS = 2_000;
const MAX_PROCESS_TOKENS = 250;
/** Those of the collection `all`, as many tools as there are now. The goal for every tool that is planned is 3,500. */
const MAX_ALL_TOKENS = 2_400;

/** What the tools for panes may take beside them, where a target has a terminal. */
const MAX_TERMINAL_TOKENS = 400;

/** What `copy` may take beside them, where there are several targets, with the parameters that choose two of them. */
const MAX_COPY_TOKENS = 200;

/** What those for memories may take beside them, where the state has some; they are in no collection but "all" and "memory". */
const MAX_MEMORY_TOKENS = 320;

/** What those for schedules may take beside them, where the state has some. */
const MAX_SCHEDULE_TOKENS = 700;

const registry = builtinRegistry(haftDialect, {
  terminal: true,
  severalTargets: true,
  memories: true,
  schedules: true,
});
const descriptors = registry.names().map((name) => registry.get(name).descriptor());
const usualTools = builtinRegistry();

describe("haftDialect", () => {
  it(`shows the coding set in at most ${MAX_TOKENS} tokens`, () => {
    expect(descriptors).toHaveLength(builtinTools.length);
    const coding = descriptors.filter(({ name }) => haftDialect.collections.coding?.includes(name));
    expect(coding).toHaveLength(haftDialect.collections.coding?.length ?? 0);
    const process = descriptors.filter(({ name }) => name === "process");
    expect(countTokens(JSON.stringify(process))).toBeLessThanOrEqual(MAX_PROCESS_TOKENS);
    const usual = coding.filter(({ name }) => usualTools.has(name));
    expect(countTokens(JSON.stringify(usual))).toBeLessThanOrEqual(MAX_TOKENS);
  });

  it(`shows the collection "all" in at most ${MAX_ALL_TOKENS} tokens`, () => {
    const all = usualTools.membersOf("all").map((tool) => tool.descriptor());
    const [ofTerminal, ofSchedules, ofMemories] = [terminalTools, scheduleTools, memoryTools].map((tools) =>
      descriptors.filter((one) => tools.some(({ name }) => name === one.name)),
    );
    const ofTargets = descriptors.filter(({ name }) => needsSeveralTargets(name));
    const more = descriptors.filter(({ name }) => !usualTools.has(name));
    expect(ofTargets.map(({ name }) => name)).toEqual(["copy"]);
    expect(new Set(more)).toEqual(new Set([ofTerminal, ofSchedules, ofMemories, ofTargets].flat()));
    expect(all).toHaveLength(descriptors.length - more.length);
    expect(countTokens(JSON.stringify(ofMemories))).toBeLessThanOrEqual(MAX_MEMORY_TOKENS);
    expect(countTokens(JSON.stringify(ofSchedules))).toBeLessThanOrEqual(MAX_SCHEDULE_TOKENS);
    expect(countTokens(JSON.stringify(all))).toBeLessThanOrEqual(MAX_ALL_TOKENS);
    expect(countTokens(JSON.stringify(ofTerminal))).toBeLessThanOrEqual(MAX_TERMINAL_TOKENS);
    const copy = registry.get("copy").descriptor(["local", "ssh:build@host"]);
    expect(countTokens(JSON.stringify(copy))).toBeLessThanOrEqual(MAX_COPY_TOKENS);
  });

  it("names every limit of a tool where the model sees it", () => {
    const shown = Object.fromEntries(descriptors.map((one) => [one.name, JSON.stringify(one)]));
    const limits = {
      read: ["2000 lines", "64 KiB", "2000 bytes", "2000×2000 pixels"],
      edit: ["16 KiB"],
      move: ["64 MiB"],
      copy: ["10 minutes"],
      delete: ["200 entries", "64 MiB"],
      grep: ["400 bytes", "32 KiB", "30 s", "default 200", '"maximum":5000', '"maximum":50'],
      ls: ["Default 500", '"maximum":5000'],
      find: ["32 KiB", "30 s", "Default 500", '"maximum":5000'],
      bash: ["8 KiB and last 24 KiB", "Default 120000", '"maximum":600000'],
      process: ["32 KiB", "default 30000", '"maximum":600000'],
      webfetch: ["40000 characters", "default 1048576", '"maximum":5242880'],
      websearch: ["Default 5", '"maximum":25'],
      capture_pane: ['"maximum":60000'],
      send_keys: ['"maximum":60000'],
      http_request: ["1 MiB", "100 MiB", "Default 30000", '"maximum":300000'],
    };
    for (const [tool, words] of Object.entries(limits)) for (const word of words) expect(shown[tool]).toContain(word);
  });

  it("refuses unknown parameters, and has no unions at the top of its schemas", () => {
    expect(haftDialect.unknownParameter).toBe("refuse");
    for (const { parameters } of descriptors) {
      expect(parameters).toMatchObject({ type: "object", additionalProperties: false });
      for (const keyword of ["oneOf", "anyOf", "allOf"]) expect(parameters).not.toHaveProperty(keyword);
    }
  });

  it("has a collection of tools that only read, all of them in the coding set too", () => {
    const { "read-only": readOnly = [], coding, ...others } = haftDialect.collections;
    expect(others).toEqual({
      schedules: scheduleTools.map(({ name }) => name),
      memory: memoryTools.map(({ name }) => name),
    });
    expect(readOnly).toEqual(expect.arrayContaining(["read", "ls", "grep", "find", "webfetch", "websearch"]));
    for (const name of readOnly) expect([name, registry.get(name).effect]).not.toEqual([name, "write"]);
    expect(coding).toEqual(
      expect.arrayContaining([...readOnly, "write", "edit", "bash", "process", "todo_set", "todo_read"]),
    );
  });

  it("answers an unknown name with the nearest ones", () => {
    expect(haftDialect.unknownTool("raed\n", ["read"])).toBe('Unknown tool "raed\\n". Did you mean read?');
    expect(haftDialect.unknownTool("x", [])).toContain("Use one of the listed tools.");
  });

  it("gives an outcome as plain data, without the blocks that its output repeats", () => {
    const outcome = {
      tool: "read",
      data: { path: "a" },
      id: "c1",
      output: "text",
      isError: false,
      status: "ok" as const,
      content: [{ kind: "text" as const, text: "text" }],
      truncations: [],
      repairs: [],
      artifacts: [],
      decision: { rule: "r", effect: "allow" as const, approver: null },
      audit: "a",
    };
    const { content: _, tool: _tool, data: _data, ...rest } = outcome;
    expect(haftDialect.envelope(outcome)).toEqual(rest);
  });

  it("reports how to get what the pipeline truncated", () => {
    const cut = { what: "output of x", producedBytes: 10, keptBytes: 4, next: "Read it." };
    expect(haftDialect.truncationNote?.(cut)).toBe("note: 6 bytes of output of x were omitted. Read it.");
  });
});
