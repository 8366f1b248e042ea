import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Finished } from "../../../testing/built.fixture.js";
import { cliPlace } from "../../../testing/cli-place.fixture.js";
import { parseConfig } from "../../../toolkit/index.js";

const place = cliPlace();
const haft = (...args: readonly string[]): Promise<Finished> => place.inProcess(args);

/** The text with every commented-out setting in force. */
const allInForce = (text: string): string => text.replace(/^ {2}\/\/ (?=")/gm, "  ");

describe("haft init", () => {
  it("writes a configuration that changes nothing, and whose every line may be put in force", async () => {
    const done = await haft("init");
    expect(done).toMatchObject({ status: 0, stderr: "" });
    expect(done.stdout).toContain(join(place.workspace, "haft.jsonc"));
    const text = readFileSync(join(place.workspace, "haft.jsonc"), "utf8");
    expect(Object.keys(await parseConfig(text, "x"))).toEqual(["$schema"]);
    const all = await parseConfig(allInForce(text), "x");
    expect(Object.keys(all)).toEqual(["$schema", "dialect", "tools", "autonomy", "policy", "workspace", "serve"]);
    expect((await haft("tools")).stderr).toBe("");
  });

  it("writes the user's own file, with what only they decide", async () => {
    expect((await haft("init", "--user")).status).toBe(0);
    const text = readFileSync(join(place.home, ".config", "haft", "haft.jsonc"), "utf8");
    const all = await parseConfig(allInForce(text), "x");
    expect(Object.keys(all)).toEqual([
      "$schema",
      "dialect",
      "tools",
      "autonomy",
      "policy",
      "on",
      "env",
      "state",
      "artifacts",
      "servers",
      "trust",
    ]);
  });

  it("never writes over what is there", async () => {
    writeFileSync(join(place.workspace, "haft.jsonc"), "// mine\n");
    const done = await haft("init");
    expect(done).toMatchObject({ status: 2, stdout: "" });
    expect(done.stderr).toContain("the file already exists.");
    expect(readFileSync(join(place.workspace, "haft.jsonc"), "utf8")).toBe("// mine\n");
    rmSync(join(place.workspace, "haft.jsonc"));
    symlinkSync(join(place.root, "nowhere"), join(place.workspace, "haft.jsonc"));
    expect((await haft("init")).status).toBe(2);
    expect(readdirSync(place.root).sort()).toEqual(["home", "project"]);
  });

  it("prints it and writes nothing", async () => {
    const done = await haft("init", "--print");
    expect(done.stdout).toContain('"$schema"');
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  it("names the schema of the package, where an editor finds it", async () => {
    const { $schema = "" } = await parseConfig((await haft("init", "--print")).stdout, "x");
    const schema = JSON.parse(readFileSync(fileURLToPath($schema), "utf8")) as { title: string };
    expect(schema.title).toBe("Haft configuration");
    mkdirSync(join(place.workspace, "node_modules"));
    symlinkSync(fileURLToPath(new URL("../../../..", import.meta.url)), join(place.workspace, "node_modules", "haft"));
    const installed = await parseConfig((await haft("init", "--print")).stdout, "x");
    expect(installed.$schema).toBe("./node_modules/haft/config.schema.json");
  });
});
