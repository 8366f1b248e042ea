/** Parts that are not what they promise: calls, tools, approvers and listeners of unusual forms. Each call still ends as an outcome. */
import { describe, expect, it } from "vitest";
import { bareContext, bareHost, bareSession } from "../testing/fakes/bare-host.fixture.js";
import { call, toolOf } from "../testing/fakes/odd-tool.fixture.js";
import {
  covers,
  createToolBox,
  type Dialect,
  defineTool,
  grantFor,
  HaftError,
  messageOf,
  presentTool,
  requireCovered,
  type ToolCall,
  text,
} from "./index.js";

const circular: Record<string, unknown> = { path: "a" };
circular.self = circular;

describe("what a tool throws or returns", () => {
  it("becomes an outcome whatever was thrown", async () => {
    const noText = { toString: () => circular };
    for (const thrown of [null, undefined, Symbol("s"), Object.create(null), noText]) {
      const host = bareHost();
      const outcome = await call(
        toolOf(() => {
          throw thrown;
        }),
        bareContext(host),
      );
      expect(outcome).toMatchObject({ status: "failed", code: "CALL_THREW", isError: true });
      expect(outcome.output).toMatch(/^`odd` failed: ./);
      expect(host.entries[0]?.ends).toHaveLength(1);
      expect(typeof messageOf(thrown)).toBe("string");
      expect(HaftError.is(thrown)).toBe(false);
    }
  });

  it("is reported to the author if it is not a tool result", async () => {
    const block = (content: unknown) => ({ isError: false, content });
    const odd: unknown[] = [undefined, null, "text", 5, [], {}, { isError: false }, { isError: "false", content: [] }];
    odd.push(block("text"), block([null]), block([{ kind: "text" }]), block([{ kind: "film" }]));
    odd.push({ ...block([]), code: 5 }, { ...block([]), truncations: [null] }, { ...block([]), message: {} });
    for (const returned of odd) {
      const host = bareHost();
      const outcome = await call(
        toolOf(() => returned),
        bareContext(host),
      );
      expect(outcome).toMatchObject({ status: "failed", isError: true });
      expect(outcome.code).toMatch(/^CALL_(MALFORMED|THREW)$/);
      expect(host.entries[0]?.ends).toHaveLength(1);
    }
    const outcome = await call(toolOf(() => "done"));
    expect(outcome.output).toBe(
      "`odd` did not return a valid tool result: it is the value done. The author of the tool can make one with `text`, `json` or `failure`.",
    );
  });

  it("is not shown where it cannot be written as JSON or looked through for secrets", async () => {
    let deep: unknown = {};
    for (let depth = 0; depth < 50_000; depth++) deep = { deep };
    for (const value of [circular, 10n, deep]) {
      const blocks = { isError: false, content: [{ kind: "json", value: [value] }] };
      for (const result of [blocks, { isError: false, content: [], structured: [value] }]) {
        for (const redactor of [undefined, { redact: (part: string) => part }]) {
          const host = bareHost(redactor === undefined ? {} : { redactor });
          const outcome = await call(
            toolOf(() => result),
            bareContext(host),
          );
          expect(outcome).toMatchObject({ status: "failed", code: "CALL_MALFORMED" });
          expect(outcome.output).toContain("its result cannot be returned");
          expect(host.entries[0]?.ends).toHaveLength(1);
        }
      }
    }
    expect((await call(toolOf(() => ({ isError: false, content: [{ kind: "json", value: undefined }] })))).output).toBe(
      null,
    );
  });

  it("does not get past a redactor that fails", async () => {
    let looks = 0;
    const redactor = {
      redact(part: string) {
        if (looks++ > 0) throw new Error("the secret");
        return part;
      },
    };
    const outcome = await call(
      toolOf(() => text("the secret")),
      bareContext(bareHost({ redactor })),
    );
    expect(outcome).toMatchObject({ status: "failed", output: "`odd` ended, but its result cannot be returned." });
    expect(JSON.stringify(outcome)).not.toContain("secret");
  });

  it("has no half characters, in which a client's next request would break", async () => {
    const outcome = await call(toolOf(() => text("a\ud800b\udc00 \ud83d\ude00")));
    expect(outcome.output).toBe("a\ufffdb\ufffd \ud83d\ude00");
  });

  it("keeps to its budget in resources, in the structured part and in any number of blocks", async () => {
    const resource = { kind: "resource", uri: "u", text: "r".repeat(100_000) };
    const one = await call(toolOf(() => ({ isError: false, content: [resource] })));
    expect((one.content[0] as { text: string }).text.length).toBeLessThan(66_000);
    const structured = await call(
      toolOf(() => ({ isError: false, content: [], structured: { log: "l".repeat(100_000) } })),
    );
    expect(structured).toMatchObject({ structured: { log: { artifact: "1", bytes: 100_000 } }, artifacts: ["1"] });
    const lines = Array.from({ length: 5_000 }, (_, index) => ({ kind: "text", text: `${index} ${"x".repeat(40)}` }));
    const session = bareSession();
    const many = await call(
      toolOf(() => ({ isError: false, content: lines })),
      bareContext(bareHost(), { session }),
    );
    const dropped = 5_000 - many.content.length + 1;
    expect(dropped).toBeGreaterThan(1_000);
    expect(many.truncations).toEqual([
      expect.objectContaining({ what: `${dropped} more blocks of odd`, keptBytes: 0, artifact: "1" }),
    ]);
    const kept = await session.artifacts.read("1", 0, 1e9);
    expect(new TextDecoder().decode((kept as { bytes: Uint8Array }).bytes).split("\n")).toHaveLength(dropped);
  });
});

