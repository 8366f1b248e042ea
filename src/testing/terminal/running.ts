/** Commands in a pane: exact texts, exit codes, output, time, and the panes that they take. */
import { DEFAULT_PANE } from "../../kernel/index.js";
import { on, utf8 } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture, plant } from "../fixture.js";
import type { Suite } from "../plan.js";
import { captureWith, dispatchTo, expectPaneRun, expectUsable, paneOutput, runInPane, terminalOf } from "./pane.js";

/** Each is a command, its exit code and its output. */
const COMMANDS: readonly (readonly [command: string, code: number, output: string])[] = [
  ["echo hi", 0, "hi\n"],
  ["true", 0, ""],
  ["false", 1, ""],
  ["exit 42", 42, ""],
  ["(exit 255)", 255, ""],
  ["printf 'no newline'", 0, "no newline"],
  ["printf '\\nblank lines\\n\\n'", 0, "\nblank lines\n\n"],
  ["echo one\necho two", 0, "one\ntwo\n"],
  ["# a comment", 0, ""],
  ["", 0, ""],
  ["echo 'a;'", 0, "a;\n"],
  ["echo a ;", 0, "a\n"],
  ["echo 'tab\there'", 0, "tab\there\n"],
  ["printf '%s\\n' '!! !1 $HOME `x` \"q\" \\a #{pane_id} ~ %end'", 0, '!! !1 $HOME `x` "q" \\a #{pane_id} ~ %end\n'],
  ["echo it\\'s", 0, "it's\n"],
  ["printf '%s\\n' é€😀", 0, "é€😀\n"],
  ["set -e; false; echo no", 1, ""],
  ["set -e; true; echo yes", 0, "yes\n"],
  ["exec echo replaced", 0, "replaced\n"],
  ["tools=1; echo tools; echo $tools", 0, "tools\n1\n"],
  ["trap 'echo trapped' EXIT; exit 5", 5, "trapped\n"],
  ["cd / && pwd", 0, "/\n"],
  ["test -t 1 && echo terminal", 0, "terminal\n"],
  ["echo err >&2", 0, "err\n"],
];

