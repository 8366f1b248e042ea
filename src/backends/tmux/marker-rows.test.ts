/** What buddy does by markers in the prompt, and Haft in another way. */
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, vi } from "vitest";
import { DEFAULT_PANE } from "../../kernel/index.js";
import { withPrograms } from "../../testing/programs.fixture.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { PLAIN, panesBench, text, until } from "./panes.fixture.js";
import { PANE_SHELLS, type PaneShellName } from "./shells.fixture.js";

vi.setConfig({ testTimeout: 90_000 });

for (const shell of Object.keys(PANE_SHELLS) as PaneShellName[])
  withPrograms(`marks in ${shell}`, ["tmux", PANE_SHELLS[shell][0]], () => {
    const { open } = panesBench();

    verifies(
      ["W1", "W2", "W3", "BD-077"],
      "exit codes are those of the commands, also where the prompt runs programs, and the prompt stays",
      async () => {
        const { terminal, run } = open({ paneShell: PANE_SHELLS[shell] });
        // The status of what the prompt runs is 0, and `\\?` is not an exit code in any of these shells.
        const prompt = "PS1='[$(true)\\?] ~> '; setopt promptsubst 2>/dev/null; echo rea''dy";
        await terminal().send(DEFAULT_PANE, [{ text: prompt }, { key: "Enter" }]);
        const screen = async () => (await terminal().capture(DEFAULT_PANE, PLAIN)).text;
        await until(async () => /\nready\n+\[.*\] ~> *$/.test((await screen()).trimEnd()));
        for (const code of [0, 1, 42, 127, 3]) {
          const { exit, stdout } = await run(`echo one\necho two; (exit ${code})`);
          expect([exit, text(stdout.head)]).toEqual([{ by: "code", code }, "one\ntwo\n"]);
        }
        // A shell prints its prompt after the command has been reported.
        await until(async () => /\[.*\] ~>$/.test((await screen()).trimEnd()));
        expect(text((await run("set")).stdout.head)).not.toMatch(/^(?:PROMPT_COMMAND|precmd|haft_)/m);
      },
    );
  });

withPrograms("stdin and start-up in a pane", ["tmux", "bash"], () => {
  const { open } = panesBench();

  verifies(
    ["BD-082", "W12"],
    "a shell that does not answer is an error after 20 s, and nothing is typed twice",
    async () => {
      const { run, place } = open({ paneShell: ["sh", "-c", "exec sleep 600"] });
      await expect(run("echo ran > ran")).rejects.toMatchObject({
        code: "TERMINAL_BUSY",
        message: expect.stringContaining("its shell did not answer after it was started"),
      });
      expect(existsSync(join(place.directory, "ran"))).toBe(false);
    },
  );

  verifies(
    "BD-083",
    "stdin is in a private file as long as the command runs, also one that fails or is ended",
    async () => {
      const { server, terminal, place } = open();
      const { socket } = await server();
      const staged = () => readdirSync(dirname(socket)).filter((name) => name.startsWith("i"));
      const input = new TextEncoder().encode("s3cret\n");
      const cases = [
        ["cat > got; until [ -e go ]; do sleep 0.02; done", 30_000, "itself"],
        ["cat; exit 3", 30_000, "itself"],
        ["cat; sleep 600", 500, "deadline"],
      ] as const;
      for (const [index, [command, timeoutMs, ended]] of cases.entries()) {
        const grant = { command, cwd: place.directory, input: "s3cret\n" };
        const running = terminal(grant).run(DEFAULT_PANE, command, { cwd: place.directory, input, timeoutMs });
        if (index === 0) {
          await until(() => existsSync(join(place.directory, "got")));
          expect(staged()).toEqual(["i0"]);
          writeFileSync(join(place.directory, "go"), "");
        }
        expect((await running).ended).toBe(ended);
        expect(staged()).toEqual([]);
      }
    },
  );
});
