/** No control sequence reaches a terminal, whatever its source: a file, a process, a directory, a client or another server. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Finished } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";
import { answerJson, answerText } from "./commands/call/answer-text.js";
import { explanationText } from "./commands/call/explanation-text.js";

/** A title, a colour, a move of the cursor in C1, and a change of direction. */
const HOSTILE = "\u001b]0;pwn\u0007\u001b[31m\u009b2J\u202ex";
/** What none of them may hold; where a line end stands is another matter. */
const OBEYED = /[\0-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

const place = cliPlace({ name: `shop ${HOSTILE}` });
const haft = (...args: readonly string[]): Promise<Finished> => place.inProcess(args);

/** As on a terminal. Colours are ours, and off. */
function haftOnTerminal(...args: readonly string[]): Promise<Finished> {
  return place.inProcess(args, { env: { NO_COLOR: "1" }, isTerminal: true });
}

function harmless(done: Finished): Finished {
  expect(done.stdout).not.toMatch(OBEYED);
  expect(done.stderr).not.toMatch(OBEYED);
  return done;
}

describe("the answer of a call", () => {
  const DIALECTS = { haft: "read", indusagi: "read", zeroclaw: "file_read", buddy: "read_file" } as const;

  it("reaches a terminal without what it would obey, which is counted, and a pipe as it is", async () => {
    writeFileSync(join(place.workspace, "a.txt"), `one ${HOSTILE}\ntwo\n`);
    for (const [dialect, tool] of Object.entries(DIALECTS)) {
      const args = ["call", tool, '{"path":"a.txt"}', "--dialect", dialect];
      const shown = harmless(await haftOnTerminal(...args));
      expect([dialect, shown.stdout]).toEqual([dialect, expect.stringMatching(/one .*x[\s\S]*two/)]);
      if (dialect === "haft") continue;
      expect(shown.stderr).toMatch(/^haft: removed \d+ control characters from the output/m);
      expect((await haft(...args)).stdout).toContain(HOSTILE);
      const json = harmless(await haftOnTerminal(...args, "--json"));
      expect(JSON.parse(json.stdout)).toEqual(JSON.parse((await haft(...args, "--json")).stdout));
    }
  });

  it("keeps its values as JSON", () => {
    const content = [{ kind: "json", value: { [HOSTILE]: HOSTILE } }] as const;
    const outcome = { content } as unknown as Parameters<typeof answerText>[0];
    expect(answerText(outcome, {})).toEqual({ text: `${JSON.stringify(content[0].value)}\n`, hidden: 0 });
    expect(answerText(outcome, { isTTY: true }).text).not.toMatch(OBEYED);
    expect(answerJson(content, { isTTY: true })).not.toMatch(OBEYED);
    expect(JSON.parse(answerJson(content, { isTTY: true }))).toEqual(content);
    expect(answerJson(content, {})).toContain("\u009b2J");
  });

  it("is explained without what a terminal would obey", () => {
    const claims = [
      { kind: "file", path: HOSTILE, access: ["read"], scope: "self" },
      { kind: "command", command: HOSTILE, cwd: HOSTILE },
    ];
    const stopped = { message: HOSTILE };
    const decision = { effect: "deny", risk: "high", rule: HOSTILE, reason: HOSTILE, next: HOSTILE };
    const explanation = {
      tool: HOSTILE,
      target: HOSTILE,
      workspace: HOSTILE,
      effect: "read",
      claims,
      repairs: [HOSTILE],
      stopped,
      decision,
    };
    const text = explanationText(explanation as unknown as Parameters<typeof explanationText>[0]);
    expect(text.trim().split("\n")).toHaveLength(9);
    expect(text).not.toMatch(OBEYED);
  });
});

describe("the name of a process", () => {
  it("is shown harmless where a call left it running, in each dialect", async () => {
    writeFileSync(join(place.workspace, "\u001b[31mX"), "#!/bin/sh\n: >up\nsleep 60\n:\n", { mode: 0o755 });
    const command = `rm -f up; "./$(printf '\\033[31mX')" & until [ -e up ]; do sleep 0.02; done`;
    // The policy of zeroclaw runs no such command.
    for (const [dialect, tool] of Object.entries({ haft: "bash", indusagi: "bash", buddy: "run_shell" })) {
      const { stderr } = harmless(await haft("call", tool, JSON.stringify({ command }), "--dialect", dialect));
      expect([dialect, stderr]).toEqual([
        dialect,
        expect.stringContaining("killed the background processes of the call: \\x1b[31mX (process "),
      ]);
    }
  });
});

describe("names that a command prints", () => {
  it("are harmless, whichever command it is", async () => {
    writeFileSync(join(place.workspace, "haft.jsonc"), JSON.stringify({ state: "elsewhere", dialect: "buddy" }));
    writeFileSync(join(place.workspace, "a.txt"), "old\n");
    const session = ["--session", `s ${HOSTILE}`];
    const write = ["call", "write_file", JSON.stringify({ path: "b.txt", content: HOSTILE }), ...session];
    expect(harmless(await haft(...write)).status).toBe(0);
    harmless(await haft("call", "run_shell", JSON.stringify({ command: `: '${HOSTILE}'` }), ...session));
    harmless(await haft("call", "delete", '{"path":"a.txt"}', "--dialect", "haft", ...session));
    const keep = { action: "start", command: `: '${HOSTILE}'; sleep 60`, lifetime: "keep" };
    const started = harmless(
      await haftOnTerminal("call", "process", JSON.stringify(keep), "--dialect", "haft", "--json", ...session),
    );
    const [job = ""] = /job-\d+/.exec(started.stdout) ?? [];
    expect(job).not.toBe("");
    for (const args of [
      ["tools"],
      ["cost"],
      ["doctor"],
      ["connect"],
      ["connect", "claude-code"],
      ["connect", "codex"],
      ["serve", "--once"],
      ["audit"],
      ["audit", `s ${HOSTILE}`, "--in", "."],
      ["sessions", "list"],
      ["artifacts", "list"],
      ["artifacts", "show", HOSTILE],
      ["artifacts", "export", "last", join(place.workspace, "out.txt")],
      ["artifacts", "export", "last", join(place.workspace, "none", "out.txt")],
      ["artifacts", "remove", HOSTILE],
      ["jobs", "list"],
      ["jobs", "stop", HOSTILE],
      ["jobs", "stop", job],
      ["jobs", "clean", "--all"],
      ["token", "remove", HOSTILE],
      ["sessions", "end", HOSTILE],
      ["sessions", "end", `s ${HOSTILE}`],
      ["call", HOSTILE, "{}"],
      ["call", HOSTILE, "{}", "--explain"],
      ["call", "read_file", '{"path":"b.txt"}', "--explain"],
      [HOSTILE],
      ["connect", HOSTILE],
      ["call", `--${HOSTILE}`],
      ["tools", "--config", HOSTILE],
      ["tools", "--workspace", HOSTILE],
      ["init", "--user"],
      ["init"],
    ]) {
      const done = harmless(await haft(...args));
      expect([args, done.stdout + done.stderr]).toEqual([args, expect.stringMatching(/\S/)]);
    }
    for (const args of [["doctor"], ["audit"], ["sessions", "list"], ["artifacts", "list"], ["connect", "codex"]])
      expect(JSON.parse(harmless(await haftOnTerminal(...args, "--json")).stdout)).toBeDefined();
  }, 90_000);

  it("are harmless in what is wrong with a configuration", async () => {
    for (const config of [{ [HOSTILE]: 1 }, { dialect: HOSTILE }, { tools: { [HOSTILE]: false } }]) {
      writeFileSync(join(place.workspace, "haft.jsonc"), JSON.stringify(config).replace("\\u001b", "\u001b"));
      for (const args of [["tools"], ["doctor"]]) expect(harmless(await haft(...args)).status).not.toBe(0);
      expect(harmless(await haft("tools")).stderr).toContain("haft.jsonc:1:");
    }
  });

  it("reach standard error by one function", () => {
    const directory = new URL(".", import.meta.url);
    // The others have nothing of a stranger to say, or clean it themselves because it has several lines.
    const others = ["commands/call/call-input.ts", "main.ts", "output.ts", "terminal-approver.ts", "usage.ts"];
    const writers = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => {
      if (!name.endsWith(".ts") || name.endsWith(".test.ts")) return false;
      return readFileSync(new URL(name, directory), "utf8").includes("process.stderr.write");
    });
    expect(writers.sort()).toEqual(others);
  });
});
