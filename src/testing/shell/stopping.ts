/** Commands that are stopped, by what can be seen of them in files: these cases need no access to processes. */
import { on } from "../case-setup.js";
import { expectEqual, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { endSurvivors, pause, run, until } from "./run.js";

const LATE = "echo begun > begun; sleep 2; echo late > late";

export const shellStopping: Suite<Fixture> = [
  on("shell:exec:abort-stops", "A command that was cancelled does nothing more", async (fixture) => {
    const controller = new AbortController();
    const running = run(fixture, LATE, { signal: controller.signal, graceMs: 500 });
    await hasBegun(fixture, running);
    controller.abort();
    expectEqual((await running).ended, "cancelled", "how it ended");
    await pause(fixture, 2_500);
    expectEqual(await isThere(fixture, "late"), false, "what it would have written is there");
  }),
  on("shell:exec:deadline-stops", "A command that has reached its deadline does nothing more", async (fixture) => {
    const result = await run(fixture, LATE, { timeoutMs: 400, graceMs: 500 });
    expectEqual(result.ended, "deadline", "how it ended");
    await pause(fixture, 2_500);
    expectEqual(await isThere(fixture, "late"), false, "what it would have written is there");
  }),
  on(
    "shell:exec:abort-of-held-output",
    "A cancel is answered, and throws nothing, if only a process in another session holds the output of the command",
    async (fixture) => {
      const controller = new AbortController();
      const command = "setsid sleep 600 & echo $! > pid; echo begun > begun";
      const running = run(fixture, command, { signal: controller.signal, graceMs: 0 });
      try {
        await hasBegun(fixture, running);
        await pause(fixture, 300);
        controller.abort();
        const result = await running;
        await endSurvivors(fixture, result);
        expectThat(["itself", "cancelled"].includes(result.ended), `"${result.ended}" is how it ended`);
        expectEqual(result.problem, undefined, "why it did not answer");
      } finally {
        await fixture.backend.root.shell.exec("kill -9 $(cat pid)", { cwd: fixture.directory });
      }
    },
  ),
];

/** Resolves once the command has begun, or has settled. */
const hasBegun = (fixture: Fixture, running: Promise<unknown>) =>
  Promise.race([until(fixture, "it has begun", () => isThere(fixture, "begun")), running]);

const isThere = (fixture: Fixture, name: string) => bindAll(fixture).fs.exists(`${fixture.directory}/${name}`);