describe("the cuts of a tool", () => {
  it("lose their next step where the presenter's text ends earlier", async () => {
    const cut = { what: "lines", producedBytes: 9, keptBytes: 5 };
    const tool = defineTool({
      name: "odd",
      description: "",
      parameters: {},
      run: () => ({ content: [], isError: false, data: 1, truncations: [{ ...cut, next: "Go on at 9." }] }),
    });
    const presenterOf = (endsEarlier: boolean) => ({
      name: "odd",
      description: "",
      parameters: {},
      decode: () => ({ input: {} }),
      render: () => ({
        content: [],
        truncations: [{ ...cut, next: "Go on at 5." }],
        truncatedByPresenter: endsEarlier,
      }),
    });
    const nexts = async (endsEarlier: boolean) => {
      const shown = presentTool(tool, presenterOf(endsEarlier), { unknownParameter: "ignore" } as unknown as Dialect);
      return (await call(shown)).truncations.map(({ next }) => next);
    };
    expect(await nexts(false)).toEqual(["Go on at 9.", "Go on at 5."]);
    expect(await nexts(true)).toEqual([undefined, "Go on at 5."]);
  });
});

describe("what a call brings", () => {
  const seen: unknown[] = [];
  const picky = defineTool({
    name: "picky",
    description: "",
    parameters: {
      type: "object",
      properties: { path: { type: "string" } },
      required: ["path"],
      additionalProperties: false,
    },
    run(input) {
      seen.push(input);
      return text(String(input.path));
    },
  });

  it("is refused and recorded where it is not JSON data", async () => {
    let deep: unknown = "x";
    for (let depth = 0; depth < 50_000; depth++) deep = [deep];
    let shared: Record<string, unknown> = {};
    for (let level = 0; level < 40; level++) shared = { left: shared, right: shared };
    const text = "[".repeat(1_000) + "]".repeat(1_000);
    for (const input of [circular, { path: 1n }, { path: "a", deep }, shared, text]) {
      const host = bareHost();
      const outcome = await call(picky, bareContext(host), { input });
      expect(outcome).toMatchObject({ status: "invalid", code: "CALL_INVALID" });
      expect(outcome.output).toContain("the arguments cannot be converted to JSON: ");
      expect(host.entries[0]?.begin.inputDigest).toMatch(/^[0-9a-f]{64}$/);
      expect(host.entries[0]?.ends.map((end) => end.status)).toEqual(["invalid"]);
    }
  });

  it("may be nested 128 levels deep, in an object and in text", async () => {
    const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`) as unknown;
    const problemOf = async (input: unknown) => (await call(picky, bareContext(), { input })).output;
    const tooDeep = "the arguments cannot be converted to JSON: they are nested more than 128 levels deep.";
    for (const input of [{ path: nested(127) }, JSON.stringify({ path: nested(127) })])
      expect(await problemOf(input)).not.toContain("nested");
    for (const input of [{ path: nested(128) }, JSON.stringify({ path: nested(128) })])
      expect(await problemOf(input)).toContain(tooDeep);
    const siblings = { path: Array.from({ length: 200 }, () => [[]]) };
    expect(await problemOf(siblings)).not.toContain("nested");
  });

  it("passes no member of a prototype for an argument", async () => {
    const fromText = JSON.parse('{"__proto__":{"path":"hidden"}}');
    for (const input of [fromText, '{"__proto__":{"path":"hidden"}}', Object.create({ path: "hidden" })]) {
      expect((await call(picky, bareContext(), { input })).output).toContain("`path` is required");
    }
    const both = JSON.parse('{"path":"a","__proto__":{"x":1}}');
    expect((await call(picky, bareContext(), { input: both })).output).toContain("unknown parameter `__proto__`");
  });

  it("is read once, and left as it was", async () => {
    let reads = 0;
    const input = {
      get path() {
        return reads++ === 0 ? "judged" : "run";
      },
    };
    const host = bareHost();
    expect((await call(picky, bareContext(host), { input })).output).toBe("judged");
    expect([reads, host.entries[0]?.begin.input]).toEqual([1, '{"path":"judged"}']);
    const given = { path: "a" };
    await call(picky, bareContext(), { input: given });
    expect([Object.isFrozen(given), Object.isFrozen(seen.at(-1))]).toEqual([false, true]);
  });
});

describe("a call", () => {
  it("may be a call in no form at all", async () => {
    const host = bareHost();
    const box = createToolBox([toolOf(() => text("ran"))], () => bareContext(host));
    const run = (odd: unknown) => box.runner.run(odd as ToolCall);
    const nameless = [{}, { id: "1" }, { name: null }, { name: 5 }, { name: { toString: () => circular } }];
    for (const odd of [undefined, null, "call", [], 5, ...nameless, { id: 7, name: "odd" }, { id: {}, name: "odd" }])
      expect(await run(odd)).toMatchObject({ status: "invalid", code: "CALL_INVALID", isError: true });
    expect((await run(undefined)).output).toBe(
      "Did not run the call: a call must be an object with `id`, `name` and `input`.",
    );
    expect(await run({ id: "1", name: null })).toMatchObject({
      id: "1",
      output: "Did not run the call: `name` must be a string.",
    });
    expect(await run({ id: 7, name: "odd" })).toMatchObject({
      id: "7",
      output: "Did not run `odd`: `id` must be a string.",
    });
    const long = await run({ id: "c", name: "\u0000".repeat(1e6), input: {} });
    expect((long.output as string).length).toBeLessThan(1_000);
    expect(await run({ name: "odd", input: {}, resume: null })).toMatchObject({ status: "ok", output: "ran" });
    await run({ id: "i".repeat(1e6), name: "odd", input: {} });
    expect(host.entries.every(({ begin, ends }) => begin.callId.length <= 256 && ends.length === 1)).toBe(true);
  });
});

describe("a port", () => {
  it("refuses a path that string work cannot judge, below a granted directory too", () => {
    const grant = grantFor("g", [{ kind: "file", path: "/ws", access: ["read"], scope: "tree" }]);
    const whole = grantFor("g", [{ kind: "file", path: "/", access: ["read"], scope: "tree" }]);
    for (const path of ["/ws/../etc", "/ws/a/..", "/ws/./a", "/ws//a", "/ws/a/", "/..", "ws", ""]) {
      expect(() => requireCovered(grant, path, "read")).toThrow(/ctx\.resolve/);
      expect([covers(grant, path, "read"), covers(whole, path, "read")]).toEqual([false, false]);
    }
    for (const path of ["/ws", "/ws/...", "/ws/..a/.b", "/ws/a\n", "/ws/ "])
      expect([covers(grant, path, "read"), covers(whole, path, "read")]).toEqual([true, true]);
    expect(covers(whole, "/", "read")).toBe(true);
  });
});
