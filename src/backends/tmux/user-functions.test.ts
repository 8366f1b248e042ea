/** Functions of a user's start-up files, under the names of what Haft itself calls in a pane. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { withPrograms } from "../../testing/programs.fixture.js";
import { panesBench, text } from "./panes.fixture.js";
import { testPlace } from "./shells.fixture.js";

vi.setConfig({ testTimeout: 60_000 });

/** How a shell of a pane reads `rc` when it starts; `env` runs it. */
const STARTED: Readonly<Record<string, (rc: string, directory: string) => readonly string[]>> = {
  bash: (rc) => ["bash", "--noprofile", "--rcfile", rc, "-i"],
  dash: (rc) => [`ENV=${rc}`, "dash"],
  ash: (rc) => [`ENV=${rc}`, "busybox", "ash"],
  zsh: (_, directory) => [`ZDOTDIR=${directory}`, "zsh", "-d"],
};

/** Other shells refuse functions with the names of their special commands. */
const NAMES = "printf cat cd unalias test echo true false sleep head tr";
const SPECIAL = "[ eval set trap export unset : exit return";

const does = (names: string, what: string) =>
  names
    .split(" ")
    .map((name) => `${name}() { ${what}; }\n`)
    .join("");

/** Panes whose shells have read such functions. */
function functionsBench() {
  const { open, closing } = panesBench();
  return (start: (typeof STARTED)[string], functions: string) => {
    const place = testPlace();
    closing.push(place.remove);
    const directory = join(place.directory, "start");
    mkdirSync(directory);
    for (const name of ["rc", ".zshrc"]) writeFileSync(join(directory, name), functions);
    return open({ paneShell: start(join(directory, "rc"), directory) });
  };
}

withPrograms("functions in the place of what passes over functions", ["tmux", "bash", "dash", "busybox", "zsh"], () => {
  const openWith = functionsBench();

  it.each([
    ["do nothing", does("command builtin", ":")],
    ["hide a failure", does("command builtin", '"$@"; :')],
    ["hide a success", does("command builtin", '"$@"; return 1')],
  ])("that %s: nothing runs, and the error says that the shell does not answer", async (_, functions) => {
    const runs = Object.values(STARTED).map(async (start) => {
      const { run, place } = openWith(start, functions);
      const failed = await run("/bin/echo x > ran").catch((thrown: unknown) => thrown);
      return [failed, existsSync(join(place.directory, "ran"))];
    });
    for (const [failed, ran] of await Promise.all(runs)) {
      expect(failed).toMatchObject({ code: "TERMINAL_BUSY", message: expect.stringContaining("did not answer") });
      expect(ran).toBe(false);
    }
  });
});

for (const [shell, start] of Object.entries(STARTED)) {
  withPrograms(`functions of a user in ${shell}`, ["tmux", start("", "")[shell === "bash" ? 0 : 1] ?? ""], () => {
    const openWith = functionsBench();
    const isSpecialToo = shell === "bash" || shell === "zsh";
    // An empty function, one that fails, one that prints, and one that reads what is not for it.
    it.each([":", "return 3", "/bin/echo shadow", "/bin/cat >/dev/null </dev/null; return 0"])(
      "that do '%s' leave exit code, output and directory as they are",
      async (what) => {
        const { run, terminal, place } = openWith(start, does(isSpecialToo ? `${NAMES} ${SPECIAL}` : NAMES, what));
        for (const code of [0, 7]) {
          const result = await run(`/bin/pwd; /bin/sh -c 'exit ${code}'`);
          expect([result.began, result.exit, text(result.stdout.head)]).toEqual([
            "yes",
            { by: "code", code },
            `${place.directory}\n`,
          ]);
        }
        const missing = await terminal({ command: "/bin/pwd", cwd: "/nowhere" }).run("default", "/bin/pwd", {
          cwd: "/nowhere",
          timeoutMs: 30_000,
        });
        expect([missing.began, missing.ended]).toEqual(["no", "spawn-error"]);
      },
    );

    it("are those that a command calls", async () => {
      const { run } = openWith(start, does("deploy", "/bin/echo mine; return 4"));
      const { stdout, exit } = await run("deploy");
      expect([text(stdout.head), exit]).toEqual(["mine\n", { by: "code", code: 4 }]);
    });
  });
}
