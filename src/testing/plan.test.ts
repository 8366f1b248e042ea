import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../backends/memory/index.js";
import { onFs } from "./case-setup.js";
import { fakeClock } from "./fakes/fake-clock.js";
import type { Fixture } from "./fixture.js";
import { cannotTable, type Plan, runnable, type Suite } from "./plan.js";

interface Probe {
  readonly passes: boolean;
  dispose(): Promise<void>;
}

const suite: Suite<Probe> = [
  {
    id: "probe:a",
    behavior: "passes when the fixture says so",
    run: async (fixture) => {
      if (!fixture.passes) throw new Error("did not pass");
    },
  },
  { id: "probe:b", behavior: "always passes", run: async () => {} },
];

function planOf(passes: boolean, more: Partial<Plan<Probe>> = {}): Plan<Probe> & { disposed: number } {
  const plan = {
    name: "probe",
    disposed: 0,
    create: async () => ({
      passes,
      dispose: async () => {
        plan.disposed += 1;
      },
    }),
    cannot: {},
    knownFailures: {},
    ...more,
  };
  return plan;
}

describe("runnable", () => {
  it("runs each case with a new fixture and disposes of it, also if the case fails", async () => {
    const plan = planOf(false);
    const [first, second] = runnable(plan, [suite]);
    await expect(first?.run()).rejects.toThrow("did not pass");
    await second?.run();
    expect(plan.disposed).toBe(2);
  });

  it("reports what a case found, whatever `dispose` does, and a `dispose` that rejects after a case that passed", async () => {
    const dispose = () => {
      throw new Error("not removed");
    };
    const broken = (passes: boolean) => planOf(passes, { create: async () => ({ passes, dispose }) });
    await expect(runnable(broken(false), [suite])[0]?.run()).rejects.toThrow("did not pass");
    await expect(runnable(broken(true), [suite])[0]?.run()).rejects.toThrow("not removed");
  });

  it("says what `create` has to return", async () => {
    const none = planOf(true, { create: async () => undefined as never });
    await expect(runnable(none, [suite])[0]?.run()).rejects.toThrow(
      '`create` of the plan "probe" has to return a fixture: an object with `dispose`.',
    );
    const dispose = async () => {};
    const clock = fakeClock();
    const fixture = { backend: createMemoryBackend({ clock }), directory: "/workspace", clock, dispose };
    const makes = onFs("fs:probe", "makes a directory", async (fs, path) => {
      await fs.mkdir(path("made"), false);
    });
    const run = (more: object) => {
      const create = async () => ({ ...fixture, ...more }) as Fixture;
      return runnable({ name: "probe", create, cannot: {}, knownFailures: {} }, [[makes]])[0]?.run();
    };
    await run({});
    await expect(run({ backend: {} })).rejects.toThrow("a fixture with `backend`, what `completeBackend`");
    await expect(run({ directory: "/workspace/" })).rejects.toThrow('without a slash at its end, not "/workspace/"');
    await expect(run({ directory: undefined })).rejects.toThrow("not undefined");
    await expect(run({ clock: {} })).rejects.toThrow("`clock`, the clock of the backend");
    await expect(run({ directory: "/gone" })).rejects.toThrow(
      '`directory` of the fixture is "/gone": create it, it is absent.',
    );
    await expect(run({})).rejects.toThrow("already exists");
  });

  it("skips `cannot` cases, with the reason", async () => {
    const plan = planOf(false, { cannot: { "probe:a": "no probes here" } });
    const [first] = runnable(plan, [suite]);
    expect([first?.kind, first?.reason]).toEqual(["cannot", "no probes here"]);
    await first?.run();
    expect(plan.disposed).toBe(0);
  });

  it("passes while a known failure fails, and fails once it passes", async () => {
    const knownFailures = { "probe:a": "not yet" };
    await runnable(planOf(false, { knownFailures }), [suite])[0]?.run();
    await expect(runnable(planOf(true, { knownFailures }), [suite])[0]?.run()).rejects.toThrow(/passes on "probe" now/);
  });

  it("rejects unknown ids, missing reasons and an id on both lists when the plan is loaded", () => {
    expect(() => runnable(planOf(true, { cannot: { "probe:x": "why" } }), [suite])).toThrow(/no suite has it/);
    expect(() => runnable(planOf(true, { knownFailures: { "probe:x": "why" } }), [suite])).toThrow(/no suite has it/);
    expect(() => runnable(planOf(true, { cannot: { "probe:a": " " } }), [suite])).toThrow(/no reason/);
    const both = { cannot: { "probe:a": "why" }, knownFailures: { "probe:a": "why" } };
    expect(() => runnable(planOf(true, both), [suite])).toThrow(/and as known failure/);
    expect(() => runnable(planOf(true), [suite, suite])).toThrow(/Two cases are called "probe:a"/);
  });
});

describe("cannotTable", () => {
  it("lists every reason as a row of a Markdown table", () => {
    const table = cannotTable([{ name: "one", cannot: { "probe:a": "a | b" } }]);
    expect(table).toBe("| on | cannot | reason |\n| --- | --- | --- |\n| one | `probe:a` | a \\| b |\n");
    expect(cannotTable([{ name: "one", cannot: {} }])).toBe("Every case runs.\n");
  });
});

it("no case of the suites passes because its subject lacks a feature", () => {
  const directory = new URL(".", import.meta.url);
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const suites = names.filter(
    (name) => /^(fs|shell|search)\/.*\.ts$|-suite\.ts$/.test(name) && name !== "shell/run.ts",
  );
  expect(suites.length).toBeGreaterThan(10);
  const excused = suites.flatMap((name) =>
    readFileSync(new URL(name, directory), "utf8")
      .split("\n")
      .flatMap((line, index) => (/\breturn;|\.flags\b/.test(line) ? [`${name}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(excused).toEqual([]);
});
