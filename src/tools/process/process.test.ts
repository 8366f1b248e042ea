import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createToolkit, type Toolkit, type ToolkitOptions, type ToolkitSession } from "../../index.js";

let base: string;
let toolkit: Toolkit;
let session: ToolkitSession;
const toolkits: Toolkit[] = [];
beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-process-")));
  toolkit = await open();
  session = toolkit.session("one");
});
afterEach(async () => {
  for (const one of toolkits.splice(0)) await one.close();
  rmSync(base, { recursive: true, force: true });
});

async function open(options: ToolkitOptions = {}): Promise<Toolkit> {
  const opened = await createToolkit({ autonomy: "full", workspace: base, stateDir: join(base, "state"), ...options });
  toolkits.push(opened);
  return opened;
}

async function call(input: object, on = session, tool = "process") {
  const outcome = await on.box().runner.run({ id: "c", name: tool, input });
  const text = outcome.content.map((block) => (block.kind === "text" ? block.text : "")).join("");
  // biome-ignore lint/suspicious/noExplicitAny: the structured part is plain data of any shape.
  return { ...outcome, text, data: outcome.structured as any };
}

const idOf = (text: string) => /^(?:status: .*)?(?:[\s\S]*?)(job-\d+)/.exec(text)?.[1] ?? "";

describe("claims", () => {
  const claimsOf = async (name: string, input: object, of = toolkit) =>
    (await of.box().explain({ id: "c", name, input }))?.claims;

  it("of bash and of a start are the command with its stdin, and whether it may continue after the call", async () => {
    const command = { kind: "command", command: "cat", cwd: base };
    expect(await claimsOf("bash", { command: "cat" })).toEqual([
      { ...command, background: "session", detachAfter: "input" },
    ]);
    expect(await claimsOf("bash", { command: "cat", background: true })).toEqual([
      { ...command, background: "session" },
    ]);
    const serving = await open({ yieldMs: 45_000 });
    expect(await claimsOf("bash", { command: "cat" }, serving)).toMatchObject([{ detachAfter: 45_000 }]);
    const alone = await open({ toolSettings: { process: false } });
    expect(await claimsOf("bash", { command: "cat", input: "né" }, alone)).toEqual([{ ...command, input: "né" }]);
    const started = { action: "start", command: "cat", input: "" };
    expect(await claimsOf("process", started)).toEqual([{ ...command, input: "", background: "session" }]);
    expect(await claimsOf("process", { ...started, lifetime: "keep" })).toMatchObject([{ background: "keep" }]);
  });

  it("of a use of a job name what is done with it", async () => {
    const of = (action: string, more: object = {}) => claimsOf("process", { action, id: "job-1", ...more });
    for (const [action, claimed] of Object.entries({ poll: "read", wait: "read", signal: "signal", stop: "stop" }))
      expect(await of(action)).toEqual([{ kind: "job", action: claimed, id: "job-1" }]);
    expect(await of("write", { input: "y" })).toEqual([{ kind: "input", to: "job", id: "job-1", text: "y" }]);
    expect(await of("write")).toEqual([{ kind: "input", to: "job", id: "job-1", text: "" }]);
    expect(await claimsOf("process", { action: "list" })).toEqual([{ kind: "job", action: "list" }]);
  });
});

