/** Background commands: how they start, what their handle does, how they end. */
import { JOB_ACTIONS } from "../../kernel/index.js";
import { on } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { CHILD_THEN_SLEEP, expectEnded, expectExit, pause, stdoutOf, until } from "./run.js";

export const shellSpawning: Suite<Fixture> = [
  on(
    "shell:spawn:result",
    "spawn returns a handle whose result resolves when the command has ended",
    async (fixture) => {
      const handle = await spawned(fixture, "echo out; exit 3");
      const result = await handle.result;
      expectExit(result, 3, "exit");
      expectEqual(stdoutOf(result), "out\n", "stdout");
    },
  ),
  on(
    "shell:spawn:cannot-start",
    "spawn in a missing directory rejects with SHELL_SPAWN, and nothing runs",
    async (fixture) => {
      const command = `echo ran > ${fixture.directory}/marker`;
      const cwd = `${fixture.directory}/gone`;
      const { fs, shell } = bindAll(fixture, { commands: [{ command, cwd, background: "keep" }] });
      const error = await expectError(shell.spawn(command, { cwd, lifetime: "session" }), "SHELL_SPAWN", "spawn");
      const reported = `Did not start the command: the directory "${cwd}" does not exist. Fix that and start it again.`;
      expectEqual(error.message, reported, "the message");
      expectEqual(await fs.exists(`${fixture.directory}/marker`), false, "the marker is there");
    },
  ),
  on(
    "shell:spawn:outlives-the-call",
    "A spawned command continues after its call has ended, and attach finds it",
    async (fixture) => {
      const controller = new AbortController();
      const handle = await spawned(fixture, "sleep 600", controller.signal);
      controller.abort();
      await pause(fixture, 50);
      const later = await bindAll(fixture).shell.attach(handle.id);
      expectThat(later !== null, "attach finds it");
      expectEqual(later.id, handle.id, "id");
      expectEqual((await later.kill("KILL")).state, "gone", "tree after KILL");
      expectEqual((await handle.result).exit.by === "code", false, "it ended by a code");
      expectEqual(await bindAll(fixture).shell.attach("no-such-id"), null, "attach of an unknown id");
    },
  ),
  on(
    "shell:session:ends-its-jobs",
    "The end of a session ends its jobs and survivors, and no others",
    async (fixture) => {
      const command = "sleep 600";
      const surviving = "sleep 600 & echo $!";
      const commands = [command, surviving].map((one) => ({
        command: one,
        cwd: fixture.directory,
        background: "keep" as const,
      }));
      const of = (sessionId: string) => bindAll(fixture, { commands }, { sessionId }).shell;
      const at = { cwd: fixture.directory };
      const early = of("ending");
      const own = await of("ending").spawn(command, { ...at, lifetime: "session" });
      const others = [
        await of("ending").spawn(command, { ...at, lifetime: "host" }),
        await of("going-on").spawn(command, { ...at, lifetime: "session" }),
      ];
      const left = await of("ending").exec(surviving, at);
      expectThat(fixture.backend.endSession !== undefined, "the backend can end a session");
      expectEqual(await fixture.backend.endSession("ending"), { left: [] }, "what remains");
      expectEqual((await own.result).tree.state, "gone", "the tree of its job");
      await expectEnded(fixture, stdoutOf(left).trim());
      expectEqual(await fixture.backend.endSession("ending"), { left: [] }, "what is left the second time");
      const late = await early.spawn(command, { ...at, lifetime: "session" });
      expectEqual((await late.result).tree.state, "gone", "what a call of before the end has started since");
      for (const other of others) {
        const tree = await other.kill("KILL");
        expectEqual([tree.state, tree.endedBy !== null], ["gone", true], "another job, which ran until it was killed");
      }
    },
  ),
  on(
    "shell:attach:unclaimed-is-refused",
    "attach to a job that the call has not claimed is rejected",
    async (fixture) => {
      const handle = await spawned(fixture, "sleep 600");
      for (const id of [handle.id, "no-such-id"]) {
        await expectError(
          bindAll(fixture, { jobs: [{ id: "another", actions: JOB_ACTIONS }] }).shell.attach(id),
          "CALL_UNCLAIMED",
          `attach ${id}`,
        );
      }
      await handle.kill("KILL");
    },
  ),
  on("shell:spawn:handle-is-revoked", "A handle stops working when its call has ended", async (fixture) => {
    const controller = new AbortController();
    const handle = await spawned(fixture, "sleep 600", controller.signal);
    controller.abort();
    await expectError(handle.kill("KILL"), "CALL_REVOKED", "kill");
    await expectError(handle.output("stdout", 0, 10), "CALL_REVOKED", "output");
    await (await bindAll(fixture).shell.attach(handle.id))?.kill("KILL");
  }),
  on("shell:spawn:output", "output returns the bytes from any offset, and whether more can follow", async (fixture) => {
    const handle = await spawned(fixture, "printf 0123456789; printf e >&2");
    await handle.result;
    const part = await handle.output("stdout", 2, 3);
    expectEqual([new TextDecoder().decode(part.bytes), part.next, part.droppedBytes], ["234", 5, 0], "three from two");
    const rest = await handle.output("stdout", part.next, 1_000);
    expectEqual([new TextDecoder().decode(rest.bytes), rest.next, rest.ended], ["56789", 10, true], "the rest");
    expectEqual((await handle.output("stdout", 10, 10)).bytes.length, 0, "bytes past the end");
    expectEqual(new TextDecoder().decode((await handle.output("stderr", 0, 10)).bytes), "e", "stderr");
  }),
  on("shell:spawn:kill", "kill ends the process tree; a second kill does no harm", async (fixture) => {
    const handle = await spawned(fixture, CHILD_THEN_SLEEP);
    let child = "";
    await until(fixture, "the child's number was printed", async () => {
      child = new TextDecoder().decode((await handle.output("stdout", 0, 100)).bytes).trim();
      return child !== "";
    });
    expectEqual((await handle.kill("TERM")).state, "gone", "tree");
    await expectEnded(fixture, child);
    expectEqual((await handle.kill("TERM")).state, "gone", "tree after the second kill");
    expectEqual((await handle.kill("KILL")).state, "gone", "tree after the third kill");
    expectEqual((await handle.result).exit.by === "code", false, "it ended by a code");
  }),
  on("shell:spawn:signal", "kill sends the given signal and no other", async (fixture) => {
    const started = async (command: string) => {
      const handle = await spawned(fixture, command);
      const printed = async () => new TextDecoder().decode((await handle.output("stdout", 0, 100)).bytes);
      await until(fixture, "it was ready", async () => (await printed()).includes("ready"));
      return { handle, printed };
    };
    const traps = (signal: string) => `trap 'echo handler; exit 4' ${signal}; echo ready; while :; do sleep 0.05; done`;
    const killed = await started(traps("TERM"));
    expectEqual((await killed.handle.kill("KILL")).endedBy, "KILL", "what ended it");
    await killed.handle.result;
    expectEqual((await killed.printed()).trim(), "ready", "no handler of TERM ran before KILL");
    const stubborn = await started("trap 'echo handler' TERM; echo ready; while :; do sleep 0.05; done");
    expectEqual((await stubborn.handle.kill("TERM", { once: true })).state, "alive", "TERM alone, which it ignores");
    await until(fixture, "its handler ran", async () => (await stubborn.printed()).includes("handler"));
    await pause(fixture, 100);
    expectEqual((await stubborn.handle.info()).status, "running", "after TERM alone");
    await stubborn.handle.kill("KILL");
  }),
  on(
    "shell:spawn:signal-names",
    "Signal names are case-insensitive, with or without SIG; others are refused",
    async (fixture) => {
      const handle = await spawned(fixture, "sleep 600");
      for (const name of ["NOPE", "", "-9", "9", "TERM 1", "SIG", "SIGSIGTERM", "TERM\n", "ſTOP", "KıLL"]) {
        const error = await expectError(handle.kill(name), "CALL_INVALID", `kill ${JSON.stringify(name)}`);
        expectEqual(error.details.parameter, "signal", "details.parameter");
      }
      expectEqual((await handle.info()).status, "running", "after unknown signals");
      expectEqual((await handle.kill("SIGCONT")).state, "alive", "after SIGCONT");
      expectEqual((await handle.kill("sigkill")).state, "gone", "after sigkill");
    },
  ),
  on(
    "shell:spawn:listeners",
    "Each listener is called once at the end; a late one too, an unsubscribed one not",
    async (fixture) => {
      const handle = await spawned(fixture, "sleep 600");
      const reported: string[] = [];
      handle.onExit(() => reported.push("first"));
      handle.onExit(() => reported.push("second"));
      const unsubscribe = handle.onExit(() => reported.push("unsubscribed"));
      unsubscribe();
      unsubscribe();
      await handle.kill("KILL");
      await handle.result;
      handle.onExit(() => reported.push("late"));
      await until(fixture, "all listeners were called", () => reported.length >= 3);
      await pause(fixture, 20);
      expectEqual([...reported].sort(), ["first", "late", "second"], "listeners called");
    },
  ),
];

async function spawned(fixture: Fixture, command: string, signal?: AbortSignal) {
  const { shell } = bindAll(
    fixture,
    { commands: [{ command, cwd: fixture.directory, background: "keep" as const }] },
    signal === undefined ? {} : { signal },
  );
  return shell.spawn(command, { cwd: fixture.directory, lifetime: "session", graceMs: 1_000 });
}
