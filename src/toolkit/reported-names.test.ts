import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createToolkit, type Toolkit } from "./index.js";

let directory: string;
let toolkit: Toolkit;
beforeEach(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-names-")));
  toolkit = await createToolkit({ autonomy: "full", workspace: directory, persist: false, gate: "off" });
});
afterEach(async () => {
  await toolkit.close();
  rmSync(directory, { recursive: true, force: true });
});

let calls = 0;
async function run(name: string, input: object): Promise<string> {
  const { content } = await toolkit.box().runner.run({ id: `call-${++calls}`, name, input });
  return content.map((block) => (block.kind === "text" ? block.text : "")).join("\n");
}

describe("a name that a search or a listing prints", () => {
  it("of a directory called ~ is the same everywhere, and means it when it is sent back", async () => {
    mkdirSync(join(directory, "~"));
    writeFileSync(join(directory, "~", "here.txt"), "marked\n");
    writeFileSync(join(directory, "~notes"), "tilde\n");
    expect((await run("ls", {})).split("\n").slice(1)).toEqual(["dir  0 ./~/", "file 6 ./~notes"]);
    expect((await run("find", { query: "*" })).split("\n")).toEqual(["./~/", "./~/here.txt", "./~notes"]);
    expect(await run("grep", { pattern: "marked" })).toBe("./~/here.txt:1: marked");
    expect(await run("ls", { path: "./~/" })).toContain("here.txt");
    expect(await run("find", { query: "*", path: "./~/" })).toBe("./~/here.txt");
    expect(await run("grep", { pattern: "marked", path: "./~/" })).toBe("./~/here.txt:1: marked");
    expect(await run("read", { path: "./~/here.txt" })).toContain("marked");
    expect(await run("edit", { path: "./~/here.txt", oldText: "marked", newText: "edited" })).toContain("Edited");
    expect(await run("bash", { command: "cat ./~/here.txt ./~notes" })).toContain("edited\ntilde");
  });

  it("in quotes is a JSON string, and names the file when it is sent back", async () => {
    for (const name of ["two\nlines.txt", "tab\there", "b:7", "exe\u202egpj"]) {
      writeFileSync(join(directory, name), "marked\n");
      const row = (await run("grep", { pattern: "marked" })).split("\n")[0] ?? "";
      const reported = /^(".*"):1: marked$/.exec(row)?.[1] ?? "";
      expect([name, JSON.parse(reported)]).toEqual([name, name]);
      expect(await run("read", { path: JSON.parse(reported) })).toContain("marked");
      rmSync(join(directory, name));
    }
  });
});
