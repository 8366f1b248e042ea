/** A command starts exactly as the call claimed it, and a job is used only as claimed. */
import {
  type GrantedCommand,
  type GrantedJob,
  HaftError,
  JOB_ACTIONS,
  type JobAction,
  type Shell,
  type ShellHandle,
  type ShellOptions,
  type SpawnOptions,
} from "../../kernel/index.js";
import { on, utf8 } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { expectExit, stdoutOf, until } from "./run.js";

const COMMAND = 'echo ran >> marker; printf "[$PROBE]"; cat';

/** A shell whose one command is claimed in the fixture's directory, with this. */
function claiming(fixture: Fixture, claim: Partial<GrantedCommand>): Shell {
  return bindAll(fixture, { commands: [{ command: COMMAND, cwd: fixture.directory, ...claim }] }).shell;
}

/** Fails if one of the starts is not refused, or if the command ran. */
async function expectUnclaimed(
  fixture: Fixture,
  shell: Shell,
  starts: Readonly<Record<string, Partial<ShellOptions>>>,
): Promise<void> {
  const cwd = fixture.directory;
  for (const [what, options] of Object.entries(starts)) {
    await expectError(shell.exec(COMMAND, { cwd, ...options }), "CALL_UNCLAIMED", `exec with ${what}`);
    const spawned = shell.spawn(COMMAND, { cwd, lifetime: "session", ...options });
    await expectError(spawned, "CALL_UNCLAIMED", `spawn with ${what}`);
  }
  expectEqual(await bindAll(fixture).fs.exists(`${cwd}/marker`), false, "the marker is there");
}

