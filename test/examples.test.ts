import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { built, cleanEnv } from "../src/testing/built.fixture.js";
import { REPOSITORY } from "./architecture/source-tree.js";

const directory = join(REPOSITORY, "examples");
const names = readdirSync(directory).filter((name) => name.endsWith(".mjs"));
/** Those that need an SDK are run by `test/sdks/play-examples.mjs`. */
const needsSdk = (name: string) => / from "(?!node:|haft["/])/.test(readFileSync(join(directory, name), "utf8"));
/** Imported by others, and run with them. */
const SHARED = ["ask-at-terminal.mjs"];
const own = names.filter((name) => !needsSdk(name) && !SHARED.includes(name));

describe("the examples", () => {
  it("stand in the list with a line each, in no other number", () => {
    const listed = [...readFileSync(join(directory, "README.md"), "utf8").matchAll(/^\| \[([^\]]+)\]/gm)];
    expect(listed.map(([, name]) => name).sort()).toEqual([...names].sort());
  });

  it.each(own)("%s runs and checks itself", (name) => {
    built("index.js");
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(directory, name)], {
      encoding: "utf8",
      env: cleanEnv(directory),
    });
    expect([status, stderr, stdout.trimEnd().split("\n").at(-1)]).toEqual([0, "", "ok"]);
  });

  it("that ask at the terminal run one of two commands that are asked about at the same time, for y and n", () => {
    built("index.js");
    const program = join(REPOSITORY, "test/two-questions.fixture.mjs");
    const options = { encoding: "utf8", env: cleanEnv(directory), timeout: 20_000 } as const;
    const { stdout, stderr } = spawnSync(process.execPath, [program], options);
    expect([stderr, JSON.parse(stdout || "{}")]).toEqual(["", { shown: 2, statuses: ["ok", "denied"] }]);
  });
});
