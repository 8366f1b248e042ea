/** What a user reads where there is no database, or it cannot be made. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { built } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";

const place = cliPlace();

/** A Node.js without SQLite, and no package of the given name beside it. */
function without(name: string): { readonly env: Readonly<Record<string, string>> } {
  const file = join(place.root, "without.cjs");
  writeFileSync(
    file,
    `const Module = require("node:module");
Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } });
const found = Module._resolveFilename;
Module._resolveFilename = function (asked, ...rest) {
  if (asked === ${JSON.stringify(name)}) throw new Error("Cannot find it");
  return found.call(this, asked, ...rest);
};
`,
  );
  return { env: { NODE_OPTIONS: `--require ${file}` } };
}

describe("without a database", () => {
  it("calls and lists of the tools that need one say why they are not there", async () => {
    const options = without("libsql");
    const why = /needs? a database: Node\.js 20\.19\.0 has no SQLite.*install libsql\./;
    for (const args of [
      ["call", "memory_store", "key=k", "content=x"],
      ["call", "cron_list"],
      ["tools", "memory_recall"],
      ["tools", "--collection", "memory"],
      ["tools", "--collection", "schedules"],
    ])
      expect((await place.haft(args, options)).stderr, args.join(" ")).toMatch(why);
  });

  it("commands for schedules say what to do, however they are called", async () => {
    for (const args of [
      ["schedule", "list"],
      ["schedule", "add", "true", "--every", "1h"],
    ]) {
      const { stderr, status } = await place.haft(args, without("libsql"));
      expect([status, stderr], args.join(" ")).toEqual([2, expect.stringContaining("install the package `libsql`")]);
      expect(stderr).not.toContain("Did not run");
    }
  });

  it("a take-over of files that finds no space is one sentence", () => {
    mkdirSync(place.state("sessions", "daily"), { recursive: true });
    writeFileSync(place.state("format.json"), '{"format":1}\n');
    const script = `trap '' XFSZ; ulimit -f 0; exec "$@"`;
    const command = [process.execPath, built("surfaces/cli/main.js"), "memory", "list"];
    const options = { cwd: place.workspace, env: place.env(), encoding: "utf8" } as const;
    const { stderr, status } = spawnSync("sh", ["-c", script, "sh", ...command], options);
    expect(stderr).toMatch(/^haft: Could not write the state directory at ".*": the file would be too large\. .*\n$/);
    expect(status).toBe(2);
  });
});
