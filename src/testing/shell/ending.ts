/** How commands end: by time, by cancel, by signal, and what survives them. */
import { on } from "../case-setup.js";
import { expectEqual, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { CHILD_THEN_SLEEP, endSurvivors, expectCounted, expectEnded, expectExit, run, stdoutOf } from "./run.js";

export const shellEnding: Suite<Fixture> = [
  on(
    "shell:exec:timeout-ends-tree",
    "At the deadline the process tree ends, and its output is kept",
    async (fixture) => {
      const result = await run(fixture, CHILD_THEN_SLEEP, { timeoutMs: 300, graceMs: 1_000 });
      expectEqual([result.began, result.ended], ["yes", "deadline"], "how it ended");
      expectEqual([result.tree.state, result.tree.survivors.length], ["gone", 0], "tree");
      expectEqual(result.tree.endedBy, "TERM", "what ended it");
      expectThat(!(result.exit.by === "code" && result.exit.code === 0), "it is not a success");
      await expectEnded(fixture, stdoutOf(result).trim());
    },
  ),
  on("shell:exec:abort-ends-tree", "On abort the process tree ends, and its output is kept", async (fixture) => {
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
  on("shell:exec:abort-before", "With an aborted signal nothing runs: cancelled, began no", async (fixture) => {
    const result = await run(fixture, "echo ran > marker", { signal: AbortSignal.abort() });
    expectEqual([result.began, result.ended, result.exit], ["no", "cancelled", { by: "none" }], "how it ended");
    expectEqual(await bindAll(fixture).fs.exists(`${fixture.directory}/marker`), false, "the marker is there");
  }),
  on(
    "shell:exec:odd-numbers",
    "NaN and Infinity as limits neither hang a command nor break its counts",
    async (fixture) => {
      const result = await run(fixture, "echo abc; sleep 600", {
        timeoutMs: 500,
        graceMs: Number.NaN,
        keep: { head: 1.5, tail: Number.NaN },
      });
      expectEqual([result.ended, result.tree.state], ["deadline", "gone"], "how it ended");
      expectEqual([stdoutOf(result), result.stdout.omittedBytes], ["a", 3], "what is kept");
    },
  ),
  on("shell:exec:call-deadline", "The deadline of the call ends a command that sets none", async (fixture) => {
    const result = await run(fixture, "sleep 600", { graceMs: 500, call: { deadline: fixture.clock.now() + 300 } });
    expectEqual([result.ended, result.tree.state], ["deadline", "gone"], "how it ended");
  }),
  on(
    "shell:exec:term-is-heard",
    "SIGTERM comes first: a command can clean up, and its last output is kept",
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
  on(
    "shell:exec:term-ignored",
    "A command that ignores SIGTERM gets SIGKILL after the grace period",
    async (fixture) => {
      const result = await run(fixture, `trap '' TERM; echo $$; while :; do sleep 0.05; done`, {
        timeoutMs: 300,
        graceMs: 300,
      });
      expectEqual([result.ended, result.tree.state, result.tree.endedBy], ["deadline", "gone", "KILL"], "how it ended");
      await expectEnded(fixture, stdoutOf(result).trim());
    },
  ),
  on("shell:exec:child-ignores-term", "A child that ignores SIGTERM gets SIGKILL too", async (fixture) => {
    const result = await run(fixture, `sh -c "trap '' TERM; while :; do sleep 0.05; done" & echo $!; sleep 600`, {
      timeoutMs: 300,
      graceMs: 300,
    });
    expectEqual([result.ended, result.tree.state, result.tree.endedBy], ["deadline", "gone", "KILL"], "how it ended");
    await expectEnded(fixture, stdoutOf(result).trim());
  }),
  on(
    "shell:exec:new-session-ends-too",
    "At the deadline a child in another process session ends too",
    async (fixture) => {
      const result = await run(fixture, "setsid sleep 600 & echo $!; sleep 600", { timeoutMs: 400, graceMs: 1_000 });
      expectEqual([result.ended, result.tree.state], ["deadline", "gone"], "how it ended");
      await expectEnded(fixture, stdoutOf(result).trim());
    },
  ),
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
    "A background child does not block the call; it is reported",
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
    "A background child with redirected streams is reported as holding none",
    async (fixture) => {
      const result = await run(fixture, "sleep 600 >/dev/null 2>&1 & echo started");
      try {
        expectExit(result, 0, "exit");
        // Its name is still the shell's until it has executed `sleep`.
        expectEqual(
          result.tree.survivors.map((one) => one.holds),
          ["none"],
          "what survivors hold",
        );
        expectEqual([result.stdout.final, result.stderr.final], [true, true], "final");
      } finally {
        await endSurvivors(fixture, result);
      }
    },
  ),
  on("shell:survivor:new-session", "A background child in another process session is reported too", async (fixture) => {
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
    "Output of a survivor does not appear in later commands",
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
    "Occasional output of a survivor does not appear in later commands",
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
    "Output of a child is kept while the shell waits for it",
    async (fixture) => {
      const result = await run(fixture, "(sleep 0.05; echo late) & wait; echo end");
      expectExit(result, 0, "exit");
      expectEqual([stdoutOf(result), result.tree.state], ["late\nend\n", "gone"], "stdout and tree");
    },
  ),
  on("shell:process:default-signals", "A command starts with no signals ignored or blocked", async (fixture) => {
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
      // The listing itself opens a fourth, for the directory. High descriptors are inherited from the host process.
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
  on("shell:process:own-group", "A command is the leader of its own process group", async (fixture) => {
    const result = await run(fixture, "echo $$; cut -d' ' -f5 /proc/$$/stat");
    const [pid, group] = stdoutOf(result).trim().split("\n");
    expectEqual(group, pid, "group");
  }),
];
