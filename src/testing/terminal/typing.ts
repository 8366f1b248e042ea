/** Panes: opened, listed, captured, typed into and closed. */
import { DEFAULT_PANE, type PaneAction } from "../../kernel/index.js";
import { on } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { captureWith, dispatchTo, PLAIN, runInPane, terminalOf } from "./pane.js";

/** Each is typed into `cat`; the terminal passes on a line when it is complete. */
const TEXTS: readonly string[] = [
  "plain",
  "ends with;",
  "a;b;;",
  ";",
  "-leading dash",
  "--",
  "$HOME ${HOME} $(id) `id`",
  "\"double\" 'single' \\back\\",
  "#{pane_id} #S %0 %% ~ ~/ !",
  "~",
  "~/x",
  "~root ~+",
  "Enter",
  "C-c",
  "é€😀 ünïcode",
  "  leading and trailing  ",
  "{ } ( ) [ ] * ? < > | &",
  "x".repeat(4_000),
  Array.from({ length: 600 }, (_, index) => `line ${index} of a long text;`).join("\n"),
];

export const terminalTyping: Suite<Fixture> = [
  on("terminal:send:exact", "Text is typed as it is, and a newline is Enter", async (fixture) => {
    const { pane } = await terminalOf(fixture).open({});
    await dispatchTo(fixture, pane, "cat > typed; echo en''ded");
    for (const text of TEXTS) await terminalOf(fixture).send(pane, [{ text }, { key: "Enter" }]);
    await terminalOf(fixture).send(pane, [{ key: "C-d" }]);
    await captureWith(fixture, pane, "ended");
    const typed = await bindAll(fixture).fs.readText(`${fixture.directory}/typed`);
    expectEqual(typed.split("\n"), `${TEXTS.join("\n")}\n`.split("\n"), "what arrived");
    await terminalOf(fixture).close(pane);
  }),
  on("terminal:send:order", "Text and keys are typed in their order", async (fixture) => {
    const { pane } = await terminalOf(fixture).open({});
    await dispatchTo(fixture, pane, "cat > typed; echo en''ded");
    await terminalOf(fixture).send(pane, [
      { text: "ab" },
      { key: "BSpace" },
      { text: "c" },
      { key: "x" },
      { key: "Enter" },
      { key: "C-d" },
    ]);
    await captureWith(fixture, pane, "ended");
    expectEqual(await bindAll(fixture).fs.readText(`${fixture.directory}/typed`), "acx\n", "what arrived");
    await terminalOf(fixture).close(pane);
  }),
  on(
    "terminal:send:unknown-key",
    "An unknown key is rejected with near names, and nothing is typed",
    async (fixture) => {
      const { pane } = await terminalOf(fixture).open({});
      const keys = [{ text: "typed" }, { key: "Entr" }];
      const error = await expectError(terminalOf(fixture).send(pane, keys), "TERMINAL_KEY", "Entr");
      expectThat(error.message.includes("Enter"), "the message names Enter");
      for (const key of ["NoSuchKey", "Ctrl-C", "", " ", "F99", "C-", "abc"])
        await expectError(terminalOf(fixture).send(pane, [{ key }]), "TERMINAL_KEY", key);
      const { text } = await terminalOf(fixture).capture(pane, PLAIN);
      expectThat(!text.includes("typed"), "nothing is typed");
      await terminalOf(fixture).close(pane);
    },
  ),
  on("terminal:send:claimed-text", "Only the claimed text is typed", async (fixture) => {
    const { pane } = await terminalOf(fixture).open({});
    const bound = terminalOf(fixture, { panes: [{ id: pane, actions: ["write"], input: "ls\n" }] });
    await expectError(bound.send(pane, [{ text: "rm x" }, { key: "Enter" }]), "CALL_UNCLAIMED", "another text");
    await expectError(bound.send(DEFAULT_PANE, [{ text: "ls\n" }]), "CALL_UNCLAIMED", "another pane");
    await bound.send(pane, [{ text: "ls" }, { key: "Enter" }]);
    await terminalOf(fixture).close(pane);
  }),
  on("terminal:pane:unclaimed", "What the call did not claim is rejected", async (fixture) => {
    const { pane } = await terminalOf(fixture).open({});
    const having = (actions: readonly PaneAction[]) => terminalOf(fixture, { panes: [{ id: pane, actions }] });
    await expectError(having(["list"]).capture(pane, PLAIN), "CALL_UNCLAIMED", "capture");
    await expectError(having(["read"]).send(pane, [{ key: "Enter" }]), "CALL_UNCLAIMED", "send");
    await expectError(having(["write"]).close(pane), "CALL_UNCLAIMED", "close");
    await expectError(having(["read"]).open({}), "CALL_UNCLAIMED", "open");
    await expectError(having(["read"]).list(), "CALL_UNCLAIMED", "list");
    await terminalOf(fixture).close(pane);
  }),
  on("terminal:pane:states", "Panes are listed with what runs in them, and a closed one is gone", async (fixture) => {
    const terminal = terminalOf(fixture);
    const opened = await terminal.open({ name: "mine", cwd: fixture.directory, size: [90, 30] });
    expectEqual([opened.shell, opened.owned, opened.size], ["prompt", true, [90, 30]], "after it was opened");
    await dispatchTo(fixture, opened.pane, "echo star''ted; sleep 600");
    await captureWith(fixture, opened.pane, "started\n");
    const listed = (await terminal.list()).find(({ pane }) => pane === opened.pane);
    expectEqual([listed?.shell, listed?.alternate], ["busy", false], "with a command");
    await terminal.close(opened.pane);
    expectEqual(
      (await terminal.list()).some(({ pane }) => pane === opened.pane),
      false,
      "it is listed",
    );
    for (const work of [
      () => terminal.capture(opened.pane, PLAIN),
      () => terminal.send(opened.pane, [{ key: "Enter" }]),
      () => terminal.close(opened.pane),
    ])
      await expectError(work, "TERMINAL_PANE_GONE", "a closed pane");
  }),
  on("terminal:capture:wrapped", "Wrapped lines can be joined, and whitespace at their end kept", async (fixture) => {
    const terminal = terminalOf(fixture);
    const { pane } = await terminal.open({ size: [40, 20] });
    await runInPane(fixture, "printf '%s\\n' 'red  ' 1234567890123456789012345678901234567890wrapped", { pane });
    const capture = async (options: object) => (await terminal.capture(pane, { ...PLAIN, ...options })).text;
    expectThat((await capture({})).includes("red\n"), "plain: no whitespace at the end");
    expectThat((await capture({ trailing: true })).includes("red  "), "trailing: whitespace at the end");
    expectThat((await capture({})).includes("7890\nwrapped"), "plain: two lines");
    const joined = await capture({ join: true });
    expectThat(joined.includes("7890wrapped") && joined.includes("red\n"), "join: one line, no whitespace at the end");
    await terminal.close(pane);
  }),
  on("terminal:capture:escapes", "Colors can be kept, and shown as text", async (fixture) => {
    const terminal = terminalOf(fixture);
    const { pane } = await terminal.open({});
    await runInPane(fixture, "printf '\\033[31mred\\033[0m C:\\\\dir\\n'", { pane });
    const capture = async (options: object) => (await terminal.capture(pane, { ...PLAIN, ...options })).text;
    expectThat(!(await capture({})).includes("\u001b"), "plain");
    expectThat((await capture({ escapes: true })).includes("\u001b[31mred"), "escapes");
    const asText = await capture({ escapes: true, escapeNonPrintable: true });
    expectThat(asText.includes("\\033[31mred") && !asText.includes("\u001b"), "as text");
    expectThat(asText.includes("C:\\\\dir"), "as text, a backslash is doubled");
    await terminal.close(pane);
  }),
  on("terminal:capture:history", "Lines of the history are captured by their number", async (fixture) => {
    const terminal = terminalOf(fixture);
    const { pane } = await terminal.open({ size: [80, 20] });
    await runInPane(fixture, 'i=0; while [ $i -lt 200 ]; do i=$((i + 1)); echo "<$i>"; done', { pane });
    const capture = async (options: object) => (await terminal.capture(pane, { ...PLAIN, ...options })).text;
    expectThat(!(await capture({})).includes("<5>"), "the visible part only");
    const whole = await capture({ from: "-", to: "-" });
    expectThat(whole.includes("<5>") && whole.includes("<200>"), "everything");
    expectEqual((await capture({ from: -3, to: -1 })).split("\n").length, 3, "three lines of the history");
    await terminal.close(pane);
  }),
  on("terminal:capture:alternate", "The screen of a program, and the one that it has saved", async (fixture) => {
    const terminal = terminalOf(fixture);
    const { pane } = await terminal.open({});
    const none = await terminal.capture(pane, { ...PLAIN, alternate: true });
    expectEqual(none.fellBack, true, "without one it falls back");
    await dispatchTo(
      fixture,
      pane,
      "echo saved screen; printf '\\033[?1049h'; echo own' 'screen; read -r x; printf '\\033[?1049l'",
    );
    await captureWith(fixture, pane, "own screen");
    const saved = await terminal.capture(pane, { ...PLAIN, alternate: true });
    expectEqual(
      [saved.fellBack, saved.text.includes("saved screen"), saved.text.includes("own screen")],
      [false, true, false],
      "the saved one",
    );
    expectEqual(saved.state.alternate, true, "state");
    await expectError(runInPane(fixture, "echo ran", { pane }), "TERMINAL_BUSY", "a command");
    await terminal.close(pane);
  }),
  on("terminal:pane:default", "The default pane has several names", async (fixture) => {
    const terminal = terminalOf(fixture);
    const panes = await Promise.all(
      [DEFAULT_PANE, "shared", "shared-pane", "default-pane"].map(
        async (name) => (await terminal.capture(name, PLAIN)).state.pane,
      ),
    );
    expectEqual(new Set(panes).size, 1, "panes");
  }),
  on(
    "terminal:pane:default-again",
    "A default pane that is gone is opened once more, with a notice",
    async (fixture) => {
      const terminal = terminalOf(fixture);
      const before = (await terminal.capture(DEFAULT_PANE, PLAIN)).state;
      const other = await terminal.open({});
      await terminal.close(before.pane);
      const after = (await terminal.capture(DEFAULT_PANE, PLAIN)).state;
      expectThat(after.pane !== before.pane, "it is another pane");
      expectThat(after.notice?.includes(before.pane) === true, "a notice names the pane that is gone");
      expectEqual((await terminal.capture(DEFAULT_PANE, PLAIN)).state.notice, undefined, "the notice comes once");
      await terminal.close(other.pane);
    },
  ),
];
