/** Names, directories and texts of a call are never code, and nothing but the judged command runs in a pane. */
import { HaftError } from "../../kernel/index.js";
import { posixQuote } from "../../text/index.js";
import { on, utf8 } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { captureWith, expectPaneRun, expectUsable, runInPane, terminalOf } from "./pane.js";

/** tmux would expand these where it takes a format. */
const FORMATS = ["#(touch MARKED)", "##(touch MARKED)", "#[#(touch MARKED)]", "#{pane_id}", "#[x]##[x]", "#S #", "%H"];

/** Waits until a file that a pane writes has this text. */
async function expectFile(fixture: Fixture, path: string, text: string, what: string): Promise<void> {
  const { fs } = fixture.backend.root;
  const until = fixture.clock.now() + 30_000;
  for (;;) {
    const found = await fs.readText(path).catch(() => "");
    if (found === text || fixture.clock.now() > until) return expectEqual(found, text, what);
    await new Promise<void>((resolve) => fixture.clock.timer(20, resolve));
  }
}

export const terminalGuarding: Suite<Fixture> = [
  on("terminal:open:formats", "The name and the directory of a pane are text, not code", async (fixture) => {
    const { backend, directory } = fixture;
    const terminal = terminalOf(fixture);
    for (const [index, format] of FORMATS.entries()) {
      const text = format.replace("MARKED", `${directory}/marked`);
      const cwd = `${directory}/${text}`;
      await backend.root.shell.exec(`mkdir -p -- ${posixQuote(cwd)}`, { cwd: "/" });
      const { pane } = await terminal.open({ name: text, cwd });
      const was = `${directory}/was-${index}`;
      await terminal.send(pane, [{ text: `pwd > ${posixQuote(was)}` }, { key: "Enter" }]);
      await expectFile(fixture, was, `${cwd}\n`, `the directory of a pane, "${text}"`);
      await terminal.close(pane);
    }
    const found = await backend.root.shell.exec(`ls ${posixQuote(directory)}`, { cwd: "/" });
    const names = new TextDecoder().decode(found.stdout.head);
    expectThat(!names.includes("marked"), `nothing was executed; the directory has ${names}`);
  }),
  on("terminal:dispatch:added-env", "A dispatched command gets the variables of the policy", async (fixture) => {
    const { directory: cwd } = fixture;
    const { pane } = await terminalOf(fixture).open({});
    const command = 'printf "%s" "$HAFT_ADDED" > added';
    const addedEnv = { HAFT_ADDED: "a 'b' ~" };
    await terminalOf(fixture, { commands: [{ command, cwd, addedEnv }] }).dispatch(pane, command, { cwd });
    await expectFile(fixture, `${cwd}/added`, addedEnv.HAFT_ADDED, "the variable");
    await terminalOf(fixture).close(pane);
  }),
  on("terminal:run:aliases", "Aliases of the user do not change a command", async (fixture) => {
    const { pane } = await terminalOf(fixture).open({});
    const aliases = "alias ls='echo ALIAS' cd='echo ALIAS' export='echo ALIAS' trap='echo ALIAS'; echo al''iased";
    await terminalOf(fixture).send(pane, [{ text: aliases }, { key: "Enter" }]);
    await captureWith(fixture, pane, "\naliased");
    const result = await runInPane(fixture, "ls -d . && cd / && pwd", { pane, env: { A: "b" } });
    expectPaneRun(result, 0, ".\n/\n", "a command with aliased words");
    await terminalOf(fixture).close(pane);
  }),
  on("terminal:run:tilde", "A command and stdin that begin with a tilde are as they are written", async (fixture) => {
    expectPaneRun(await runInPane(fixture, "cat", { input: utf8("~/x") }), 0, "~/x", "stdin");
    const { began, ended } = await runInPane(fixture, "~no-such-user/x");
    expectEqual([began, ended], ["yes", "itself"], "a command");
  }),
  on("terminal:open:limit", "Panes that are opened at once stay within the limit", async (fixture) => {
    const terminal = terminalOf(fixture);
    const opened = await Promise.allSettled(Array.from({ length: 20 }, () => terminal.open({})));
    const panes = opened.flatMap((one) => (one.status === "fulfilled" ? [one.value.pane] : []));
    const listed = (await terminal.list()).filter(({ owned }) => owned).length;
    const refused = opened.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    for (const pane of panes) await terminal.close(pane);
    expectThat(listed <= 16, `at most 16 panes are open, got ${listed}`);
    expectThat(panes.length > 0 && refused.length > 0, `some are refused, got ${refused.length} of 20`);
    for (const one of refused) expectThat(HaftError.is(one, "TERMINAL_BUSY"), `the error is TERMINAL_BUSY: ${one}`);
    await expectUsable(fixture);
  }),
  on("terminal:close:another-session", "A session does not close the panes of another one", async (fixture) => {
    const { pane } = await terminalOf(fixture).open({});
    const other = terminalOf(fixture, {}, { sessionId: "session-other" });
    await expectError(other.close(pane), "TERMINAL_NOT_OWNED", "closing the pane of another session");
    await expectUsable(fixture, pane);
    const own = await other.open({});
    await other.close(own.pane);
    await terminalOf(fixture).close(pane);
  }),
  on(
    "terminal:dispatch:unfinished",
    "A command that the shell takes for text is not reported as started",
    async (fixture) => {
      const { directory: cwd } = fixture;
      const { pane } = await terminalOf(fixture).open({});
      await terminalOf(fixture).send(pane, [{ text: "echo 'it is" }, { key: "Enter" }]);
      await captureWith(fixture, pane, "\n>");
      const command = "echo ran > ran";
      const dispatched = terminalOf(fixture, { commands: [{ command, cwd }] }).dispatch(pane, command, { cwd });
      await expectError(dispatched, "TERMINAL_BUSY", "dispatching");
      await terminalOf(fixture).send(pane, [{ key: "C-c" }]);
      await expectUsable(fixture, pane);
      await expectError(bindAll(fixture).fs.readText(`${cwd}/ran`), "FS_NOT_FOUND", "what the command would write");
      await terminalOf(fixture).close(pane);
    },
  ),
];
