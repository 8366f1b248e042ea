/** What others lost, ran twice or misread in a terminal, each under the id of its failure case. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { sendSignal } from "../../host/index.js";
import { DEFAULT_PANE } from "../../kernel/index.js";
import { expectFault } from "../../testing/faults.fixture.js";
import { withPrograms } from "../../testing/programs.fixture.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { PLAIN, panesBench, text, until } from "./panes.fixture.js";

vi.setConfig({ testTimeout: 60_000 });

withPrograms("what is typed and run in a pane", ["tmux", "bash", "zsh", "less"], () => {
  const { open } = panesBench();

  /** What `cat` receives of texts that are each typed at once. */
  async function typedIntoCat(...texts: readonly string[]): Promise<string> {
    const { terminal, place } = open();
    const [typed, command] = [join(place.directory, "typed"), "cat > typed"];
    await terminal(command).dispatch(DEFAULT_PANE, command, {});
    for (const one of texts) await terminal().send(DEFAULT_PANE, [{ text: one }, { key: "Enter" }]);
    await terminal().send(DEFAULT_PANE, [{ key: "C-d" }]);
    await until(async () => (await terminal().list())[0]?.shell === "prompt");
    return readFileSync(typed, "utf8");
  }

  verifies("W9", "a text that ends with a semicolon arrives whole [TMUX-01]", async () => {
    expect(await typedIntoCat("echo part;")).toBe("echo part;\n");
  });

  it("semicolons alone arrive, each of them [TMUX-02]", async () => {
    expect(await typedIntoCat(";", ";;", "; ;")).toBe(";\n;;\n; ;\n");
  });

  it("6,000 characters arrive at a shell [TMUX-04]", async () => {
    const { terminal, place } = open();
    const line = `printf %s ${"z".repeat(6_000)} > zs`;
    await terminal().send(DEFAULT_PANE, [{ text: line }, { key: "Enter" }]);
    const path = join(place.directory, "zs");
    await until(() => existsSync(path) && readFileSync(path, "utf8") !== "");
    expect(readFileSync(path, "utf8")).toBe("z".repeat(6_000));
  });

  it("6,000 characters arrive at a shell that will read them in a moment [TMUX-04]", async () => {
    const { terminal, place } = open();
    await terminal().send(DEFAULT_PANE, [{ text: "sleep 0.7" }, { key: "Enter" }]);
    await until(async () => (await terminal().list())[0]?.shell !== "prompt");
    await terminal().send(DEFAULT_PANE, [{ text: `printf %s ${"z".repeat(6_000)} > slow` }, { key: "Enter" }]);
    const path = join(place.directory, "slow");
    await until(() => existsSync(path) && readFileSync(path, "utf8") !== "");
    expect(readFileSync(path, "utf8")).toBe("z".repeat(6_000));
  });

  it("a line that the terminal would cut, as the program reads whole lines, is not typed [TMUX-04]", async () => {
    const { terminal, place } = open();
    const command = "cat > typed";
    await terminal(command).dispatch(DEFAULT_PANE, command, {});
    await until(() => existsSync(join(place.directory, "typed")));
    const halves = [{ text: "z".repeat(2_000) }, { text: `${"é".repeat(1_048)}` }];
    const inLine = ["Left", "Tab", "BSpace"].map((key) => [{ text: "z".repeat(2_095) }, { key }, halves[0]!]);
    for (const keys of [halves, ...inLine])
      await expect(terminal().send(DEFAULT_PANE, keys)).rejects.toMatchObject({
        code: "TERMINAL_BUSY",
        message: expect.stringMatching(/^Did not type .* 4096 bytes, and \S+ reads whole lines/),
      });
    await terminal().send(DEFAULT_PANE, [{ text: `${"z".repeat(4_095)}\n` }, { key: "C-d" }]);
    await until(() => readFileSync(join(place.directory, "typed"), "utf8") !== "");
    expect(readFileSync(join(place.directory, "typed"), "utf8")).toBe(`${"z".repeat(4_095)}\n`);
  });

  verifies("W9", "200,000 characters in lines arrive at a program, each of them", async () => {
    const lines = Array.from({ length: 2_000 }, (_, index) => `${index} `.padEnd(99, "z"));
    expect((await typedIntoCat(lines.join("\n"))).split("\n")).toEqual([...lines, ""]);
  });

  it("a line break is Enter, as documented: the first line runs, the second one waits [TMUX-05]", async () => {
    const { terminal, place } = open();
    await terminal().send(DEFAULT_PANE, [{ text: "echo first >> lines\necho second >> lines" }]);
    const lines = () =>
      existsSync(`${place.directory}/lines`) ? readFileSync(`${place.directory}/lines`, "utf8") : "";
    await until(() => lines() === "first\n");
    await until(async () => (await terminal().capture(DEFAULT_PANE, PLAIN)).text.includes("echo second"));
    expect(lines()).toBe("first\n");
    await terminal().send(DEFAULT_PANE, [{ key: "Enter" }]);
    await until(() => lines() === "first\nsecond\n");
    const guide = readFileSync(new URL("../../../docs/guide/terminal.md", import.meta.url), "utf8");
    expect(guide).toContain("A line break in `text` is Enter");
  });

  verifies("W9", "a text that begins with a dash is not an option [TMUX-06]", async () => {
    expect(await typedIntoCat("-l -t other", "--")).toBe("-l -t other\n--\n");
  });

  it("a prompt of two lines with colors and text like an end marker: the output is the command's alone [TMUX-11]", async () => {
    const { terminal, run } = open();
    const prompt = "PS1='\\[\\033[35m\\]__END__ 0\\n\\[\\033[0m\\][buddy 1: 0] $ '; alias echo=printf; ec''ho rea''dy";
    await terminal().send(DEFAULT_PANE, [{ text: prompt }, { key: "Enter" }]);
    await until(async () => (await terminal().capture(DEFAULT_PANE, PLAIN)).text.includes("\nready"));
    for (const _ of [1, 2]) {
      const { stdout, exit } = await run("echo body; echo '__END__ 0'; exit 6");
      expect([text(stdout.head), exit]).toEqual(["body\n__END__ 0\n", { by: "code", code: 6 }]);
    }
  });

  it("a full-screen program that is killed leaves nothing in the output of the next command [TMUX-12]", async () => {
    const { terminal, run, server, place } = open();
    const { tmux } = await server();
    writeFileSync(join(place.directory, "long"), "line\n".repeat(500));
    const modes = () => tmux("display-message", "-p", "-t", "%0", "#{alternate_on}#{mouse_any_flag}").trim();
    for (const how of ["run", "dispatch"] as const) {
      const command = `printf '\\033[?1000h\\033[?1006h'; exec sh -c 'echo $$ > ${how}; exec less long'`;
      const running =
        how === "run" ? run(command) : terminal(command).dispatch(DEFAULT_PANE, command, { cwd: place.directory });
      await until(() => modes() === "11");
      const pid = Number(readFileSync(join(place.directory, how), "utf8"));
      const start = Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19]);
      expect(sendSignal({ pid, start }, "SIGKILL")).toBe(true);
      const ended = await running;
      if ("exit" in ended) expect(ended.exit).not.toEqual({ by: "code", code: 0 });
      const { stdout, exit, pane } = await run("echo ok");
      expect([text(stdout.head), exit]).toEqual(["ok\n", { by: "code", code: 0 }]);
      // Either its modes were reset, or this is another pane.
      expect([how, pane, pane === "%0" ? modes() : "00"]).toEqual([how, pane, "00"]);
    }
  });

  it("an alias of the user does not change what a command runs, and a function is documented to [TMUX-13]", async () => {
    const { terminal, run, place } = open();
    const aliases = "alias ls='touch pwned' cat='touch pwned'; ec''ho rea''dy";
    await terminal().send(DEFAULT_PANE, [{ text: aliases }, { key: "Enter" }]);
    await until(async () => (await terminal().capture(DEFAULT_PANE, PLAIN)).text.includes("\nready"));
    expect(text((await run("ls -d .; cat /dev/null; echo done")).stdout.head)).toBe(".\ndone\n");
    expect(existsSync(join(place.directory, "pwned"))).toBe(false);
    const guide = readFileSync(new URL("../../../docs/guide/terminal.md", import.meta.url), "utf8");
    expect(guide).toContain("Shell functions");
  });

  it("the first command waits until slow start-up files have been read, and runs once [TMUX-14]", async () => {
    const { backend, place } = open();
    await backend.close();
    const rc = join(place.directory, "rc");
    writeFileSync(rc, "sleep 3\nHAFT_RC=read\n");
    const slow = open({ paneShell: ["bash", "--noprofile", "--rcfile", rc, "-i"] });
    const { stdout, began } = await slow.run('echo "first $HAFT_RC" | tee -a runs');
    expect([began, text(stdout.head)]).toEqual(["yes", "first read\n"]);
    expect(readFileSync(join(slow.place.directory, "runs"), "utf8")).toBe("first read\n");
  });

  it("64 commands at once all end right, those beyond the limit of panes one after the other", async () => {
    const { run, terminal } = open();
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, index) => run(`echo ${index}; exit ${index}`, 60_000)),
    );
    for (const [index, result] of results.entries()) {
      expectFault("tmux: 64 calls", result);
      expect([result.exit, text(result.stdout.head)]).toEqual([{ by: "code", code: index }, `${index}\n`]);
    }
    expect((await terminal().list()).length).toBeLessThanOrEqual(16);
  }, 90_000);

  it("a command that waits for a pane ends at its deadline, and nothing is typed", async () => {
    const { run, place } = open({ maxPanes: 1 });
    const first = run("touch begun; until [ -e go ]; do sleep 0.05; done; echo first");
    await until(() => existsSync(join(place.directory, "begun")));
    await expect(run("echo ran > ran", 300)).rejects.toMatchObject({ code: "TERMINAL_BUSY" });
    const third = run("echo third");
    writeFileSync(join(place.directory, "go"), "");
    expect([text((await first).stdout.head), text((await third).stdout.head)]).toEqual(["first\n", "third\n"]);
    expect(existsSync(join(place.directory, "ran"))).toBe(false);
  });

  it.each([
    ["bash", "HISTFILE=~/history"],
    ["bash", "HISTFILE=~/history HISTCONTROL=ignoredups HISTTIMEFORMAT='%F '; PROMPT_COMMAND='history -a'"],
    ["bash", "HISTFILE=~/history HISTCONTROL=ignoreboth"],
    ["zsh", "HISTFILE=~/history HISTSIZE=99 SAVEHIST=99; setopt inc_append_history"],
  ])("what a user types stays in the history of %s with %s, and nothing else is stored there", async (shell, rc) => {
    const SHELL = execFileSync("sh", ["-c", `command -v ${shell}`], { encoding: "utf8" }).trim();
    const { backend, run, terminal, place } = open(({ home, directory }) => {
      for (const name of [".bashrc", ".zshrc"]) writeFileSync(join(home, name), `${rc}\n`);
      writeFileSync(join(home, "history"), "echo before\n");
      const env = { PATH: process.env.PATH ?? "", SHELL, HOME: home, TMUX_TMPDIR: directory };
      return { paneShell: "login", env };
    });
    expect(text((await run("echo ran")).stdout.head)).toBe("ran\n");
    await terminal().send(DEFAULT_PANE, [{ text: "echo us''er" }, { key: "Enter" }]);
    await until(async () => (await terminal().capture(DEFAULT_PANE, PLAIN)).text.includes("\nuser"));
    await run("echo again");
    await backend.close();
    const history = join(place.home, "history");
    await until(() => existsSync(history) && readFileSync(history, "utf8").includes("us''er"));
    const lines = readFileSync(history, "utf8").split("\n");
    expect(lines.filter((line) => !/^(#\d+)?$/.test(line))).toEqual(["echo before", "echo us''er"]);
  });
});
