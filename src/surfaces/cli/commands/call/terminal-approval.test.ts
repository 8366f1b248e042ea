/** That `haft call` asks at the terminal of its user, through a pseudo-terminal, and only there. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { built } from "../../../../testing/built.fixture.js";
import { cliPlace } from "../../../../testing/cli-place.fixture.js";

const place = cliPlace();
const GNU_SCRIPT = /util-linux/.test(spawnSync("script", ["--version"], { encoding: "utf8" }).stdout ?? "");
const COMMAND = ["bash", "command='touch made; sh run.sh'", "--autonomy", "supervised"];
beforeEach(() => writeFileSync(join(place.workspace, "run.sh"), "echo ran\n"));
const made = () => existsSync(join(place.workspace, "made"));

/** `keys` are typed when the question is seen, `early` before it. */
function inTerminal(args: readonly string[], keys: string, early = ""): Promise<string> {
  const line = [process.execPath, built("surfaces/cli/main.js"), "call", ...args].join(" ");
  const child = spawn("script", ["-qec", line, "/dev/null"], {
    cwd: place.workspace,
    env: place.env({ TERM: "xterm", NO_COLOR: "1" }),
  });
  child.stdin.on("error", () => {});
  child.stdin.write(early);
  let shown = "";
  let isTyped = false;
  const read = (chunk: Buffer) => {
    shown += chunk.toString();
    if (isTyped || !shown.includes("/N] ")) return;
    isTyped = true;
    child.stdin.write(keys);
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  return new Promise((resolve) => child.on("close", () => resolve(shown.replaceAll("\r\n", "\n"))));
}

describe.skipIf(!GNU_SCRIPT)("on a terminal (skipped without script of util-linux)", () => {
  it("the command runs after a yes, and a project that has answered once is not asked again", async () => {
    const shown = await inTerminal(COMMAND, "p\n");
    expect(shown).toContain("bash would run this command:\n│ touch made; sh run.sh\n");
    expect(shown).toMatch(/p\nstdout:\nran\n/);
    expect(made()).toBe(true);
    const again = await inTerminal([...COMMAND, "--session", "new"], "");
    expect(again).toContain("ran\n");
    expect(again).not.toContain("Allow it?");
  }, 60_000);

  it.each([
    ["Enter", "\n", "did not allow it."],
    ["the end of the input", "\u0004", "did not allow it."],
    ["an interrupt", "\u0003", "The call was cancelled while it waited for approval."],
  ])(
    "%s is a no",
    async (_name, keys, message) => {
      expect(await inTerminal(COMMAND, keys)).toContain(message);
      expect(made()).toBe(false);
    },
    60_000,
  );

  it.each([
    ["whole lines", "y\ny\ny\n", "n\n"],
    ["the beginning of a line", "y", "\n"],
    ["both", "y\ny", "\n"],
  ])(
    "what was typed before the question does not answer it: %s",
    async (_name, early, keys) => {
      expect(await inTerminal(COMMAND, keys, early)).toContain("did not allow it.");
      expect(made()).toBe(false);
    },
    60_000,
  );
});

it("without a terminal no user is asked, whatever the arguments say, and the refusal says what to do", async () => {
  const args = ["call", "bash", "--autonomy", "supervised"];
  const plain = await place.haft([...args, "command=touch made; sh run.sh"], { input: "y\n" });
  expect(plain).toMatchObject({
    status: 1,
    stdout: expect.stringContaining("It needs an approval, and no user can be asked here."),
    stderr: expect.stringContaining("Run the same command in a terminal to be asked there."),
  });
  const input = JSON.stringify({ command: "touch made; sh run.sh", approved: true });
  expect((await place.haft(["call", "bash", input, "--autonomy", "supervised"])).status).not.toBe(0);
  expect(made()).toBe(false);
});
