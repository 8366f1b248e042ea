import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { createToolkit, type Toolkit } from "../../index.js";
import { type ApprovalRequest, type Approver, keysAsText } from "../../kernel/index.js";
import { approvalText } from "../../surfaces/approval-text.js";
import { type FakeTerminal, withFakeTerminal } from "../../testing/fakes/fake-terminal.fixture.js";
import type { ToolkitOptions } from "../../toolkit/index.js";

const toolkits: Toolkit[] = [];
let fake: FakeTerminal;
let call: (name: string, input: object) => Promise<{ text: string; code?: string; status: string; isError: boolean }>;
let toolkit: Toolkit;

beforeEach(() => open({ autonomy: "full" }));
afterEach(async () => {
  for (const one of toolkits.splice(0)) await one.close();
});

async function open(options: ToolkitOptions): Promise<void> {
  const pane = withFakeTerminal(createMemoryBackend({ cwd: "/w" }));
  ({ fake } = pane);
  toolkit = await createToolkit({ workspace: "/w", persist: false, on: "pane", backends: { pane }, ...options });
  toolkits.push(toolkit);
  const { runner } = toolkit.session("one").box();
  call = async (name, input) => {
    const outcome = await runner.run({ id: "c", name, input });
    const text = outcome.content.map((block) => (block.kind === "text" ? block.text : "")).join("");
    return { ...outcome, text };
  };
}

const names = (of: Toolkit, collection?: string) =>
  of
    .box(collection)
    .descriptors()
    .map(({ name }) => name);

describe("the tools for panes", () => {
  it("are offered only where a target has a terminal", async () => {
    const OF_PANES = ["capture_pane", "send_keys", "panes"];
    expect(names(toolkit)).toEqual(expect.arrayContaining(OF_PANES));
    expect(names(toolkit, "coding").slice(-3)).toEqual(OF_PANES);
    expect(names(toolkit, "read-only").at(-1)).toBe("capture_pane");
    const without = await createToolkit({ on: "memory", persist: false });
    toolkits.push(without);
    for (const collection of ["all", "coding", "read-only"])
      expect(names(without, collection)).not.toEqual(expect.arrayContaining([expect.stringMatching(/pane|keys/)]));
  });

  it("name the target without a terminal, and what to do, where another target has one", async () => {
    await open({ autonomy: "full", on: ["pane", "memory"] });
    for (const [name, input] of [
      ["capture_pane", {}],
      ["send_keys", { enter: true }],
      ["panes", { action: "list" }],
    ] as const) {
      const { code, text } = await call(name, { ...input, on: "memory" });
      expect(code).toBe("BACKEND_UNSUPPORTED");
      expect(text).toMatch(/^Did not .*: the target "memory" has no terminal\. Send `on`: "pane"\.$/);
    }
    expect(fake.seen).toEqual([]);
  });

  it("show a pane that is gone as an error", async () => {
    expect(await call("capture_pane", { pane: "%9" })).toMatchObject({ code: "TERMINAL_PANE_GONE", isError: true });
    expect(await call("send_keys", { pane: "%9", enter: true })).toMatchObject({ code: "TERMINAL_PANE_GONE" });
    expect(await call("panes", { action: "close", pane: "%9" })).toMatchObject({ code: "TERMINAL_PANE_GONE" });
  });
});