describe("process", () => {
  it("starts a job, returns its first output and, at the next poll, only new output", async () => {
    const started = await call({ action: "start", command: "echo one; read x; echo two; read y; exit 3" });
    expect(started.text).toMatch(
      /^job-1: running for \d+ ms, "echo one; .*"\nstdout \(4 new bytes\):\none\nstderr: nothing new/,
    );
    expect((await call({ action: "wait", id: "job-1" })).text).toContain("waiting for input: sh (pid ");
    const wrote = await call({ action: "write", id: "job-1", input: "x\n" });
    expect(wrote.text).toContain("stdout (4 new bytes):\ntwo\n");
    expect(wrote.text).toContain("wrote 2 bytes to stdin");
    expect((await call({ action: "poll", id: "job-1" })).text).toContain("stdout: nothing new\nstderr: nothing new");
    await call({ action: "write", id: "job-1" });
    const ended = await call({ action: "wait", id: "job-1" });
    expect(ended.text).toMatch(/^job-1: exit code 3 after \d+ ms/);
    expect(ended.data.job).toMatchObject({ id: "job-1", status: "ended", exitCode: 3, endedBy: "itself" });
    expect((await call({ action: "list" })).text).toMatch(/^job-1: exit code 3 after \d+ ms/);
  });

  it("ends a wait that has lasted long enough, and at once when the job waits for input", async () => {
    const { text } = await call({ action: "start", command: "sleep 600" });
    const waited = await call({ action: "wait", id: idOf(text), timeoutMs: 50 });
    expect(waited.text).toMatch(/still running after a wait of \d+ ms/);
    const asking = await call({ action: "start", command: "printf 'Name: '; read name; echo hello $name" });
    const stopped = await call({ action: "wait", id: idOf(asking.text), timeoutMs: 60_000 });
    expect(stopped.data.waitingFor).toMatchObject({ name: "sh", on: "input", prompt: "Name:" });
    expect(stopped.text).toContain('reads on standard input: "Name:". Answer with `write`');
  });

  it("refuses input for a job that has ended, or whose input was closed, and sends none", async () => {
    const ended = idOf((await call({ action: "start", command: "true" })).text);
    await call({ action: "wait", id: ended });
    const open = idOf((await call({ action: "start", command: "sleep 600" })).text);
    expect((await call({ action: "write", id: open })).text).toContain("closed stdin");
    for (const id of [ended, open]) {
      const refused = await call({ action: "write", id, input: "hello\n" });
      expect([refused.isError, refused.code, refused.text]).toEqual([
        true,
        "JOB_INPUT_CLOSED",
        `Did not write to "${id}": it has ended, or its standard input is closed. Start it again to send input.`,
      ]);
    }
  });

  it("reports how much input a job that does not read has accepted, and where to continue", async () => {
    const command = "while [ ! -e go ]; do sleep 0.02; done; exec cat";
    const id = idOf((await call({ action: "start", command })).text);
    const input = `first, ${Array.from({ length: 40_000 }, (_, index) => `line ${index} é\n`).join("")}`;
    const bytes = Buffer.from(input);
    const cut = await call({ action: "write", id, input });
    const { wroteBytes, waitingBytes, unwritten } = cut.data;
    expect(wroteBytes).toBeLessThan(bytes.length);
    expect(waitingBytes).toBeGreaterThan(0);
    const rest = bytes.subarray(wroteBytes).toString();
    expect(unwritten).toEqual({ bytes: bytes.length - wroteBytes, from: rest.slice(0, 40), why: "full" });
    expect(cut.text).toMatch(
      /\nstdin accepted \d+ of \d+ bytes and is full: .* Not written: \d+ bytes, starting with ".*"; send that again/,
    );
    const none = await call({ action: "write", id, input: "more" });
    expect(none.text).toContain("\nstdin accepted 0 of 4 bytes and is full: ");
    expect(none.text).toContain('Not written: 4 bytes, starting with "more"; send that again once it reads');
    writeFileSync(join(base, "go"), "");
    for (let left = rest; left !== ""; ) {
      const { data } = await call({ action: "write", id, input: left });
      left = Buffer.from(left).subarray(data.wroteBytes).toString();
    }
    await call({ action: "write", id });
    const end = await call({ action: "wait", id });
    expect(end.data.job).toMatchObject({ exitCode: 0, outputBytes: bytes.length });
  });

  it("signals a job, and stops one with its whole tree and its last output", async () => {
    const command = "trap 'echo caught' INT; echo ready; while :; do sleep 0.02; done";
    const { text } = await call({ action: "start", command });
    const id = idOf(text);
    // Before that the shell has not set its trap yet.
    let printed = text;
    while (!printed.includes("ready")) printed += (await call({ action: "poll", id })).text;
    const signalled = await call({ action: "signal", id });
    expect(signalled.isError).toBe(false);
    const stopped = await call({ action: "stop", id });
    expect(`${signalled.text}${stopped.text}`).toContain("caught");
    expect(stopped.data).toMatchObject({ endedBy: "TERM", survivors: [] });
    expect((await call({ action: "list" })).text).toMatch(new RegExp(`^${id}: stopped after`));
    expect(await call({ action: "signal", id, signal: "NONSENSE" })).toMatchObject({
      isError: true,
      code: "CALL_INVALID",
    });
  });

  it("shows the latest 32 KiB of a burst, counts the rest, and has all of it as an artifact", async () => {
    const command = "head -c 100000 /dev/zero | tr '\\0' a; echo; echo END";
    const { text } = await call({ action: "start", command });
    const ended = await call({ action: "wait", id: idOf(text) });
    const all = `${text}${ended.text}`;
    expect(all).toMatch(/\[… \d+ bytes omitted; `read` or `grep` the path "artifact:/);
    expect(all).toContain("aaa\nEND");
    const [artifact] = /artifact:[A-Za-z0-9-]+/.exec(all) ?? [""];
    const found = await call({ pattern: "END", path: artifact }, session, "grep");
    expect(found.text).toContain("END");
    expect(Buffer.byteLength(all)).toBeLessThan(80_000);
  });

  it("never returns half a character", async () => {
    const command = "printf 'd\\342\\202'; read x; printf '\\254b'";
    const started = await call({ action: "start", command });
    expect(started.text).toContain("stdout (1 new byte):\nd\n");
    const rest = await call({ action: "write", id: idOf(started.text), input: "\n" });
    const last = await call({ action: "wait", id: idOf(started.text) });
    expect(`${rest.text}${last.text}`).toContain("€b");
  });

  it("names the jobs there are where it does not know one, and refuses what is missing in one sentence", async () => {
    const unknown = await call({ action: "poll", id: "job-77" });
    expect([unknown.code, unknown.text]).toEqual([
      "JOB_UNKNOWN",
      'There is no job "job-77" here. `list` shows the jobs.',
    ]);
    expect((await call({ action: "start" })).text).toBe(
      "Did not start anything: `command` is missing; `start` takes a shell command.",
    );
    expect((await call({ action: "stop" })).text).toContain("`id` is missing; `stop` takes the id of a job");
    expect((await call({ action: "list" })).text).toBe("No jobs.");
    const badDirectory = await call({ action: "start", command: "true", cwd: "nowhere" });
    expect(badDirectory.code).toBe("SHELL_SPAWN");
  });

  it("lists jobs of the session; longer-lived ones of other sessions on request", async () => {
    const other = toolkit.session("two");
    await call({ action: "start", command: "sleep 600" });
    await call({ action: "start", command: "sleep 601", lifetime: "host" });
    expect((await call({ action: "list" }, other)).text).toBe("No jobs.");
    expect((await call({ action: "list", all: true }, other)).text).toMatch(
      /^job-2: running for .*, ends with the host process, "sleep 601"$/,
    );
    expect((await call({ action: "poll", id: "job-1" }, other)).code).toBe("JOB_UNKNOWN");
    expect((await call({ action: "stop", id: "job-2" }, other)).isError).toBe(false);
  });

  it("shows jobs that outlive their session only to sessions of the same owner", async () => {
    const [first, second] = [toolkit.session("a1", { owner: "a" }), toolkit.session("a2", { owner: "a" })];
    const stranger = toolkit.session("b", { owner: "b" });
    await call({ action: "start", command: "sleep 600", lifetime: "host" }, first);
    expect((await call({ action: "list", all: true }, second)).text).toMatch(/^job-1: running/);
    for (const on of [stranger, session]) {
      expect((await call({ action: "list", all: true }, on)).text).toBe("No jobs.");
      expect((await call({ action: "stop", id: "job-1" }, on)).code).toBe("JOB_UNKNOWN");
    }
  });

  it("gives a later start of the same session its jobs, their end and their output", async () => {
    const { text } = await call({ action: "start", command: "echo kept words; exec sleep 600" });
    await toolkit.close();
    const later = (await open()).session("one");
    const polled = await call({ action: "poll", id: idOf(text) }, later);
    expect(polled.text).toMatch(/^job-1: ended with its host process after \d+ ms .*"echo kept words; .*"\nstdout/);
    // What the start has shown is not shown again; what it has not shown, as when the command is slower, is.
    expect(`${text}${polled.text}`.match(/^kept words$/gm)).toHaveLength(1);
    const next = await call({ action: "start", command: "true" }, later);
    expect(next.text).toMatch(/^job-2: /);
  });
});

describe("bash and its jobs", () => {
  const UNTIL_GO = "echo early; while [ ! -e go ]; do sleep 0.02; done; echo late";

  it("starts in the background on request, and process continues with new output", async () => {
    const started = await call({ command: UNTIL_GO, background: true }, session, "bash");
    expect(started.isError).toBe(false);
    expect(started.text).toMatch(/^stdout:.*[\s\S]*\nstatus: still running after \d+ ms, as job job-1\n/);
    writeFileSync(join(base, "go"), "");
    const waited = await call({ action: "wait", id: "job-1" });
    expect(`${started.text}${waited.text}`.match(/^(early|late)$/gm)).toEqual(["early", "late"]);
  });

  it("reports a background command that fails at once", async () => {
    let failed = await call({ command: "echo no; exit 9", background: true }, session, "bash");
    // A machine that has much to do may need longer than a start waits.
    for (let tries = 0; failed.code === undefined && tries < 20; tries += 1)
      failed = await call({ command: "echo no; exit 9", background: true }, session, "bash");
    expect([failed.code, failed.text]).toEqual(["SHELL_EXIT", expect.stringContaining("status: exit code 9")]);
  });

  it("detaches after the configured time, without losing a byte", async () => {
    const own = (await open({ yieldMs: 200 })).session("one");
    const yielded = await call({ command: `${UNTIL_GO}; exit 5` }, own, "bash");
    expect(yielded.text).toMatch(/status: still running after \d+ ms, as job job-1\n`process` with action "wait"/);
    expect(yielded.data).toMatchObject({ ended: "detached", detachedBy: "time", job: "job-1" });
    writeFileSync(join(base, "go"), "");
    const waited = await call({ action: "wait", id: "job-1" }, own);
    expect(waited.text).toMatch(/^job-1: exit code 5 after /);
    expect(`${yielded.text}${waited.text}`.match(/^(early|late)$/gm)).toEqual(["early", "late"]);
  });

  it("does not wait for its deadline when a command waits at a terminal for somebody to type", async (context) => {
    if (spawnSync("python3", ["-c", "import pty"]).status !== 0) context.skip("there is no python3 to open a terminal");
    const asks = "os.execvp('sh', ['sh', '-c', 'printf Password:; read x'])";
    const script = `import os, pty\npid, fd = pty.fork()\nif pid == 0: ${asks}\nprint(os.read(fd, 99).decode(), end='', flush=True)\nos.waitpid(pid, 0)`;
    const { text, data } = await call({ command: `python3 -c "${script}"` }, session, "bash");
    expect(data).toMatchObject({ ended: "detached", detachedBy: "input", waitingFor: { name: "sh", on: "terminal" } });
    expect(text).toMatch(/waiting for input: sh \(pid \d+\) reads at a terminal: "Password:"\.\n`process` with action/);
  });

  it("shows lines that look like errors from the omitted part", async () => {
    const noise = "i=0; while [ $i -lt 3000 ]; do echo fine fine fine $i; i=$((i+1)); done";
    const { text, data } = await call(
      { command: `${noise}; echo 'main.c:7: error: no such thing'; ${noise}` },
      session,
      "bash",
    );
    expect(text).toContain("[line 3001] main.c:7: error: no such thing");
    expect(data.stdout.omittedBytes).toBeGreaterThan(0);
  });
});
