/** Cores with the faults of quick implementations: the suites find each by a case of its name. */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { realClock } from "../../testing/conform.fixture.js";
import { COMPLETED_CANNOT, type Fixture, fsSuite, type Plan, runnable, shellSuite } from "../../testing/index.js";
import { type BackendCore, completeBackend } from "./index.js";
import { nodeCore } from "./node-core.fixture.js";

function planOf(broken: (core: BackendCore) => Partial<BackendCore>): Plan<Fixture> {
  return {
    name: "broken",
    async create() {
      const directory = await realpath(await mkdtemp(join(tmpdir(), "haft-broken-")));
      const core = nodeCore(directory, realClock);
      const backend = completeBackend({ ...core, ...broken(core) });
      return {
        backend,
        directory,
        clock: realClock,
        async dispose() {
          await backend.close();
          await rm(directory, { recursive: true, force: true });
        },
      };
    },
    cannot: Object.fromEntries(Object.entries(COMPLETED_CANNOT).filter(([id]) => /^(fs|shell):/.test(id))),
    knownFailures: {},
  };
}

const caseOf = (plan: Plan<Fixture>, id: string) => runnable(plan, [fsSuite, shellSuite]).find((one) => one.id === id);

const deaf = ({ shell }: BackendCore): Partial<BackendCore> => ({
  shell: {
    async exec(command, options) {
      const { signal: _signal, timeoutMs: _timeoutMs, ...rest } = options;
      if (shell === undefined) throw new Error("The core has no shell.");
      return shell.exec(command, rest);
    },
  },
});

const listing =
  (change: (names: readonly { readonly name: string }[]) => readonly { readonly name: string }[]) =>
  ({ fs }: BackendCore): Partial<BackendCore> => ({
    fs: { ...fs, readDir: async (path) => change(await fs.readDir(path)) },
  });

it.concurrent.each([
  ["does not hear the signal", deaf, "shell:exec:abort-stops", "what it would have written is there"],
  ["does not hear the deadline", deaf, "shell:exec:deadline-stops", "what it would have written is there"],
  ["waits for who holds the output", deaf, "shell:exec:abort-of-held-output", "the backend did not answer"],
  ["lists 1,000 entries", listing((all) => all.slice(0, 1_000)), "fs:readdir:many", "expected [1100,false], got [1000"],
  ["lists itself", listing((all) => [{ name: "." }, ...all]), "fs:rename:directory", 'returned the name ".", which no'],
] as const)("a core that %s fails", async (_what, broken, id, message) => {
  await expect(caseOf(planOf(broken), id)?.run()).rejects.toThrow(message);
});