describe("capture_pane", () => {
  it("shows the state and the screen, without blank lines at its end", async () => {
    fake.screens["%1"] = "$ make\nbuilding\n\n\n\n";
    expect((await call("capture_pane", {})).text).toBe(
      '%1 "shared" in haft-test, 80x24: the shell waits for a command\n$ make\nbuilding',
    );
    fake.states["%1"] = { shell: "busy", command: "less", alternate: true };
    expect((await call("capture_pane", {})).text).toMatch(/: "less" runs, which shows its own screen\n/);
    fake.states["%1"] = { shell: "unknown", command: "vim", owned: false, title: "a\u202eb" };
    expect((await call("capture_pane", {})).text).toMatch(/^%1 "a.*b".*, not opened by Haft: .* is "vim"\n/);
    expect((await call("capture_pane", {})).text).not.toContain("\u202e");
    fake.screens["%1"] = "\n\n";
    expect((await call("capture_pane", {})).text).toMatch(/\(the screen is empty\)$/);
  });

  it("joins lines unless a call says otherwise, and passes lines and escapes on", async () => {
    await call("capture_pane", {});
    await call("capture_pane", { from: -50, to: 3, join: false, escapes: true });
    const plain = { join: true, trailing: false, escapes: false, escapeNonPrintable: false, alternate: false };
    expect(fake.captures).toEqual([
      plain,
      { ...plain, from: -50, to: 3, join: false, escapes: true, escapeNonPrintable: true },
    ]);
  });

  it("shows the end of a long text and says what is missing", async () => {
    fake.screens["%1"] = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join("\n");
    const { text } = await call("capture_pane", { from: -20_000 });
    expect(text).toMatch(/\n\[… \d+ bytes before this omitted; `from` and `to` choose the lines …\]\n/);
    expect(text).toMatch(/\nline 19999$/);
    expect(text.length).toBeLessThan(70_000);
  });

  it("marks the session as having read untrusted content", async () => {
    const asked: ApprovalRequest[] = [];
    await open({ autonomy: "supervised", approver: recording(asked) });
    expect((await call("capture_pane", {})).isError).toBe(false);
    await call("send_keys", { text: "ls", enter: true });
    expect(asked.map(({ call: { taint } }) => taint)).toEqual([[{ from: "pane", ref: "haft-test %1" }]]);
  });

  it("does nothing more once it is cancelled in its delay", async () => {
    const cancel = new AbortController();
    const running = toolkit
      .session("one")
      .box()
      .runner.run({ id: "c", name: "capture_pane", input: { delayMs: 60_000 } }, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 20);
    expect(await running).toMatchObject({ status: "cancelled" });
    expect(fake.seen).toEqual([]);
  });
});

describe("send_keys", () => {
  it("types the text, then the keys, then Enter", async () => {
    const { text } = await call("send_keys", { text: "a; b", keys: ["Up", "C-c"], enter: true });
    expect(fake.seen).toEqual(["send %1: a; b<Up><C-c>\n"]);
    expect(text).toBe('typed into %1 "shared" in haft-test, 80x24: the shell waits for a command');
  });

  it("refuses what cannot be typed", async () => {
    for (const [input, problem] of [
      [{}, "`keys` is missing, and so are `text` and `enter`"],
      [{ text: "a\0" }, "`text` contains a NUL byte"],
      [{ text: "\ud800" }, "`text` contains a lone surrogate"],
      [{ keys: ["Up", " "] }, "`keys` contains an empty name"],
    ] as const)
      expect(await call("send_keys", input)).toMatchObject({
        status: "invalid",
        text: expect.stringContaining(problem),
      });
    expect(fake.seen).toEqual([]);
  });

  it("asks with exactly what is typed, and types nothing else or nothing at all", async () => {
    const asked: ApprovalRequest[] = [];
    await open({ autonomy: "supervised", approver: recording(asked) });
    expect(await call("send_keys", { text: "npm test", enter: true })).toMatchObject({ status: "denied" });
    expect(await call("send_keys", { text: "y" })).toMatchObject({ status: "denied" });
    expect(await call("send_keys", { text: "<Up>", keys: ["Down", "C-m"] })).toMatchObject({ status: "denied" });
    expect(fake.seen).toEqual([]);
    const [first, second, third] = asked.map(approvalText);
    expect(first).toMatchObject({
      title: 'send_keys would type this into the pane "default":',
      body: ["npm test<Enter>"],
    });
    expect(first?.rows.map(({ name }) => name)).not.toContain("arguments");
    expect(second?.body).toEqual(["y"]);
    expect(third?.body).toEqual(["<Up><Down><Enter>"]);
    const row = third?.rows.find(({ name }) => name === "arguments");
    expect(row?.lines).toEqual(['{"text":"<Up>","keys":["Down","C-m"]}']);
  });

  it("is refused in a read-only session, where a pane may be read", async () => {
    await open({ autonomy: "readonly" });
    expect(await call("send_keys", { text: "ls", enter: true })).toMatchObject({ code: "POLICY_DENIED" });
    expect(await call("panes", { action: "open" })).toMatchObject({ code: "POLICY_DENIED" });
    expect(await call("capture_pane", {})).toMatchObject({ isError: false });
    expect(await call("panes", { action: "list" })).toMatchObject({ isError: false });
    expect(fake.seen).toEqual(["capture %1"]);
  });

  it("claims Enter by whichever of its names", () => {
    expect(keysAsText([{ text: "a" }, { key: "C-m" }, { key: "KPEnter" }, { key: "Up" }])).toBe("a\n\n<Up>");
  });
});

