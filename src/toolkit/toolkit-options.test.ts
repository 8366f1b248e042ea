/** Options of `createToolkit` that are refused, and what the refusal says. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemoryBackend } from "../backends/memory/index.js";
import { defineTool, text } from "../kernel/index.js";
import { createToolkit, type Toolkit, type ToolkitOptions } from "./index.js";

let root: string;
const open: Toolkit[] = [];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-options-")));
  writeFileSync(join(root, "outside.txt"), "secret\n");
});
afterEach(async () => {
  for (const toolkit of open.splice(0)) await toolkit.close();
  rmSync(root, { recursive: true, force: true });
});

async function inMemory(options: ToolkitOptions): Promise<Toolkit> {
  const toolkit = await createToolkit({ on: "m", backends: { m: createMemoryBackend() }, persist: false, ...options });
  open.push(toolkit);
  return toolkit;
}

describe("a toolkit", () => {
  it("names what there is for an unknown target, dialect or workspace", async () => {
    await expect(createToolkit({ on: "mars" })).rejects.toThrow(/"mars".*posix:dash/);
    await expect(createToolkit({ dialect: "hft" })).rejects.toThrow(/"hft".*"haft"/);
    await expect(createToolkit({ workspace: "relative" })).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  });

  it("refuses a workspace of this machine that is not there", async () => {
    const absent = join(root, "nope");
    const refusal = {
      code: "CONFIG_INVALID",
      message: `Did not find the workspace "${absent}": no such directory. Pass an existing directory.`,
    };
    await expect(createToolkit({ workspace: absent })).rejects.toMatchObject(refusal);
    await expect(createToolkit({ workspace: absent, on: "posix:sh" })).rejects.toMatchObject(refusal);
    await expect(createToolkit({ workspace: join(root, "outside.txt") })).rejects.toThrow(/it is not a directory/);
    await expect(inMemory({ workspace: absent })).resolves.toBeDefined();
  });

  it("refuses an option that there is not, and names the nearest", async () => {
    const misspelt = { wrkspace: "." } as ToolkitOptions;
    await expect(createToolkit(misspelt)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: "`createToolkit` has no option `wrkspace`. Did you mean `workspace`?",
    });
  });

  it("refuses a policy and an approver without their method", async () => {
    await expect(createToolkit({ policy: {} as never })).rejects.toThrow(
      "`policy` of `createToolkit` has no method `decide`",
    );
    await expect(createToolkit({ approver: {} as never })).rejects.toThrow(
      "`approver` of `createToolkit` has no method `ask`",
    );
  });

  it("refuses a choice that there is not: a limit that is not understood does not count as none", async () => {
    for (const [given, why] of [
      [
        { autonomy: "some" },
        'The option `autonomy` of `createToolkit` is "some". It takes "readonly", "supervised", "full".',
      ],
      [{ gate: "On" }, 'The option `gate` of `createToolkit` is "On". It takes "off", "handle", "write", "on".'],
      [{ toolSettings: { write: { gate: "no" } } }, 'The option `toolSettings.write.gate` of `createToolkit` is "no".'],
      [{ gate: null }, "The option `gate` of `createToolkit` is null."],
    ] as const) {
      await expect(createToolkit(given as unknown as ToolkitOptions)).rejects.toThrow(why);
    }
    await expect(inMemory({ toolSettings: { bash: null } } as unknown as ToolkitOptions)).resolves.toBeDefined();
  });

  it("refuses tools that were not defined, and two of one name", async () => {
    const tool = defineTool({ name: "twice", description: "", input: {}, run: () => text("") });
    const refusing = (...tools: unknown[]) =>
      expect(createToolkit({ tools: tools as ToolkitOptions["tools"] & object })).rejects;
    await refusing({}).toMatchObject({
      code: "REGISTRY_INVALID_TOOL",
      message: expect.stringMatching(/^Did not take tools\[0\]: .*`defineTool`/),
    });
    await refusing({}).toThrow("made by `defineTool`, or by `fromAiSdk` or `fromLangChain`.");
    const asObject = createToolkit({ tools: { twice: tool } } as unknown as ToolkitOptions);
    await expect(asObject).rejects.toThrow("The option `tools` of `createToolkit` must be a list of tools.");
    await refusing(tool, null).toThrow(/tools\[1\]/);
    await refusing(tool, tool).toMatchObject({
      code: "REGISTRY_INVALID_TOOL",
      message: expect.stringMatching(/tools\[1\].*"twice" like tools\[0\]/),
    });
  });
});
