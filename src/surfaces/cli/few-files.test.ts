import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { built } from "../../testing/built.fixture.js";

it.each([40, 64])(
  "with %s descriptors serve serves, or ends with one sentence that names the limit and what to set",
  (limit) => {
    const home = mkdtempSync(join(tmpdir(), "haft-few-files-"));
    const workspace = join(home, "w");
    mkdirSync(workspace);
    const command = `ulimit -n ${limit}; exec "$0" "$@"`;
    const argv = [
      "-c",
      command,
      process.execPath,
      built("surfaces/cli/main.js"),
      "serve",
      "--stdio",
      "--workspace",
      workspace,
    ];
    const ran = spawnSync("/bin/sh", argv, { cwd: home, input: "", encoding: "utf8", env: { HOME: home } });
    rmSync(home, { recursive: true, force: true });
    // Node.js 22 loads the same modules with fewer files open at once than 20: it serves until its input ends.
    if (ran.status === 0)
      return expect([ran.stdout, ran.stderr]).toEqual(["", expect.stringMatching(/^haft: autonomy [^\n]*\n$/)]);
    expect([ran.status, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toMatch(new RegExp(`^haft: Did not start: .* only ${limit} files, .*ulimit -n 1024[^\n]*\n$`));
  },
);
