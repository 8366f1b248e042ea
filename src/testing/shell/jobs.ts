/** Which calls see which background commands, and what is reported of them. */
import type { BoundCall, JobInfo, Lifetime, Shell } from "../../kernel/index.js";
import { on } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { run, stdoutOf, until } from "./run.js";

export const shellJobs: Suite<Fixture> = [
  on("shell:jobs:running-and-ended", "jobs lists running commands, and how ended ones ended", async (fixture) => {
    const shell = shellOf(fixture, {}, "echo ready; sleep 600", "printf 12345; exit 3");
    const running = await start(fixture, shell, "echo ready; sleep 600");
    const ended = await start(fixture, shell, "printf 12345; exit 3");
    await ended.result;
    await until(fixture, "the end is reported", async () => (await infoOf(shell, ended.id))?.status === "ended");
    const info = await infoOf(shell, ended.id);
    expectEqual(
      [info?.command, info?.cwd, info?.lifetime, info?.exit, info?.endedBy, info?.outputBytes],
      ["printf 12345; exit 3", fixture.directory, "session", { by: "code", code: 3 }, "itself", 5],
      "the job that ended",
    );
    expectThat((info?.endedMs ?? 0) >= (info?.startedMs ?? Number.NaN), "it ended after it began");
    await until(fixture, "its output is counted", async () => (await infoOf(shell, running.id))?.outputBytes === 6);
    const other = await infoOf(shell, running.id);
    expectEqual([other?.status, other?.exit, other?.endedBy], ["running", undefined, undefined], "the job that runs");
    const ids = (await shell.jobs()).map((one) => one.id);
    expectThat(ids.indexOf(running.id) < ids.indexOf(ended.id), "the oldest comes first");
    expectEqual(await shell.jobs({ id: "no-such-id" }), [], "an unknown job");
    await running.kill("KILL");
    await until(fixture, "its end is reported", async () => (await infoOf(shell, running.id))?.status === "ended");
    expectEqual((await infoOf(shell, running.id))?.endedBy, "stopped", "what ended it");
  }),
  on("shell:jobs:unclaimed-is-refused", "jobs lists only what the call has claimed", async (fixture) => {
    const claimed = {
      commands: [{ command: "true", cwd: fixture.directory }],
      jobs: [{ id: "some-job", actions: ["read"] }],
    } as const;
    const { shell } = bindAll(fixture, claimed);
    await expectError(shell.jobs(), "CALL_UNCLAIMED", "all of them");
    await expectError(shell.jobs({ id: "another" }), "CALL_UNCLAIMED", "another one");
    expectEqual(await shell.jobs({ id: "some-job" }), [], "the one that was claimed");
  }),
  on(
    "shell:jobs:of-a-session",
    "A session lists its own jobs, and jobs of its owner that may outlive their session",
    async (fixture) => {
      const command = "sleep 600";
      const of = (sessionId: string, owner?: string) =>
        shellOf(fixture, { sessionId, ...(owner === undefined ? {} : { owner }) }, command);
      const first = of("first", "one");
      const started: { readonly id: string; kill(signal: string): Promise<unknown> }[] = [];
      for (const lifetime of ["session", "host", "keep"] as const)
        started.push(await start(fixture, first, command, lifetime));
      try {
        const ids = started.map(({ id }) => id);
        const reported = async (shell: Shell) =>
          (await shell.jobs()).map(({ id }) => id).filter((id) => ids.includes(id));
        expectEqual(await reported(of("first", "one")), ids, "its own session");
        expectEqual(await reported(of("second", "one")), ids.slice(1), "another session of its owner");
        expectEqual(await reported(of("third", "two")), [], "a session of another owner");
        expectEqual(await reported(of("fourth")), [], "a session without an owner");
        for (const id of ids) expectEqual(await of("third", "two").attach(id), null, `attach ${id} by another owner`);
        expectEqual(await of("second", "one").attach(ids[0] ?? ""), null, "attach to another session's job");
        expectThat((await of("second", "one").attach(ids[1] ?? "")) !== null, "attach to a job of the host");
      } finally {
        for (const job of started) await job.kill("KILL");
      }
    },
  ),
  on(
    "shell:jobs:survivors",
    "A process that survives a command is a job with the command it came from",
    async (fixture) => {
      const command = "sleep 600 & echo started";
      const result = await run(fixture, command);
      const { shell } = bindAll(fixture);
      const info = await infoOf(shell, result.job ?? "");
      expectEqual(
        [info?.command, info?.adopted, info?.status, info?.lifetime],
        [command, "call", "running", "session"],
        "job",
      );
      await (await shell.attach(result.job ?? ""))?.kill("KILL");
    },
  ),
  on("shell:exec:detach", "A detached command continues as a job with its output, exit and end", async (fixture) => {
    const controller = new AbortController();
    // Long enough that it still runs when its call gets the first line.
    const command = "echo early; sleep 1; echo late; exit 4";
    const reported: string[] = [];
    const result = await run(fixture, command, {
      timeoutMs: 60_000,
      detach: controller.signal,
      onOutput: (_, bytes) => {
        reported.push(new TextDecoder().decode(bytes));
        controller.abort();
      },
    });
    expectEqual([stdoutOf(result), reported.join("")], ["early\n", "early\n"], "what was printed before");
    expectEqual([result.ended, result.exit, result.tree.state], ["detached", { by: "none" }, "alive"], "the result");
    const { shell } = bindAll(fixture);
    const job = await shell.attach(result.job ?? "");
    expectThat(job !== null, "it is a job");
    const end = await job.result;
    expectEqual([end.ended, end.exit, end.tree.state], ["itself", { by: "code", code: 4 }, "gone"], "its end");
    const output = await job.output("stdout", 0, 100);
    expectEqual(new TextDecoder().decode(output.bytes), "early\nlate\n", "all of its output");
    expectEqual(reported.join(""), "early\n", "what the listener received");
  }),
];

function shellOf(fixture: Fixture, call: Partial<BoundCall>, ...commands: readonly string[]): Shell {
  const claimed = commands.map((command) => ({ command, cwd: fixture.directory, background: "keep" as const }));
  return bindAll(fixture, { commands: claimed }, call).shell;
}

function start(fixture: Fixture, shell: Shell, command: string, lifetime: Lifetime = "session") {
  return shell.spawn(command, { cwd: fixture.directory, lifetime });
}

async function infoOf(shell: Shell, id: string): Promise<JobInfo | undefined> {
  return (await shell.jobs({ id }))[0];
}