describe("panes", () => {
  it("lists, opens in the working directory and closes", async () => {
    expect((await call("panes", { action: "list" })).text).toMatch(/^%1 "shared" in haft-test/);
    expect((await call("panes", { action: "open", name: "server" })).text).toMatch(/^opened %2 "server"/);
    expect((await call("panes", { action: "list" })).text.split("\n")).toHaveLength(2);
    expect((await call("panes", { action: "close", pane: "%2" })).text).toBe("closed %2");
    expect(fake.seen).toEqual(["open %2 in /w", "close %2"]);
    await call("panes", { action: "close", pane: "%1" });
    expect((await call("panes", { action: "list" })).text).toMatch(/^No panes\. /);
  });

  it("refuses a close without a pane, and a title that cannot be shown", async () => {
    expect((await call("panes", { action: "close" })).text).toMatch(/`pane` is missing; `close` takes the id/);
    expect((await call("panes", { action: "open", name: "a\nb" })).text).toMatch(/`name` is not a title/);
  });
});

describe("bash in the background", () => {
  it("types the command into the pane and says how to look", async () => {
    const { text } = await call("bash", { command: "npm run dev", background: true });
    expect(fake.seen).toEqual(["dispatch %1: npm run dev in /w"]);
    expect(text).toBe(
      "status: started in the pane %1 of the session haft-test\n" +
        '`capture_pane` with pane "%1" shows its output; `send_keys` types into it, and the key C-c stops the command.',
    );
  });

  it("says what happened to the pane", async () => {
    fake.states["%1"] = { notice: "The pane %0 was gone." };
    const { text } = await call("bash", { command: "npm run dev", background: true });
    fake.states["%1"] = { notice: "The pane %0 was gone." };
    expect(text).toMatch(/stops the command\.\nThe pane %0 was gone\.$/);
    for (const [name, input] of [
      ["send_keys", { enter: true }],
      ["panes", { action: "list" }],
    ] as const)
      expect((await call(name, input)).text).toMatch(/waits for a command\. The pane %0 was gone\.$/);
  });

  it("opens another pane while the first is busy", async () => {
    await call("bash", { command: "npm run dev", background: true });
    expect((await call("bash", { command: "npm test", background: true })).text).toMatch(/in the pane %2 /);
    expect(fake.seen.slice(1)).toEqual(["open %2 in /w", "dispatch %2: npm test in /w"]);
  });

  it("becomes a job where it has stdin, or where there is no terminal", async () => {
    const before = fake.seen.length;
    expect((await call("bash", { command: "cat", input: "x", background: true })).text).not.toMatch(/pane/);
    await open({ autonomy: "full", on: ["memory", "pane"] });
    expect((await call("bash", { command: "sleep 100", background: true })).text).toMatch(/as job memory-1/);
    expect(fake.seen).toHaveLength(before);
  });

  it("asks about the command, and that a pane may be opened", async () => {
    const asked: ApprovalRequest[] = [];
    await open({ autonomy: "supervised", approver: recording(asked) });
    expect(await call("bash", { command: "npm install", background: true })).toMatchObject({ status: "denied" });
    const [text] = asked.map(approvalText);
    expect(text).toMatchObject({ title: "bash would run this command:", body: ["npm install"] });
    expect(text?.rows).toContainEqual({ name: "touches", lines: ["open panes of the terminal"] });
    expect(fake.seen).toEqual([]);
  });
});

function recording(asked: ApprovalRequest[]): Approver {
  return {
    async ask(request) {
      asked.push(request);
      return { denied: "not now" };
    },
  };
}
