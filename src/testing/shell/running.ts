/** What a command gets and what it returns. */

import { on, utf8 } from "../case-setup.js";
import { expectBytes, expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { expectExit, run, stderrOf, stdoutOf } from "./run.js";

export const shellRunning: Suite<Fixture> = [
  on("shell:exec:streams-apart", "Standard output and standard error are separate", async (fixture) => {
    const result = await run(fixture, "echo out; echo err >&2");
    expectExit(result, 0, "exit");
    expectEqual([stdoutOf(result), stderrOf(result)], ["out\n", "err\n"], "streams");
    expectThat(
      Number.isInteger(result.startedMs) && Number.isInteger(result.tookMs) && result.tookMs >= 0,
      "times are whole milliseconds",
    );
    expectEqual([result.stdout.final, result.stderr.final], [true, true], "final");
  }),
  on("shell:tree:gone", "The tree of a command without survivors is gone", async (fixture) => {
    const { tree } = await run(fixture, "echo x | cat; false; true");
    expectEqual([tree.state, tree.survivors.length, tree.endedBy], ["gone", 0, null], "tree");
  }),
  on("shell:exit:zero-and-one", "Exit codes 0 and 1 are results", async (fixture) => {
    expectExit(await run(fixture, "true"), 0, "true");
    expectExit(await run(fixture, "false"), 1, "false");
  }),
  on("shell:exit:any-code", "exit ends the command at once with its code", async (fixture) => {
    const result = await run(fixture, "echo before; exit 42; echo after");
    expectExit(result, 42, "exit 42");
    expectEqual(stdoutOf(result), "before\n", "stdout");
    expectExit(await run(fixture, "exit 255"), 255, "exit 255");
    expectExit(await run(fixture, "exit 128"), 128, "exit 128");
  }),
  on("shell:exit:137-is-a-code", "exit 137 is distinguished from SIGKILL", async (fixture) => {
    expectEqual((await run(fixture, "exit 137")).exit, { by: "code", code: 137 }, "exit 137");
  }),
  on("shell:exit:signal", "A command killed by a signal has that signal and no exit code", async (fixture) => {
    expectEqual((await run(fixture, "kill -9 $$")).exit, { by: "signal", signal: "KILL" }, "kill -9");
    expectEqual((await run(fixture, "kill -TERM $$")).exit, { by: "signal", signal: "TERM" }, "kill -TERM");
  }),
  on("shell:exit:over-128-is-an-end", "exit 137 and kill -9 are not successes", async (fixture) => {
    for (const command of ["exit 137", "kill -9 $$"]) {
      const result = await run(fixture, command);
      expectEqual([result.began, result.ended], ["yes", "itself"], command);
      expectThat(
        result.exit.by !== "none" && !(result.exit.by === "code" && result.exit.code === 0),
        "it is not a success",
      );
    }
  }),
  on(
    "shell:exec:unknown-command",
    "An unknown command is exit code 127 with its name on standard error",
    async (fixture) => {
      const result = await run(fixture, "no-such-command-here");
      expectExit(result, 127, "exit");
      expectThat(stderrOf(result).includes("no-such-command-here"), "standard error names the command");
    },
  ),
  on("shell:exec:operators", "; && || and ! of exit codes work as in any shell", async (fixture) => {
    const result = await run(fixture, "false && echo a; true && echo b; false || echo c; true || echo d; false; true");
    expectExit(result, 0, "exit");
    expectEqual(stdoutOf(result), "b\nc\n", "stdout");
  }),
  on("shell:exec:pipe", "A pipe passes all bytes, and the last command decides the exit code", async (fixture) => {
    const { fs } = bindAll(fixture);
    await fs.writeFile(`${fixture.directory}/lines`, "x\n".repeat(100_000));
    const result = await run(fixture, "cat lines | cat | wc -l");
    expectExit(result, 0, "exit");
    expectEqual(stdoutOf(result).trim(), "100000", "stdout");
    expectExit(await run(fixture, "false | true"), 0, "false | true");
    expectExit(await run(fixture, "true | false"), 1, "true | false");
  }),
  on("shell:exec:redirections", "Redirections write and read files of the same backend", async (fixture) => {
    const { fs } = bindAll(fixture);
    const result = await run(
      fixture,
      "echo one > file; echo two >> file; cat < file; echo gone 2>/dev/null >/dev/null; echo both >all 2>&1",
    );
    expectExit(result, 0, "exit");
    expectEqual(stdoutOf(result), "one\ntwo\n", "stdout");
    expectEqual(await fs.readText(`${fixture.directory}/file`), "one\ntwo\n", "the file");
    expectEqual(await fs.readText(`${fixture.directory}/all`), "both\n", "the other file");
  }),
  on("shell:exec:quoting", "Quotes, escapes and unset names work as in any shell", async (fixture) => {
    const result = await run(
      fixture,
      `printf '%s|' "a  b" 'c  $HOME' d\\ e "f\\"g" "$UNSET_NAME_HERE" x"y"'z' ''; echo`,
    );
    expectEqual(stdoutOf(result), `a  b|c  $HOME|d e|f"g||xyz||\n`, "stdout");
  }),
  on("shell:exec:lines", "A command of several lines runs line by line", async (fixture) => {
    expectEqual(stdoutOf(await run(fixture, "echo one\n\n# a comment\necho two\n")), "one\ntwo\n", "stdout");
  }),
  on("shell:exec:heredoc", "A here-document is standard input", async (fixture) => {
    const result = await run(fixture, "cat <<'END'\nfirst $HOME\nsecond\nEND\necho after");
    expectEqual(stdoutOf(result), "first $HOME\nsecond\nafter\n", "stdout");
  }),
  on(
    "shell:exec:unbalanced-quote",
    "A command that cannot be parsed is a result with an error, and the next command works",
    async (fixture) => {
      const result = await run(fixture, "echo 'never closed");
      expectEqual([result.began, result.ended], ["yes", "itself"], "how it ended");
      expectThat(result.exit.by === "code" && result.exit.code !== 0, "the exit code is not 0");
      expectThat(result.stderr.produced > 0, "standard error says something");
      expectEqual(stdoutOf(await run(fixture, "echo next")), "next\n", "the next command");
    },
  ),
  on("shell:exec:empty", "An empty command, or only whitespace and comments, is exit code 0", async (fixture) => {
    for (const command of ["", "  ", "\n", "# nothing"])
      expectExit(await run(fixture, command), 0, JSON.stringify(command));
  }),
  on("shell:exec:leading-dash", "A command that starts with a dash is not an option of the shell", async (fixture) => {
    expectExit(await run(fixture, "--version"), 127, "--version");
    expectExit(await run(fixture, "-c 'echo no'"), 127, "-c");
  }),
  on("shell:exec:nul-in-command", "A command with a NUL byte does not run in part", async (fixture) => {
    const result = await run(fixture, "echo ran > marker\0; echo rest").catch(() => null);
    if (result !== null) expectEqual([result.began, result.ended], ["no", "spawn-error"], "how it ended");
    expectEqual(await bindAll(fixture).fs.exists(`${fixture.directory}/marker`), false, "the marker is there");
  }),
  on("shell:exec:long-command", "A command of 200 KB runs", async (fixture) => {
    const result = await run(fixture, `true '${"x".repeat(200_000)}'; echo done`);
    expectExit(result, 0, "exit");
    expectEqual(stdoutOf(result), "done\n", "stdout");
  }),
  on(
    "shell:exec:long-text-survives",
    "100 KB of quoted text with special characters arrive unchanged",
    async (fixture) => {
      const text = `é漢😀 \\ " $x \`y\` %s\t!\n`.repeat(2_500);
      const result = await run(fixture, `printf '%s' '${text}'`);
      expectBytes(result.stdout.head, text, "stdout");
    },
  ),
  on("shell:stdin:none-is-end-of-file", "Without input standard input is at end of file", async (fixture) => {
    const result = await run(fixture, "cat; echo after");
    expectExit(result, 0, "exit");
    expectEqual(stdoutOf(result), "after\n", "stdout");
  }),
  on("shell:stdin:given", "Input arrives unchanged, then end of file", async (fixture) => {
    const input = Uint8Array.of(0, 255, 10, 13, 195, 40, 10, 0);
    // By the unguarded port: a claim has only text.
    const { stdout } = await fixture.backend.root.shell.exec("cat", { cwd: fixture.directory, input });
    expectBytes(stdout.head, input, "stdout");
    expectEqual(stdoutOf(await run(fixture, "cat; echo after", { input: utf8("") })), "after\n", "empty input");
    expectEqual(
      stdoutOf(await run(fixture, "cat", { input: utf8("no newline") })),
      "no newline",
      "input without newline",
    );
  }),
  on("shell:stdin:one-megabyte", "1 MB of input arrives and returns complete", async (fixture) => {
    const input = utf8("0123456789 é\r\n\0".repeat(62_500));
    expectEqual(stdoutOf(await run(fixture, "wc -c", { input })).trim(), "1000000", "count");
    expectBytes((await run(fixture, "cat", { input })).stdout.head, input, "stdout");
  }),
  on("shell:stdin:left-unread", "Input that the command does not read does not block it", async (fixture) => {
    expectExit(await run(fixture, "true", { input: utf8("x".repeat(1_000_000)) }), 0, "true");
    expectEqual(stdoutOf(await run(fixture, "echo next")), "next\n", "the next command");
  }),
  on(
    "shell:env:overlay",
    "env is merged over the environment of the backend: the name is set and PATH stays",
    async (fixture) => {
      const result = await run(fixture, `printf '%s|%s' "$PROBE_A" "$PATH"`, { env: { PROBE_A: "1" } });
      const [probe, path] = stdoutOf(result).split("|");
      expectEqual(probe, "1", "PROBE_A");
      expectThat(path !== undefined && path.length > 0, "PATH is set");
      expectEqual(stdoutOf(await run(fixture, `printf '%s' "$PROBE_A"`)), "", "PROBE_A in the next command");
    },
  ),
  on(
    "shell:env:any-value",
    "A value in env may contain spaces, quotes, newlines and shell metacharacters",
    async (fixture) => {
      const value = ` it's "a" \`b\` $c\n$(d) \\ é漢 `;
      expectEqual(stdoutOf(await run(fixture, `printf '%s' "$PROBE_B"`, { env: { PROBE_B: value } })), value, "stdout");
      expectEqual(
        stdoutOf(await run(fixture, `printf '%s' "$PROBE_B"`, { env: { PROBE_B: "" } })),
        "",
        "an empty value",
      );
    },
  ),
  on("shell:env:replaces", "env replaces an inherited variable", async (fixture) => {
    expectEqual(
      stdoutOf(await run(fixture, `printf '%s' "$HOME"`, { env: { HOME: "/elsewhere" } })),
      "/elsewhere",
      "HOME",
    );
  }),
  on("shell:cwd:given", "A command runs in the given directory", async (fixture) => {
    const { fs } = bindAll(fixture);
    const directory = `${fixture.directory}/a 'b' $c`;
    await fs.mkdir(directory, false);
    expectEqual(stdoutOf(await run(fixture, "pwd; echo x > here", { cwd: directory })), `${directory}\n`, "pwd");
    expectEqual(await fs.readText(`${directory}/here`), "x\n", "a relative file");
  }),
  on("shell:cwd:missing", "A cwd that is missing or a file is a spawn error, and nothing runs", async (fixture) => {
    const { fs } = bindAll(fixture);
    await fs.writeFile(`${fixture.directory}/file`, "x");
    for (const name of ["gone", "file"]) {
      const result = await run(fixture, `echo ran > ${fixture.directory}/marker`, {
        cwd: `${fixture.directory}/${name}`,
      });
      expectEqual([result.began, result.ended, result.exit], ["no", "spawn-error", { by: "none" }], name);
      expectThat(/[^.!?\s]$/.test(result.problem ?? ""), "the problem is named, as a clause without its full stop");
    }
    expectEqual(await fs.exists(`${fixture.directory}/marker`), false, "the marker is there");
  }),
  on("shell:cwd:does-not-carry-over", "cd and variables do not persist between commands", async (fixture) => {
    expectExit(await run(fixture, "cd /; PROBE_C=1; pwd"), 0, "cd");
    expectEqual(
      stdoutOf(await run(fixture, `pwd; echo "[$PROBE_C]"`)),
      `${fixture.directory}\n[]\n`,
      "the next command",
    );
  }),
  on(
    "shell:guard:unclaimed-is-refused",
    "A command, or a directory, that was not claimed is CALL_UNCLAIMED and does not run",
    async (fixture) => {
      const { fs } = bindAll(fixture);
      const cwd = fixture.directory;
      const { shell } = bindAll(fixture, { commands: [{ command: "echo claimed", cwd }] });
      await expectError(shell.exec("echo ran > marker", { cwd }), "CALL_UNCLAIMED", "another command");
      await expectError(shell.exec("echo claimed ; echo ran > marker", { cwd }), "CALL_UNCLAIMED", "a longer command");
      await expectError(shell.exec("echo claimed", { cwd: "/" }), "CALL_UNCLAIMED", "another directory");
      await expectError(shell.spawn("echo ran > marker", { cwd, lifetime: "session" }), "CALL_UNCLAIMED", "spawn");
      expectEqual(await fs.exists(`${cwd}/marker`), false, "the marker is there");
      expectEqual(stdoutOf(await shell.exec("echo claimed", { cwd })), "claimed\n", "the claimed command");
    },
  ),
  on("shell:guard:revoked", "Once the call has ended no command runs", async (fixture) => {
    const { fs } = bindAll(fixture);
    const controller = new AbortController();
    const command = "echo ran > marker";
    const { shell } = bindAll(
      fixture,
      { commands: [{ command, cwd: fixture.directory }] },
      { signal: controller.signal },
    );
    controller.abort();
    await expectError(shell.exec(command, { cwd: fixture.directory }), "CALL_REVOKED", "exec");
    await expectError(shell.spawn(command, { cwd: fixture.directory, lifetime: "session" }), "CALL_REVOKED", "spawn");
    expectEqual(await fs.exists(`${fixture.directory}/marker`), false, "the marker is there");
  }),
];
