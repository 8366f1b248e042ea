import { describe, expect, it } from "vitest";
import { bareContext, bareHost } from "../testing/fakes/bare-host.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";
import { defineTool, HaftError, ToolRegistry, text } from "./index.js";

const tool = (name: string, says = name) =>
  defineTool({ name, description: "", parameters: {}, run: () => text(says) });

describe("a registry", () => {
  verifies("IR-045", "keeps the order of registration, and a later tool takes the place of an earlier one", () => {
    const replaced = tool("a", "second");
    const registry = new ToolRegistry().registerAll([tool("a"), tool("b"), replaced]);
    expect(registry.names()).toEqual(["a", "b"]);
    expect(registry.get("a")).toBe(replaced);
  });

  verifies(["IR-046", "IP-013"], "registers, groups, lists and boxes, and chains", () => {
    const registry = new ToolRegistry().register(tool("a")).register(tool("b")).collection("mine", ["b"]);
    expect([registry.has("a"), registry.has("z")]).toEqual([true, false]);
    expect(registry.membersOf("mine").map((one) => one.name)).toEqual(["b"]);
    expect(registry.collectionNames()).toEqual(["mine", "all"]);
    expect(
      registry
        .toToolBox(() => bareContext(), "mine")
        .descriptors()
        .map((one) => one.name),
    ).toEqual(["b"]);
  });

  it("treats null options and a null signal as absent, and refuses a signal that is not an AbortSignal", async () => {
    const box = new ToolRegistry().register(tool("a")).toToolBox(() => bareContext());
    const asked = { id: "1", name: "a", input: {} };
    expect((await box.runner.run(asked, null)).output).toBe("a");
    expect((await box.runner.run(asked, { signal: null as never })).output).toBe("a");
    const invalid: unknown[] = [{}, { aborted: false }, { aborted: true, addEventListener: 1 }, "now", true];
    for (const signal of [...invalid, new AbortController()])
      expect(await box.runner.run(asked, { signal: signal as AbortSignal })).toMatchObject({
        status: "invalid",
        code: "CALL_INVALID",
        isError: true,
        output: "Did not run `a`: `signal` is not an AbortSignal; pass the `signal` of an AbortController.",
      });
    const throws = Object.defineProperty({}, "signal", {
      get: () => {
        throw new Error("unreadable");
      },
    });
    expect(await box.runner.run(asked, throws)).toMatchObject({ status: "failed", output: "`a` failed: unreadable" });
    const foreign = { aborted: true, reason: new Error("stop"), addEventListener() {}, removeEventListener() {} };
    expect((await box.runner.run(asked, { signal: foreign as never })).status).toBe("cancelled");
  });

  verifies(["IR-047", "IR-048", "IP-012"], "names the unknown tool or collection, in one class of error", () => {
    const registry = new ToolRegistry();
    const thrownBy = (body: () => unknown) => {
      try {
        body();
      } catch (thrown) {
        return thrown;
      }
      return undefined;
    };
    const faults = [
      thrownBy(() => registry.get("nope")),
      thrownBy(() => registry.collection("mine", ["nope"])),
      thrownBy(() => registry.toToolBox(() => bareContext(), "nope")),
      thrownBy(() => registry.toToolBox(() => bareContext(), { session: "x" } as unknown as string)),
    ];
    expect(faults.every((fault) => HaftError.is(fault))).toBe(true);
    expect(faults.map((fault) => (fault as Error).message)).toEqual([
      'No tool named "nope" is registered.',
      'No tool named "nope" is registered.',
      'No collection named "nope" is registered.',
      "A box takes the name of a collection. A session is chosen by `toolkit.session(NAME).box()`.",
    ]);
  });

  it("hints at similar names, or lists all of them", () => {
    const registry = new ToolRegistry().registerAll([tool("read"), tool("write")]);
    const hintOf = (name: string) => {
      try {
        return registry.get(name) as unknown;
      } catch (thrown) {
        return (thrown as HaftError).hint;
      }
    };
    expect([hintOf("raed"), hintOf("nope")]).toEqual(['Did you mean "read"?', "Registered: read, write."]);
    registry.collection("coding", ["read"]);
    const collection = expect.objectContaining({ hint: 'Did you mean "coding"? Registered: coding, all.' });
    expect(() => registry.membersOf("codng")).toThrow(collection);
  });

  verifies(["IR-049", "IR-050"], "answers a call of a tool outside the box, and never runs it", async () => {
    const registry = new ToolRegistry().registerAll([tool("read"), tool("write")]).collection("read-only", ["read"]);
    const box = registry.toToolBox(() => bareContext(bareHost()), "read-only");
    for (const name of ["X", "write"]) {
      const outcome = await box.runner.run({ id: "1", name, input: {} });
      expect(outcome).toMatchObject({ id: "1", isError: true, status: "unknown-tool" });
      expect(outcome.output).toBe(`This session exposes no tool called "${name}".`);
    }
  });

  verifies("IR-054", "counts a host's own tool into all, and into no other collection", () => {
    const registry = new ToolRegistry().registerAll([tool("a"), tool("b")]).collection("coding", ["a", "b"]);
    registry.register(tool("mine"));
    expect(registry.membersOf("all").map((one) => one.name)).toEqual(["a", "b", "mine"]);
    expect(registry.membersOf("coding").map((one) => one.name)).toEqual(["a", "b"]);
  });

  verifies("IP-014", "makes a fresh context for each dispatch", async () => {
    const host = bareHost();
    const ids: number[] = [];
    const noter = defineTool({
      name: "noter",
      description: "",
      parameters: {},
      run(_, ctx) {
        ids.push(ctx.contextId);
        return text("");
      },
    });
    const box = new ToolRegistry().register(noter).toToolBox(() => bareContext(host));
    await box.runner.run({ id: "1", name: "noter", input: {} });
    await box.runner.run({ id: "2", name: "noter", input: {} });
    expect(ids).toEqual([1, 2]);
  });

  it("answers a call whose context cannot be made", async () => {
    const box = new ToolRegistry().register(tool("a")).toToolBox(() => {
      throw new HaftError(
        "BACKEND_UNAVAILABLE",
        'Did not open "far": it does not answer. Start it, then repeat the call.',
      );
    });
    const outcome = await box.runner.run({ id: "7", name: "a", input: {} });
    expect(outcome).toMatchObject({ id: "7", isError: true, status: "failed", code: "BACKEND_UNAVAILABLE", audit: "" });
    expect(outcome.output).toContain("Start it");
  });

  it("offers `on` only where there is more than one backend", () => {
    const box = new ToolRegistry().register(tool("a")).toToolBox(() => bareContext());
    expect(box.descriptors(["local"])[0]?.parameters).toEqual({});
    expect(box.descriptors(["local", "box"])[0]?.parameters).toMatchObject({
      properties: { on: { enum: ["local", "box"] } },
    });
  });
});
