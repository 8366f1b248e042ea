import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { built } from "../../../../testing/built.fixture.js";
import { cliPlace } from "../../../../testing/cli-place.fixture.js";

const place = cliPlace();
beforeEach(() => {
  mkdirSync(join(place.root, "bin"));
  const haft = `#!/bin/sh\nexec "${process.execPath}" "${built("surfaces/cli/main.js")}" "$@"\n`;
  writeFileSync(join(place.root, "bin", "haft"), haft, { mode: 0o755 });
  writeFileSync(join(place.workspace, "a.txt"), "one\ntwo\n");
});

function sh(line: string, more: Record<string, string> = {}): string {
  const env = place.env({
    PATH: `${join(place.root, "bin")}:${process.env.PATH}`,
    TERM: "xterm",
    ...more,
  });
  const done = spawnSync("sh", ["-c", line], { cwd: place.workspace, env, encoding: "utf8", timeout: 30_000 });
  return done.stdout + done.stderr;
}
const GNU_SCRIPT = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");
const GNU_TAIL = /GNU/.test(spawnSync("tail", ["--version"], { encoding: "utf8" }).stdout ?? "");
const inTerminal = (line: string, more: Record<string, string> = {}) =>
  sh(`script -qec ${JSON.stringify(line)} /dev/null < /dev/null`, more);

describe.skipIf(!GNU_SCRIPT)("on a terminal (skipped without script of util-linux)", () => {
  it("the output of a command is shown while it runs, without what it would do to the terminal", () => {
    writeFileSync(join(place.workspace, "slow.sh"), "printf 'early \\033[5mline\\n'; sleep 3; echo late\n");
    const shown = inTerminal("haft call bash command='sh slow.sh'");
    const [first, last] = [shown.indexOf("early line"), shown.lastIndexOf("\u001b[J")];
    expect(first).toBeGreaterThan(-1);
    expect(last).toBeGreaterThan(first);
    expect(shown.slice(last)).toContain("late");
    expect(shown).not.toContain("\u001b[5m");
  });

  it("a diff has colours, unless NO_COLOR is set", () => {
    const edit = (from: string, to: string) => `haft call edit path=a.txt oldText=${from} newText=${to}`;
    expect(inTerminal(edit("two", "three"))).toMatch(/\u001b\[31m-two[^\n]*\n[^\n]*\u001b\[32m\+three/);
    const plain = inTerminal(edit("three", "four"), { NO_COLOR: "1" });
    expect(plain).toContain("+four");
    expect(plain).not.toContain("\u001b[");
    expect(sh(edit("four", "five"), { FORCE_COLOR: "1" })).toMatch(/^\+five$/m);
  });
});

it.skipIf(!GNU_TAIL)(
  "a call that prints nothing is cancelled once its reader is gone (skipped without GNU tail)",
  () => {
    const said = sh("haft call bash command='sleep 20; touch late' | true");
    expect(said).toBe("haft: cancelling: stdout was closed.\n");
    expect(existsSync(join(place.workspace, "late"))).toBe(false);
    // A reader that is there does not end it.
    expect(sh("haft call bash command='sleep 2; echo end' | cat")).toContain("end");
  },
);
