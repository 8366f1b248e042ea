import { spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { built } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";

const place = cliPlace({ scope: "all" });

/** Runs Node.js in a directory that is deleted before it starts. */
function inDeleted(...args: readonly string[]) {
  const gone = mkdtempSync(join(place.root, "gone-"));
  const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
  const env = place.env();
  return spawnSync("sh", ["-c", script, "sh", gone, process.execPath, ...args], { encoding: "utf8", env, input: "" });
}
const haft = (line: string) => inDeleted(built("surfaces/cli/main.js"), ...line.split(" "));

describe("in a directory that was deleted", () => {
  it.each([
    "tools",
    "tools read",
    "call time",
    "call read path=x --workspace relative",
    "serve --stdio",
    "serve --once",
    "connect cursor",
    "connect",
    "doctor",
    "cost",
    "init",
    "audit",
    "jobs list",
    "sessions list",
    "artifacts list",
    "token list",
  ])("haft %s says so and exits 2", (line) => {
    const { status, stdout, stderr } = haft(line);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/^haft: Did not start: the current directory was deleted .*`--workspace DIR`\.\n$/);
  });

  it("what needs no current directory works", () => {
    expect(haft("--version").status).toBe(0);
    expect(haft(`call bash command=pwd --workspace ${place.workspace}`).stdout).toContain(place.workspace);
    expect(haft(`tools --workspace ${place.workspace}`).status).toBe(0);
  });

  it("the library says which option is missing", () => {
    const program = `
      import { createToolkit } from ${JSON.stringify(built("index.js"))};
      const toolkit = await createToolkit({ autonomy: "full" });
      const { code, output } = await toolkit.box().runner.run({ id: "1", name: "bash", input: { command: "true" } });
      console.log(code, output);
      await toolkit.close();`;
    const file = join(place.root, "program.mjs");
    writeFileSync(file, program);
    const { stdout, stderr } = inDeleted(file);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^BACKEND_UNAVAILABLE .*Pass a `workspace`/);
  });
});
