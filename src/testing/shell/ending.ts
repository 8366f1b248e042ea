/** How commands end: by time, by cancel, by signal, and what survives them. */
import { on } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { endSurvivors, expectCounted, expectEnded, expectExit, pause, run, stdoutOf, until } from "./run.js";

/** Starts a sleeping child and tells its number on standard output. */
const CHILD_THEN_SLEEP = "sleep 600 & echo $!; sleep 600";

export const shellEnding: Suite<Fixture> = [
  on(
    "shell:exec:timeout-ends-tree",
    "At the deadline the whole tree ends, and what was printed is kept",
    async (fixture) => {
      const result = await run(fixture, CHILD_THEN_SLEEP, { timeoutMs: 300, graceMs: 1_000 });
      expectEqual([result.began, result.ended], ["yes", "deadline"], "how it ended");
      expectEqual([result.tree.state, result.tree.survivors.length], ["gone", 0], "tree");
      expectEqual(result.tree.endedBy, "TERM", "what ended it");
      expectThat(!(result.exit.by === "code" && result.exit.code === 0), "it is not a success");
      await expectEnded(fixture, stdoutOf(result).trim());
    },
  ),
  on("shell:exec:abort-ends-tree", "On abort the whole tree ends, and what was printed is kept", async (fixture) => {
    const controller = new AbortController();
    const result = await run(fixture, CHILD_THEN_SLEEP, {
      signal: controller.signal,
      graceMs: 1_000,
      onOutput: () => controller.abort(),
    });
    expectEqual([result.began, result.ended], ["yes", "cancelled"], "how it ended");
    expectEqual([result.tree.state, result.tree.survivors.length], ["gone", 0], "tree");
    await expectEnded(fixture, stdoutOf(result).trim());
  }),
  on("shell:exec:call-end-ends-tree", "When the call itself ends, its running command ends too", async (fixture) => {
    const controller = new AbortController();
    const result = await run(fixture, CHILD_THEN_SLEEP, {
      graceMs: 1_000,
      call: { signal: controller.signal },
      onOutput: () => controller.abort(),
    });
    expectEqual([result.ended, result.tree.state], ["cancelled", "gone"], "how it ended");
    await expectEnded(fixture, stdoutOf(result).trim());
  }),
  on(
    "shell:exec:abort-before",
    "With a signal that has fired already nothing runs: cancelled, began no",
    async (fixture) => {
      const result = await run(fixture, "echo ran > marker", { signal: AbortSignal.abort() });
      expectEqual([result.began, result.ended, result.exit], ["no", "cancelled", { by: "none" }], "how it ended");
      expectEqual(await bindAll(fixture).fs.exists(`${fixture.directory}/marker`), false, "the marker is there");
    },
  ),
  on("shell:exec:odd-numbers", "Numbers that are none neither hold a command nor break its counts", async (fixture) => {
    const result = await run(fixture, "echo abc; sleep 600", {
      timeoutMs: 500,
      graceMs: Number.NaN,
      keep: { head: 1.5, tail: Number.NaN },
    });
    expectEqual([result.ended, result.tree.state], ["deadline", "gone"], "how it ended");
    expectEqual([stdoutOf(result), result.stdout.omittedBytes], ["a", 3], "what is kept");
  }),
  on("shell:exec:call-deadline", "The deadline of the call ends a command that sets none", async (fixture) => {
    const result = await run(fixture, "sleep 600", { graceMs: 500, call: { deadline: fixture.clock.now() + 300 } });
    expectEqual([result.ended, result.tree.state], ["deadline", "gone"], "how it ended");
  }),
  on(
    "shell:exec:term-is-heard",
    "TERM comes first: a command may clean up and its last words are kept",
    async (fixture) => {
      const result = await run(fixture, `trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.02; done`, {
        timeoutMs: 400,
        graceMs: 5_000,
      });
      expectEqual(
        [result.ended, stdoutOf(result), result.tree.endedBy],
        ["deadline", "ready\nbye\n", "TERM"],
        "how it ended",
      );
    },
  ),
  on("shell:exec:term-ignored", "A command that ignores TERM gets KILL after the grace", async (fixture) => {
    const result = await run(fixture, `trap '' TERM; echo $$; while :; do sleep 0.05; done`, {
      timeoutMs: 300,
      graceMs: 300,
    });
    expectEqual([result.ended, result.tree.state, result.tree.endedBy], ["deadline", "gone", "KILL"], "how it ended");
    await expectEnded(fixture, stdoutOf(result).trim());
  }),
  on("shell:exec:child-ignores-term", "A child that ignores TERM gets KILL too", async (fixture) => {
    const result = await run(fixture, `sh -c "trap '' TERM; while :; do sleep 0.05; done" & echo $!; sleep 600`, {
      timeoutMs: 300,
      graceMs: 300,
    });
    expectEqual([result.ended, result.tree.state, result.tree.endedBy], ["deadline", "gone", "KILL"], "how it ended");
    await expectEnded(fixture, stdoutOf(result).trim());
  }),
  on("shell:exec:new-session-ends-too", "At the deadline a child in a session of its own ends too", async (fixture) => {
    const result = await run(fixture, "setsid sleep 600 & echo $!; sleep 600", { timeoutMs: 400, graceMs: 1_000 });
    expectEqual([result.ended, result.tree.state], ["deadline", "gone"], "how it ended");
    await expectEnded(fixture, stdoutOf(result).trim());
  }),
  on(
    "shell:exec:endless-output",
    "An endless printer ends at the deadline, with every byte kept or counted",
    async (fixture) => {
      const result = await run(fixture, "yes", { timeoutMs: 300, graceMs: 1_000, keep: { head: 100, tail: 100 } });
      expectEqual([result.ended, result.tree.state], ["deadline", "gone"], "how it ended");
      expectThat(result.stdout.produced > 200, "something was printed");
      expectEqual(stdoutOf(result).slice(0, 6), "y\ny\ny\n", "its beginning");
      expectCounted(result);
    },
  ),
  on(
    "shell:survivor:does-not-hold-the-call",
    "A background child does not hold the call; it is named",
    async (fixture) => {
      const result = await run(fixture, "sleep 600 & echo started");
      try {
        expectExit(result, 0, "exit");
        expectEqual(stdoutOf(result), "started\n", "stdout");
        expectEqual(result.tree.state, "alive", "tree");
        expectEqual(
          result.tree.survivors.map((one) => one.name),
          ["sleep"],
          "survivors",
        );
        expectThat(result.tree.survivors[0]?.holds !== "none", "it holds a stream of the command");
      } finally {
        await endSurvivors(fixture, result);
      }
    },
  ),
  on(
    "shell:survivor:holds-nothing",
    "A background child with its streams elsewhere is named as holding none",
    async (fixture) => {
      const result = await run(fixture, "sleep 600 >/dev/null 2>&1 & echo started");
      try {
        expectExit(result, 0, "exit");
        expectEqual(
          result.tree.survivors.map((one) => [one.name, one.holds]),
          [["sleep", "none"]],
          "survivors",
        );
        expectEqual([result.stdout.final, result.stderr.final], [true, true], "final");
      } finally {
        await endSurvivors(fixture, result);
      }
    },
  ),
  on("shell:survivor:new-session", "A background child in a session of its own is named too", async (fixture) => {
    const result = await run(fixture, "setsid sleep 600 & sleep 0.05; echo started");
    try {
      expectExit(result, 0, "exit");
      expectEqual(result.tree.state, "alive", "tree");
      expectEqual(
        result.tree.survivors.map((one) => one.name),
        ["sleep"],
        "survivors",
      );
    } finally {
      await endSurvivors(fixture, result);
    }
  }),
  on(
    "shell:survivor:output-does-not-leak",
    "A survivor that keeps printing does not print into the next commands",
    async (fixture) => {
      const result = await run(fixture, "yes leak & sleep 0.05; echo started >&2");
      try {
        expectEqual(
          result.tree.survivors.map((one) => one.name),
          ["yes"],
          "survivors",
        );
        for (let round = 0; round < 5; round += 1) {
          const next = await run(fixture, `echo clean ${round}`);
          expectEqual([stdoutOf(next), next.stderr.produced], [`clean ${round}\n`, 0], "the next command");
        }
      } finally {
        await endSurvivors(fixture, result);
      }
    },
  ),
  on(
    "shell:survivor:slow-printer-does-not-leak",
    "A survivor that prints now and then does not print into the next commands",
    async (fixture) => {
      const result = await run(fixture, "while :; do echo leak; echo leak >&2; sleep 0.02; done & echo $! > pid");
      try {
        expectEqual(result.tree.state, "alive", "tree");
        for (let round = 0; round < 5; round += 1) {
          const next = await run(fixture, `sleep 0.05; echo clean ${round}`);
          expectEqual([stdoutOf(next), next.stderr.produced], [`clean ${round}\n`, 0], "the next command");
        }
      } finally {
        await fixture.backend.root.shell.exec("kill -9 $(cat pid)", { cwd: fixture.directory });
        await endSurvivors(fixture, result);
      }
    },
  ),
  on(
    "shell:survivor:output-before-the-end-is-whole",
    "A child that prints in time, while the shell waits, is heard",
    async (fixture) => {
      const result = await run(fixture, "(sleep 0.05; echo late) & wait; echo end");
      expectExit(result, 0, "exit");
      expectEqual([stdoutOf(result), result.tree.state], ["late\nend\n", "gone"], "stdout and tree");
    },
  ),
  on("shell:process:default-signals", "A command starts with no signal ignored and none blocked", async (fixture) => {
    const result = await run(
      fixture,
      "grep -E '^Sig(Ign|Blk):' /proc/self/status; sh -c \"grep -E '^Sig(Ign|Blk):' /proc/self/status\"",
    );
    expectExit(result, 0, "exit");
    const sets = stdoutOf(result).trim().split("\n");
    expectEqual(sets.length, 4, "lines");
    for (const line of sets) expectThat(/^Sig(Ign|Blk):\s+0+$/.test(line), `"${line}" is an empty set`);
  }),
  on(
    "shell:process:no-foreign-descriptors",
    "A command has its three streams and no other descriptor",
    async (fixture) => {
      // The listing itself opens a fourth, for the directory. What the host process was started with, far above, is not ours.
      const numbers = stdoutOf(await run(fixture, "ls /proc/self/fd"))
        .trim()
        .split("\n")
        .map(Number);
      expectEqual(
        numbers.filter((one) => one < 100).sort((a, b) => a - b),
        [0, 1, 2, 3],
        "descriptors",
      );
    },
  ),
  on("shell:process:no-terminal", "A command has no controlling terminal", async (fixture) => {
    const result = await run(fixture, "(: < /dev/tty) 2>/dev/null && echo terminal || echo none");
    expectEqual(stdoutOf(result), "none\n", "stdout");
  }),
  on("shell:process:own-group", "A command leads a process group of its own", async (fixture) => {
    const result = await run(fixture, "echo $$; cut -d' ' -f5 /proc/$$/stat");
    const [pid, group] = stdoutOf(result).trim().split("\n");
    expectEqual(group, pid, "group");
  }),
  on("shell:spawn:result", "spawn gives a handle whose result comes once the command has ended", async (fixture) => {
    const handle = await spawned(fixture, "echo out; exit 3");
    const result = await handle.result;
    expectExit(result, 3, "exit");
    expectEqual(stdoutOf(result), "out\n", "stdout");
  }),
  on(
    "shell:spawn:cannot-start",
    "spawn in a missing directory rejects with SHELL_SPAWN, and nothing ran",
    async (fixture) => {
      const command = `echo ran > ${fixture.directory}/marker`;
      const cwd = `${fixture.directory}/gone`;
      const { fs, shell } = bindAll(fixture, { commands: [{ command, cwd }] });
      const error = await expectError(shell.spawn(command, { cwd, lifetime: "session" }), "SHELL_SPAWN", "spawn");
      const reported = `Did not start the command: the folder "${cwd}" does not exist. Fix that and start it again.`;
      expectEqual(error.message, reported, "what is told");
      expectEqual(await fs.exists(`${fixture.directory}/marker`), false, "the marker is there");
    },
  ),
  on(
    "shell:spawn:outlives-the-call",
    "What was spawned goes on when the call has ended, and attach finds it",
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
    "The end of a session ends its jobs and what survived its commands, and those of no other",
    async (fixture) => {
      const command = "sleep 600";
      const surviving = "sleep 600 & echo $!";
      const commands = [command, surviving].map((one) => ({ command: one, cwd: fixture.directory }));
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
      expectEqual(await fixture.backend.endSession("ending"), { left: [] }, "what is left");
      expectEqual((await own.result).tree.state, "gone", "the tree of its job");
      await expectEnded(fixture, stdoutOf(left).trim());
      expectEqual(await fixture.backend.endSession("ending"), { left: [] }, "what is left the second time");
      const late = await early.spawn(command, { ...at, lifetime: "session" });
      expectEqual((await late.result).tree.state, "gone", "what a call of before the end has started since");
      for (const other of others) {
        const tree = await other.kill("KILL");
        expectEqual(
          [tree.state, tree.endedBy !== null],
          ["gone", true],
          "another job, which went on until it was killed",
        );
      }
    },
  ),
  on("shell:attach:unclaimed-is-refused", "attach to a job that the call did not claim is refused", async (fixture) => {
    const handle = await spawned(fixture, "sleep 600");
    for (const id of [handle.id, "no-such-id"]) {
      await expectError(bindAll(fixture, { jobs: ["another"] }).shell.attach(id), "CALL_UNCLAIMED", `attach ${id}`);
    }
    await handle.kill("KILL");
  }),
  on("shell:spawn:handle-is-revoked", "A handle does nothing more once its call has ended", async (fixture) => {
    const controller = new AbortController();
    const handle = await spawned(fixture, "sleep 600", controller.signal);
    controller.abort();
    await expectError(handle.kill("KILL"), "CALL_REVOKED", "kill");
    await expectError(handle.output("stdout", 0, 10), "CALL_REVOKED", "output");
    await (await bindAll(fixture).shell.attach(handle.id))?.kill("KILL");
  }),
  on("shell:spawn:output", "output gives the bytes from any place, and says when no more can come", async (fixture) => {
    const handle = await spawned(fixture, "printf 0123456789; printf e >&2");
    await handle.result;
    const part = await handle.output("stdout", 2, 3);
    expectEqual([new TextDecoder().decode(part.bytes), part.next, part.droppedBytes], ["234", 5, 0], "three from two");
    const rest = await handle.output("stdout", part.next, 1_000);
    expectEqual([new TextDecoder().decode(rest.bytes), rest.next, rest.ended], ["56789", 10, true], "the rest");
    expectEqual((await handle.output("stdout", 10, 10)).bytes.length, 0, "bytes past the end");
    expectEqual(new TextDecoder().decode((await handle.output("stderr", 0, 10)).bytes), "e", "stderr");
  }),
  on("shell:spawn:kill", "kill ends the whole tree; killing again is harmless", async (fixture) => {
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
  on("shell:spawn:signal", "the signal that is named is sent, and no other", async (fixture) => {
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
    "shell:spawn:listeners",
    "One end reaches all listeners once; a late one is told too, an unsubscribed one is not",
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
      await until(fixture, "all listeners were told", () => reported.length >= 3);
      await pause(fixture, 20);
      expectEqual([...reported].sort(), ["first", "late", "second"], "who was told");
    },
  ),
];

async function spawned(fixture: Fixture, command: string, signal?: AbortSignal) {
  const { shell } = bindAll(
    fixture,
    { commands: [{ command, cwd: fixture.directory }] },
    signal === undefined ? {} : { signal },
  );
  return shell.spawn(command, { cwd: fixture.directory, lifetime: "session", graceMs: 1_000 });
}