export const shellClaiming: Suite<Fixture> = [
  on(
    "shell:claimed:environment",
    "A command does not start with other environment variables than the call claimed",
    async (fixture) => {
      const cwd = fixture.directory;
      const env = { PROBE: "1", OTHER: "2" };
      await expectUnclaimed(fixture, claiming(fixture, { env, background: "keep" }), {
        "no variables": {},
        "one of two": { env: { PROBE: "1" } },
        "another value": { env: { PROBE: "1", OTHER: "3" } },
        "another name": { env: { PROBE: "1", PATH: "2" } },
        "one more": { env: { ...env, PATH: cwd } },
        "a value that is not a string": { env: { ...env, OTHER: { toString: () => "2" } as unknown as string } },
      });
      await expectUnclaimed(fixture, claiming(fixture, { background: "keep" }), {
        "a variable": { env: { PATH: cwd } },
        "a name of all objects": { env: { toString: "x" } },
      });
      const exact = await claiming(fixture, { env }).exec(COMMAND, { cwd, env: { OTHER: "2", PROBE: "1" } });
      expectExit(exact, 0, "with the claimed ones");
      expectEqual(stdoutOf(exact), "[1]", "stdout");
      expectExit(await claiming(fixture, {}).exec(COMMAND, { cwd, env: {} }), 0, "with none, claimed as none");
      const added = claiming(fixture, { addedEnv: { PROBE: "policy" } });
      expectEqual(stdoutOf(await added.exec(COMMAND, { cwd })), "[policy]", "with one that the policy adds");
      const own = claiming(fixture, { env: { PROBE: "own" }, addedEnv: { PROBE: "policy" } });
      const kept = await own.exec(COMMAND, { cwd, env: { PROBE: "own" } });
      expectEqual(stdoutOf(kept), "[own]", "with one that the command sets");
    },
  ),
  on("shell:claimed:stdin", "A command does not start with another stdin than the call claimed", async (fixture) => {
    const cwd = fixture.directory;
    const input = "né\n";
    await expectUnclaimed(fixture, claiming(fixture, { input, background: "keep" }), {
      "no stdin": {},
      "an empty stdin": { input: utf8("") },
      "another text": { input: utf8("no\n") },
      "a longer text": { input: utf8(`${input}echo harm\n`) },
      "bytes that are not UTF-8": { input: Uint8Array.of(255) },
    });
    await expectUnclaimed(fixture, claiming(fixture, { background: "keep" }), { "a stdin": { input: utf8(input) } });
    const exact = await claiming(fixture, { input }).exec(COMMAND, { cwd, input: utf8(input) });
    expectExit(exact, 0, "with the claimed one");
    expectEqual(stdoutOf(exact), `[]${input}`, "stdout");
  }),
  on(
    "shell:claimed:background",
    "A command does not continue in the background unless the call claimed that",
    async (fixture) => {
      const cwd = fixture.directory;
      const shell = claiming(fixture, {});
      for (const lifetime of ["session", "host", "keep"] as const)
        await expectError(shell.spawn(COMMAND, { cwd, lifetime }), "CALL_UNCLAIMED", `spawn, ${lifetime}`);
      const forSession = claiming(fixture, { background: "session" });
      for (const lifetime of ["host", "keep"] as const)
        await expectError(
          forSession.spawn(COMMAND, { cwd, lifetime }),
          "CALL_UNCLAIMED",
          `spawn, ${lifetime}, claimed for the session`,
        );
      await expectError(
        claiming(fixture, { background: "session", detachAfter: "input" }).spawn(COMMAND, { cwd, lifetime: "session" }),
        "CALL_UNCLAIMED",
        "spawn, claimed for a command that starts in the foreground",
      );
      const forHost = claiming(fixture, { background: "host" });
      await expectError(
        forHost.spawn(COMMAND, { cwd, lifetime: "keep" }),
        "CALL_UNCLAIMED",
        "spawn, keep, claimed for the host",
      );
      // A backend that cannot detach refuses it too: the claim is the same on every backend.
      const detach = new AbortController().signal;
      await expectError(shell.exec(COMMAND, { cwd, detach }), "CALL_UNCLAIMED", "exec that can be detached");
      expectEqual(await bindAll(fixture).fs.exists(`${cwd}/marker`), false, "the marker is there");
      expectExit(
        await claiming(fixture, { background: "keep" }).exec(COMMAND, { cwd }),
        0,
        "one that may, and does not",
      );
    },
  ),
  on(
    "shell:claimed:read-once",
    "The variables and the stdin that were checked are those that a command gets, whatever the caller does with them later",
    async (fixture) => {
      const input = utf8("claimed");
      let reads = 0;
      const options: ShellOptions = {
        cwd: fixture.directory,
        get env() {
          reads += 1;
          return { PROBE: reads === 1 ? "claimed" : "harm" };
        },
        input,
      };
      const running = claiming(fixture, { env: { PROBE: "claimed" }, input: "claimed" }).exec(COMMAND, options);
      input.fill(120);
      expectEqual(stdoutOf(await running), "[claimed]claimed", "what it got");
    },
  ),
  on("shell:options:checked", "Options of a wrong type are CALL_INVALID before anything starts", async (fixture) => {
    const cwd = fixture.directory;
    const shell = claiming(fixture, { background: "keep" });
    const wrong: Readonly<Record<string, unknown>> = {
      signal: null,
      detach: { aborted: false },
      onOutput: 5,
      onWaiting: "x",
      timeoutMs: "abc",
      graceMs: null,
      keep: { head: Number.NaN, tail: "x" },
    };
    for (const [name, value] of Object.entries(wrong)) {
      const options = { cwd, [name]: value };
      await expectError(shell.exec(COMMAND, options), "CALL_INVALID", `exec with ${name}`);
      const spawned = shell.spawn(COMMAND, { ...options, lifetime: "session" });
      await expectError(spawned, "CALL_INVALID", `spawn with ${name}`);
    }
    for (const lifetime of ["bogus", "", undefined] as const) {
      const options = { cwd, lifetime: lifetime as "keep" };
      await expectError(shell.spawn(COMMAND, options), "CALL_INVALID", `spawn with the lifetime ${lifetime}`);
    }
    const outputDirectory = `${cwd}/out`;
    const reading = bindAll(fixture, {
      files: [{ path: cwd, access: ["read"], scope: "tree" }],
      commands: [{ command: COMMAND, cwd, background: "keep" }],
    }).shell;
    const stored = reading.spawn(COMMAND, { cwd, lifetime: "session", outputDirectory });
    await expectError(stored, "CALL_UNCLAIMED", "spawn with an output directory that the call may not write to");
    expectEqual(await bindAll(fixture).fs.exists(`${cwd}/marker`), false, "the marker is there");
  }),
  on(
    "shell:jobs:claimed-actions",
    "A job is attached to, read, written to, signalled and stopped only as far as the call claimed",
    async (fixture) => {
      const id = (await sleeping(fixture)).id;
      const using = (action: JobAction, job = id) => bindAll(fixture, { jobs: [{ id: job, actions: [action] }] }).shell;
      const attached = async (action: JobAction) => {
        const handle = await using(action).attach(id);
        expectThat(handle !== null, `attach with ${action}`);
        await handle.output("stdout", 0, 1);
        return handle;
      };
      await expectError(using("list", "*").attach(id), "CALL_UNCLAIMED", "attach by a call that may list");
      expectThat(
        (await using("list", "*").jobs()).some((one) => one.id === id),
        "it is in the list",
      );
      for (const action of JOB_ACTIONS.filter((one) => one !== "list"))
        await expectError(using(action, "*").jobs(), "CALL_UNCLAIMED", `list with ${action}`);
      const allowed: Readonly<Record<Exclude<JobAction, "list">, readonly string[]>> = {
        read: [],
        write: ["write", "close"],
        signal: ["signal"],
        stop: ["signal", "stop", "forget"],
      };
      for (const action of ["read", "write", "signal", "stop"] as const) {
        const handle = await attached(action);
        for (const [use, act] of Object.entries(usesOf(handle)))
          if (!allowed[action].includes(use)) await expectError(act(), "CALL_UNCLAIMED", `${use} with ${action}`);
      }
      const { status } = await (await attached("read")).info();
      expectEqual(status, "running", "after all that was refused");
      expectEqual((await (await attached("write")).write(utf8("x"))).acceptedBytes, 1, "what was written");
      expectEqual((await (await attached("signal")).kill("CONT", { once: true })).state, "alive", "after a signal");
      expectEqual((await (await attached("stop")).kill("KILL")).state, "gone", "after a stop");
    },
  ),
  on(
    "shell:jobs:claimed-input",
    "Only the text that the call claimed is written to a job, once, in any number of parts",
    async (fixture) => {
      const job = await sleeping(fixture, "cat");
      const write = async (jobs: readonly GrantedJob[], ...texts: readonly string[]) => {
        const { shell } = bindAll(fixture, { jobs });
        const codes: string[] = [];
        for (const text of texts) {
          const writing = (await shell.attach(job.id))?.write(utf8(text));
          codes.push(await (writing ?? Promise.reject(new Error("no job"))).then(() => "", codeOf));
        }
        return codes;
      };
      const claim = (input: string): GrantedJob => ({ id: job.id, actions: ["write"], input });
      const refused = "CALL_UNCLAIMED";
      expectEqual(await write([claim("y\n")], "n\n", "y\nrm\n"), [refused, refused], "another text");
      expectEqual(await write([claim("é1\n")], "é", "1\n", "é1\n"), ["", "", refused], "in parts, and again");
      expectEqual(await write([claim("a"), claim("b")], "b", "a", "b"), [refused, "", ""], "two claims");
      await job.closeInput();
      expectEqual(stdoutOf(await job.result), "é1\nab", "what it got");
    },
  ),
  on(
    "shell:jobs:claimed-end-of-file",
    "The stdin of a job is closed only by a call that claimed an empty text, or any",
    async (fixture) => {
      const close = async ({ id }: ShellHandle, ...inputs: readonly (string | undefined)[]) => {
        const jobs = inputs.map(
          (input): GrantedJob => ({ id, actions: ["write"], ...(input === undefined ? {} : { input }) }),
        );
        await (await bindAll(fixture, { jobs }).shell.attach(id))?.closeInput();
      };
      const [one, other] = [await sleeping(fixture, "cat"), await sleeping(fixture, "cat")];
      await expectError(close(one, "y\n"), "CALL_UNCLAIMED", "a call that claimed a text");
      await expectError(close(one, "y\n", "n\n"), "CALL_UNCLAIMED", "a call that claimed two texts");
      expectEqual((await one.info()).status, "running", "after that");
      await close(one, "y\n", "");
      expectExit(await one.result, 0, "after an empty text");
      await close(other, undefined);
      expectExit(await other.result, 0, "after any text");
    },
  ),
  on(
    "shell:jobs:started-by-the-call",
    "The call that started a job may read and stop it and close its stdin, but not write to it",
    async (fixture) => {
      const claimed = { command: "echo ready; cat", cwd: fixture.directory, background: "keep" as const };
      const { shell } = bindAll(fixture, { commands: [claimed], jobs: [] });
      const start = () => shell.spawn(claimed.command, { cwd: claimed.cwd, lifetime: "session" });
      const closed = await start();
      await expectError(closed.write(utf8("echo harm\n")), "CALL_UNCLAIMED", "a write");
      await closed.closeInput();
      expectEqual(stdoutOf(await closed.result), "ready\n", "stdout");
      const stopped = await start();
      await until(fixture, "it prints", async () => (await stopped.output("stdout", 0, 9)).bytes.length > 0);
      expectEqual((await stopped.kill("CONT", { once: true })).state, "alive", "after a signal");
      expectEqual((await stopped.kill("KILL")).state, "gone", "after a stop");
      await expectError(shell.attach(stopped.id), "CALL_UNCLAIMED", "attach to it");
    },
  ),
];

function usesOf(handle: ShellHandle): Readonly<Record<string, () => Promise<unknown>>> {
  const { forget } = handle;
  return {
    write: () => handle.write(utf8("x")),
    close: () => handle.closeInput(),
    signal: () => handle.kill("TERM", { once: true }),
    stop: () => handle.kill("TERM"),
    ...(forget === undefined ? {} : { forget: () => forget() }),
  };
}

/** A job that a call with every right has started. */
function sleeping(fixture: Fixture, command = "sleep 600"): Promise<ShellHandle> {
  const options: SpawnOptions = { cwd: fixture.directory, lifetime: "session" };
  return bindAll(fixture, { commands: [{ command, cwd: options.cwd, background: "keep" }] }).shell.spawn(
    command,
    options,
  );
}

function codeOf(thrown: unknown): string {
  return HaftError.is(thrown) ? thrown.code : String(thrown);
}
