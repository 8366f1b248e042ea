import { describe, expect, it } from "vitest";
import { DIALECT_NAMES, dialectNamed } from "./dialect-named.js";
import { builtinRegistry, createToolkit, type ToolSettings } from "./index.js";

describe("tool settings", () => {
  it("leave a tool out of every dialect and collection under Haft's own name", async () => {
    for (const name of DIALECT_NAMES) {
      const dialect = await dialectNamed(name);
      const shown = dialect.tools.bash?.name;
      const registry = builtinRegistry(dialect, { tools: { bash: false } });
      expect([name, registry.names().includes(shown ?? "bash")]).toEqual([name, false]);
      expect(registry.names()).toHaveLength(builtinRegistry(dialect).names().length - (shown === undefined ? 0 : 1));
      for (const group of registry.collectionNames())
        expect(registry.membersOf(group).map((tool) => tool.name)).not.toContain(shown);
    }
  });

  it("make a tool neither shown nor known", async () => {
    await using toolkit = await createToolkit({
      autonomy: "full",
      on: "memory",
      persist: false,
      toolSettings: { bash: false },
    });
    const box = toolkit.box();
    expect(box.descriptors().map(({ name }) => name)).not.toContain("bash");
    const outcome = await box.runner.run({ id: "1", name: "bash", input: { command: "true" } });
    expect(outcome).toMatchObject({ isError: true, status: "unknown-tool" });
  });

  it("are refused for a tool that does not exist, which would stay on under its right name", async () => {
    const of = (toolSettings: ToolSettings) => createToolkit({ autonomy: "full", persist: false, toolSettings });
    await expect(of({ bsh: false })).rejects.toThrow('names "bsh", which is not a built-in tool. Did you mean `bash`?');
    await expect(of({ run_shell: false })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await (await of({ web__search: false })).close();
  });

  it("set the gate of one tool", async () => {
    const secondWrite = async (toolSettings: ToolSettings) => {
      await using toolkit = await createToolkit({ autonomy: "full", on: "memory", persist: false, toolSettings });
      // Each box is a conversation of its own: the second has not read what the first wrote.
      const write = () => toolkit.box().runner.run({ id: "1", name: "write", input: { path: "a", content: "x" } });
      expect(await write()).toMatchObject({ isError: false });
      return (await write()).code;
    };
    expect(await secondWrite({ write: { gate: "off" } })).toBeUndefined();
    expect(await secondWrite({ edit: { gate: "off" } })).toBe("FS_NOT_READ");
  });

  it("are overridden by the gate of the whole host", async () => {
    const dialect = await dialectNamed("haft");
    const gateOf = (registry: ReturnType<typeof builtinRegistry>) =>
      (registry.get("write").presenter?.limits as { gate?: string } | undefined)?.gate;
    expect(gateOf(builtinRegistry(dialect, { tools: { write: { gate: "on" } } }))).toBe("on");
    expect(gateOf(builtinRegistry(dialect, { gate: "off", tools: { write: { gate: "on" } } }))).toBe("off");
  });
});