export const terminalRunning: Suite<Fixture> = [
  on(
    "terminal:run:exact",
    "A command runs as it is written, and its exit code and output are reported",
    async (fixture) => {
      for (const [command, code, output] of COMMANDS)
        expectPaneRun(await runInPane(fixture, command), code, output, JSON.stringify(command));
    },
  ),
  on("terminal:run:leading-dash", "A command may begin with a dash", async (fixture) => {
    const result = await runInPane(fixture, "-no-such-command");
    expectEqual(result.exit, { by: "code", code: 127 }, "exit");
    await expectUsable(fixture);
  }),
  on("terminal:run:long-command", "A command of 200 KB is exact", async (fixture) => {
    const text = "0123456789;'\"$ \\!\t\n".repeat(11_000);
    const command = `cat > long <<'THE-END'\n${text}\nTHE-END\nwc -c < long | tr -d ' '`;
    expectPaneRun(await runInPane(fixture, command), 0, `${text.length + 1}\n`, "a long command");
    expectEqual(await bindAll(fixture).fs.readText(`${fixture.directory}/long`), `${text}\n`, "the bytes");
  }),
  on("terminal:run:isolated", "A command does not change the shell of the pane", async (fixture) => {
    await runInPane(fixture, "cd /; haft_left=1; set -f; alias ls=false");
    const result = await runInPane(fixture, 'echo "${haft_left-unset}"; ls -d /*/..');
    expectEqual(paneOutput(result).split("\n")[0], "unset", "the variable");
    expectThat(!paneOutput(result).includes("*"), "globs work");
  }),
  on("terminal:run:cwd-env-input", "Directory, variables and stdin are those that were given", async (fixture) => {
    const env = { HAFT_A: "one two\nthree", HAFT_B: "it's" };
    const command = 'pwd; printf "%s|" "$HAFT_A" "$HAFT_B"; cat';
    const result = await runInPane(fixture, command, { env, input: utf8("in;\nput") });
    expectPaneRun(result, 0, `${fixture.directory}\none two\nthree|it's|in;\nput`, "the command");
  }),
  on("terminal:run:no-directory", "In a directory that does not exist nothing runs", async (fixture) => {
    const result = await runInPane(fixture, "echo ran", { cwd: `${fixture.directory}/absent` });
    expectEqual([result.began, result.ended, result.exit], ["no", "spawn-error", { by: "none" }], "how it ended");
    expectThat(result.problem?.includes("absent") === true, "the problem names the directory");
    await expectUsable(fixture);
  }),
  on(
    "terminal:run:directory-elsewhere",
    "A directory that resolves elsewhere is authorized before anything runs",
    async (fixture) => {
      const { fs } = bindAll(fixture);
      await fs.mkdir(`${fixture.directory}/out`, true);
      await plant(fixture, { kind: "link", path: `${fixture.directory}/link`, target: "out" });
      const cwd = `${fixture.directory}/link`;
      await expectError(runInPane(fixture, "echo ran > marker", { cwd }), "POLICY_DENIED", "the real directory");
      expectEqual(await fs.exists(`${fixture.directory}/out/marker`), false, "it ran");
      const result = await runInPane(fixture, "pwd -P", { cwd, real: `${fixture.directory}/out` });
      expectPaneRun(result, 0, `${fixture.directory}/out\n`, "with the approved real directory");
    },
  ),
  on("terminal:run:unclaimed", "What the call did not claim is not typed", async (fixture) => {
    const terminal = terminalOf(fixture);
    const cwd = fixture.directory;
    await expectError(terminal.run(DEFAULT_PANE, "echo ran > marker", { cwd }), "CALL_UNCLAIMED", "run");
    await expectError(terminal.dispatch(DEFAULT_PANE, "echo ran > marker", { cwd }), "CALL_UNCLAIMED", "dispatch");
    expectEqual(await bindAll(fixture).fs.exists(`${cwd}/marker`), false, "it ran");
  }),
  on("terminal:run:all-lines", "10,000 lines are all there, whatever the pane keeps", async (fixture) => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `${index + 1}\n`).join("");
    const command = "i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); echo $i; done";
    expectPaneRun(await runInPane(fixture, command), 0, lines, "the lines");
  }),
  on("terminal:run:keep", "Kept and omitted bytes are what was produced", async (fixture) => {
    const { stdout, stderr, merged } = await runInPane(fixture, "printf '0123456789%.0s' 1 2 3 4 5 6 7 8 9 10", {
      keep: { head: 12, tail: 8 },
    });
    expectEqual([stdout.head.length, stdout.tail.length, stdout.omittedBytes], [12, 8, 80], "stdout");
    expectEqual([stdout.produced, stdout.final, stderr.produced, merged], [100, true, 0, true], "streams");
  }),
  on("terminal:run:listener", "A listener gets the output while the command runs", async (fixture) => {
    const seen: string[] = [];
    const controller = new AbortController();
    const result = await runInPane(fixture, "echo first; sleep 600", {
      signal: controller.signal,
      graceMs: 2_000,
      onOutput(_stream, bytes, offset) {
        seen.push(`${offset}:${new TextDecoder().decode(bytes)}`);
        controller.abort();
      },
    });
    expectEqual([result.ended, seen[0]], ["cancelled", "0:first\n"], "what was heard");
    await expectUsable(fixture);
  }),
  on("terminal:run:deadline", "At the deadline the command gets TERM, and the pane stays usable", async (fixture) => {
    const result = await runInPane(fixture, "echo before; sleep 600; echo after", { timeoutMs: 700, graceMs: 5_000 });
    expectEqual([result.began, result.ended, result.tree.endedBy], ["yes", "deadline", "TERM"], "how it ended");
    expectThat(paneOutput(result).startsWith("before\n"), "the output is kept");
    expectThat(!paneOutput(result).includes("after"), "it did not continue");
    await expectUsable(fixture, result.pane);
  }),
  on(
    "terminal:run:deadline-kill",
    "A command that ignores TERM gets KILL, and the pane stays usable",
    async (fixture) => {
      const command = "trap '' TERM; echo before; while :; do sleep 0.05; done";
      const result = await runInPane(fixture, command, { timeoutMs: 700, graceMs: 300 });
      expectEqual([result.ended, result.tree.endedBy], ["deadline", "KILL"], "how it ended");
      expectThat(paneOutput(result).startsWith("before\n"), "the output is kept");
      expectThat(!(result.exit.by === "code" && result.exit.code === 0), "it is not a success");
      await expectUsable(fixture, result.pane);
    },
  ),
  on("terminal:run:aborted-before", "With an aborted signal, or no time, nothing is typed", async (fixture) => {
    for (const options of [{ signal: AbortSignal.abort() }, { timeoutMs: 0 }]) {
      const result = await runInPane(fixture, "echo ran > marker", options);
      expectEqual(result.began, "no", "began");
    }
    await expectUsable(fixture);
    expectEqual(await bindAll(fixture).fs.exists(`${fixture.directory}/marker`), false, "it ran");
  }),
  on(
    "terminal:run:killed",
    "A command that kills its own group ends, not with success, and the pane stays usable",
    async (fixture) => {
      for (const signal of ["TERM", "KILL", "INT"]) {
        const result = await runInPane(fixture, `echo before; kill -${signal} 0; sleep 1; exit 0`);
        expectEqual(result.ended, "itself", `ended by ${signal}`);
        expectThat(!(result.exit.by === "code" && result.exit.code === 0), `${signal} is not a success`);
        await expectUsable(fixture, result.pane);
      }
    },
  ),
  on("terminal:run:keys-reach-it", "Keys reach the command: Ctrl-C ends it", async (fixture) => {
    const { pane } = await terminalOf(fixture).open({});
    const running = runInPane(fixture, "echo waits; sleep 600", { pane });
    await captureWith(fixture, pane, "\nwaits");
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    running.then(settle, settle);
    // A shell loses a Ctrl-C that comes while it starts a program.
    while (!isSettled) {
      await terminalOf(fixture).send(pane, [{ key: "C-c" }]);
      await new Promise<void>((resolve) => fixture.clock.timer(300, resolve));
    }
    const { ended, exit } = await running;
    expectEqual([ended, exit.by === "code" && exit.code === 0], ["itself", false], "how it ended");
    await expectUsable(fixture, pane);
    await terminalOf(fixture).close(pane);
  }),
  on("terminal:run:answers-a-question", "What is typed is the stdin of a command without `input`", async (fixture) => {
    const { pane } = await terminalOf(fixture).open({});
    const running = runInPane(fixture, 'printf "na""me? "; read -r name; echo "hello $name"', { pane });
    await captureWith(fixture, pane, "name?");
    await terminalOf(fixture).send(pane, [{ text: "World;" }, { key: "Enter" }]);
    const result = await running;
    expectEqual(paneOutput(result).split("\n").at(-2), "hello World;", "the answer");
    await terminalOf(fixture).close(pane);
  }),
  on("terminal:run:two-at-once", "Commands at once get a pane each", async (fixture) => {
    const names = ["a", "b", "c"];
    const results = await Promise.all(
      names.map((name) =>
        runInPane(fixture, `: > ${name}; until [ -e a ] && [ -e b ] && [ -e c ]; do sleep 0.05; done; echo ${name}`),
      ),
    );
    expectEqual(results.map(paneOutput), ["a\n", "b\n", "c\n"], "outputs");
    expectEqual(new Set(results.map(({ pane }) => pane)).size, 3, "panes");
  }),
  on("terminal:run:busy", "A command is not typed into a pane where one runs", async (fixture) => {
    const { pane } = await terminalOf(fixture).open({});
    await dispatchTo(fixture, pane, "cat > typed; echo en''ded");
    const error = await expectError(runInPane(fixture, "echo ran", { pane }), "TERMINAL_BUSY", "run");
    expectThat(error.message.includes(pane), "the message names the pane");
    await expectError(dispatchTo(fixture, pane, "echo ran"), "TERMINAL_BUSY", "dispatch");
    await terminalOf(fixture).send(pane, [{ key: "C-d" }]);
    await captureWith(fixture, pane, "ended");
    expectEqual(await bindAll(fixture).fs.readText(`${fixture.directory}/typed`), "", "what was typed");
    await terminalOf(fixture).close(pane);
  }),
  on("terminal:run:gone", "In a pane that does not exist nothing runs", async (fixture) => {
    await expectError(runInPane(fixture, "true", { pane: "%4242" }), "TERMINAL_PANE_GONE", "run");
  }),
];
