import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect } from "vitest";
import { verifies } from "../testing/verifies.fixture.js";
import { createToolkit } from "./create-toolkit.js";
import { resetProcessTable } from "./default-host.js";
import type { OwnedBox } from "./owned-box.js";
import type { Toolkit } from "./toolkit.js";

let base: string;
let cwd: string;
let toolkit: Toolkit;
let own: OwnedBox;
beforeEach(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "haft-indus-")));
  cwd = join(base, 'it\'s a "directory"');
  mkdirSync(cwd);
  toolkit = await createToolkit({
    autonomy: "full",
    workspace: cwd,
    stateDir: join(base, "state"),
    dialect: "indusagi",
  });
  own = toolkit.box();
});
afterEach(async () => {
  await toolkit.close();
  rmSync(base, { recursive: true, force: true });
});

async function call(input: object, box = own): Promise<string> {
  const { output } = await box.runner.run({ id: "c1", name: "process", input });
  return String(output);
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 10_000; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`not so within 10 s: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const started = async (command: string) => /^job-\d+/.exec(await call({ action: "start", command }))?.[0] ?? "";

describe("process of indusagi", () => {
  verifies("IR-104", "starts, lists, polls and stops jobs under rising ids", async () => {
    expect(await started("sleep 600")).toBe("job-1");
    expect(await started("sleep 601")).toBe("job-2");
    expect((await call({ action: "list" })).split("\n")).toEqual([
      expect.stringMatching(/^job-1: running for \d+ ms, .*"sleep 600"$/),
      expect.stringMatching(/^job-2: running for \d+ ms, .*"sleep 601"$/),
    ]);
    expect(await call({ action: "poll", id: "job-2" })).toMatch(/^job-2: running for \d+ ms$/);
    expect(await call({ action: "stop", id: "job-1" })).toMatch(/^job-1: stopped after/);
    expect(await call({ action: "spin" })).toContain("action");
  });

  verifies(
    ["IR-105", "IP-027"],
    "keeps either stream in files of .indus-process below the directory, whatever that is called",
    async () => {
      const id = await started("echo 'it is' \"quoted\"; echo wrong >&2; sleep 600");
      const directory = join(cwd, ".indus-process");
      await until(async () => existsSync(join(directory, `${id}.stderr.0`)));
      expect(readdirSync(directory).sort()).toEqual([`${id}.stderr.0`, `${id}.stdout.0`]);
      expect(readFileSync(join(directory, `${id}.stdout.0`), "utf8")).toBe("it is quoted\n");
      expect(readFileSync(join(directory, `${id}.stderr.0`), "utf8")).toBe("wrong\n");
      await call({ action: "stop", id });
      expect(readdirSync(directory)).toEqual([]);
    },
  );

  verifies("IR-106", "reports at a poll what is new, of a burst at most 32 KiB and how much is omitted", async () => {
    const go = join(base, "go");
    const id = await started(
      `echo first; while [ ! -e '${go}' ]; do sleep 0.01; done; head -c 102400 /dev/zero | tr '\\0' b; echo`,
    );
    const first = await call({ action: "poll", id });
    expect(first).not.toContain("bbb");
    mkdirSync(go);
    await until(async () => /exit code 0/.test(await call({ action: "list" })));
    const burst = await call({ action: "poll", id });
    expect(burst).toMatch(
      /stdout:\n\[\d+ earlier bytes left out here to fit the window; all of it is artifact:.*\]\nb+$/,
    );
    expect(Buffer.byteLength(burst.replace(/^\[.*\]$/m, ""))).toBeLessThanOrEqual(32_768 + 100);
    expect(burst).not.toContain("first");
    expect(await call({ action: "poll", id })).toMatch(/^job-1: exit code 0 after \d+ ms$/);
  });

  verifies("IR-107", "never fails on half a character", async () => {
    const go = join(base, "go");
    const outcomeOf = (id: string) => own.runner.run({ id: "c1", name: "process", input: { action: "poll", id } });
    const id = await started(`printf '=\\342\\202'; while [ ! -e '${go}' ]; do sleep 0.01; done; printf '\\254y'`);
    const stdout = join(cwd, ".indus-process", `${id}.stdout.0`);
    await until(async () => existsSync(stdout) && readFileSync(stdout).length === 3);
    const half = await outcomeOf(id);
    expect([half.isError, half.output]).toEqual([false, expect.not.stringMatching(/\uFFFD|€/)]);
    mkdirSync(go);
    await until(async () => /exit code 0/.test(await call({ action: "list" })));
    const whole = await outcomeOf(id);
    expect([whole.isError, whole.output]).toEqual([false, expect.stringContaining("stdout:\n€y")]);
    const broken = await started("printf '=\\342\\202'");
    await until(async () => (await call({ action: "list" })).includes(`${broken}: exit code 0`));
    expect((await outcomeOf(broken)).isError).toBe(false);
  });

  verifies("IR-108", "remembers how a job has ended", async () => {
    const id = await started("exit 3");
    for (let round = 0; round < 2; round += 1) {
      await until(async () => /exit code 3 after/.test(await call({ action: "poll", id })));
      expect(await call({ action: "list" })).toContain(`${id}: exit code 3 after`);
    }
    const killed = await started("kill -KILL $$");
    await until(async () => /ended by signal KILL/.test(await call({ action: "poll", id: killed })));
  });

  verifies("IR-109", "lists every job with its age, and a stop ends one and forgets it", async () => {
    const id = await started("sleep 600 & echo $!; wait");
    expect(await call({ action: "list" })).toMatch(/running for \d+ ms/);
    expect(await call({ action: "stop", id })).toMatch(new RegExp(`^${id}: stopped after \\d+ ms`));
    expect(await call({ action: "list" })).toBe("No jobs.");
    expect(await call({ action: "poll", id })).toContain(`There is no job "${id}"`);
  });

  verifies("IR-110", "polls in one box a job that another has started", async () => {
    const first = toolkit.box();
    const id = /^job-\d+/.exec(await call({ action: "start", command: "echo here; sleep 600" }, first))?.[0] ?? "";
    const second = toolkit.box();
    await until(async () => (await call({ action: "poll", id }, toolkit.box())).includes("here"));
    expect(await call({ action: "list" }, second)).toContain(`${id}: running`);
    await first.close();
    expect(await call({ action: "poll", id }, second)).toContain(`${id}: running`);
  });

  verifies("IR-111", "has an empty table after a reset", async () => {
    await started("sleep 600");
    await started("exit 1");
    await resetProcessTable(toolkit);
    expect(await call({ action: "list" })).toBe("No jobs.");
    expect(existsSync(join(cwd, ".indus-process", "job-1.stdout.0"))).toBe(false);
  });
});
