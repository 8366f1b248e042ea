import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleForProcess } from "../../../testing/bundle.fixture.js";
import type { FewDescriptorsReported } from "./few-descriptors.fixture.js";

let directory: string;
let script: string;
beforeAll(async () => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-few-")));
  script = await bundleForProcess(new URL("./few-descriptors.fixture.ts", import.meta.url), join(directory, "built"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** As many as Node.js needs to start, and some more. */
const LIMIT = 160;

describe.each(["watched", "unwatched"])("with few descriptors left, %s", (how) => {
  it("a command runs or is reported not to have started, nothing stays open, and all is well again afterwards", () => {
    const [work, temp] = [join(directory, how), join(directory, `${how}-temp`)];
    for (const one of [work, temp]) mkdirSync(one);
    const ran = spawnSync(
      "/bin/sh",
      ["-c", `ulimit -n ${LIMIT}; exec "$0" "$@"`, process.execPath, script, work, how],
      {
        encoding: "utf8",
        env: { PATH: process.env.PATH ?? "", TMPDIR: temp, HOME: work },
      },
    );
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    const { ends, leaked, after } = JSON.parse(ran.stdout) as FewDescriptorsReported;
    const problems = [...new Set(ends.filter((end) => end !== "itself"))];
    expect(problems.filter((problem) => !problem.includes("too many open files"))).toEqual([]);
    expect(problems.length).toBeGreaterThan(0);
    expect(ends.slice(0, 5)).toEqual(["itself", "itself", "itself", "itself", "itself"]);
    expect(ends.slice(-5)).toEqual(["itself", "itself", "itself", "itself", "itself"]);
    expect([leaked, after]).toEqual([0, "again"]);
    expect(readdirSync(temp)).toEqual([]);
  });
});
