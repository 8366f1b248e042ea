import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Finished } from "../../../testing/built.fixture.js";
import { cliPlace } from "../../../testing/cli-place.fixture.js";

const place = cliPlace();
afterEach(() => haft("jobs", "stop", "job-1"));

const haft = (...args: readonly string[]): Promise<Finished> => place.haft(args);
const start = (command: string, more: object = {}): Promise<Finished> =>
  haft("call", "process", JSON.stringify({ action: "start", command, ...more }));
/** A zombie does not count. */
const isAlive = (pid: string) =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
const pidIn = (name: string) => readFileSync(join(place.workspace, name), "utf8").trim();

describe("haft jobs", () => {
  it.each(["memory", "posix:sh"])("what a call left on %s ends with the call, which is reported", async (on) => {
    const called = await haft("call", "--on", on, "process", '{"action":"start","command":"sleep 600"}');
    expect(called.stderr).toMatch(/stopped (\S+) on \S+ at the end of this call\.\n$/);
    const quick = await haft("call", "--on", on, "process", '{"action":"start","command":"true"}');
    expect(quick.stderr).not.toContain("stopped");
  });

  it("lists what a call left: its job ended with it, its output is kept, and clean removes that", async () => {
    expect((await haft("jobs", "list")).stdout).toMatch(/^No jobs\./);
    const called = await start("echo $$ > pid; echo words; exec sleep 600");
    expect(called).toMatchObject({ status: 0, stdout: expect.stringContaining("words") });
    expect(called.stderr).toBe(
      'haft: stopped job-1 at the end of this call; its output is stored. A job with "lifetime": "keep" continues.\n',
    );
    expect(isAlive(pidIn("pid"))).toBe(false);
    const listed = await haft("jobs", "list");
    expect(listed.stdout).toMatch(
      /^job-1 {2}ended with its host process, signal TERM; ran \d+ ms from .* UTC; 6 bytes of output\n {2}echo \$\$/,
    );
    expect(JSON.parse((await haft("jobs", "list", "--json")).stdout)).toMatchObject([{ id: "job-1", status: "ended" }]);
    expect((await haft("call", "process", '{"action":"poll","id":"job-1"}')).stdout).toContain("stdout: nothing new");
    expect((await haft("jobs", "clean")).stderr).toBe("haft: deleted 0 jobs with 0 bytes of output.\n");
    expect((await haft("jobs", "clean", "--all")).stderr).toBe("haft: deleted 1 job with 6 bytes of output.\n");
    expect((await haft("jobs", "list")).stdout).toMatch(/^No jobs\./);
  });

  it("keeps a job of lifetime keep running for the next call, and stops it with all its processes", async () => {
    const started = await start("setsid sleep 600 & echo $! > child; echo $$ > pid; echo kept; wait", {
      lifetime: "keep",
    });
    expect(started.stderr).toBe("haft: job-1 runs in the background; `haft jobs stop job-1` stops it.\n");
    expect((await haft("jobs", "list")).stdout).toMatch(
      /^job-1 {2}running since .* UTC; runs until it is stopped; 5 bytes of output\n/,
    );
    const polled = await haft("call", "process", '{"action":"poll","id":"job-1"}');
    expect(polled.stdout).toMatch(
      /^job-1: running for \d+ ms, runs until stopped, from an earlier host process, "setsid/,
    );
    expect([isAlive(pidIn("pid")), isAlive(pidIn("child"))]).toEqual([true, true]);
    expect(await haft("jobs", "stop", "job-1")).toMatchObject({
      status: 0,
      stderr: "haft: stopped job-1 with all its processes.\n",
    });
    expect([isAlive(pidIn("pid")), isAlive(pidIn("child"))]).toEqual([false, false]);
    expect((await haft("jobs", "stop", "job-1")).stderr).toBe("haft: job-1 had already ended.\n");
    expect((await haft("call", "time", "{}")).stderr).toBe("");
    expect((await haft("jobs", "stop", "job-9")).status).toBe(1);
  });

  it("says of a kept job that ended by itself that it has ended since, and which command prints its output", async () => {
    await start("until [ -e go ]; do sleep 0.1; done; echo out; exit 4", { lifetime: "keep" });
    writeFileSync(join(place.workspace, "go"), "");
    await vi.waitFor(async () => expect((await haft("jobs", "list")).stdout).toMatch(/^job-1 {2}exit code 4; ran /), {
      timeout: 20_000,
    });
    const next = await haft("call", "process", "action=list");
    expect(next.stdout).toMatch(/^job-1: exit code 4 after \d+ ms, from an earlier host process, "until /);
    const command = "haft call process action=poll id=job-1";
    expect(next.stderr).toBe(
      `haft: jobs that an earlier haft process started have ended since: job-1. \`haft jobs list\` shows how, and \`${command}\` its output.\n`,
    );
    expect((await haft(...command.split(" ").slice(1), "--session", "other")).stdout).toContain("out");
  });

  it("says of a job of another machine how it is stopped", async () => {
    const id = "haft-0123456789abcdef01.1";
    expect(await haft("jobs", "stop", id)).toMatchObject({
      status: 1,
      stderr: `haft: did not stop "${id}": it is a job of another machine. \`haft call process action=stop id=${id} --on TARGET\` stops it, with the target where it runs.\n`,
    });
  });

  it("shows each session only what its earlier calls did not show, and a new job with an old id from the beginning", async () => {
    const poll = async (...options: readonly string[]) =>
      (await haft("call", ...options, "process", '{"action":"poll","id":"job-1"}')).stdout;
    await start(
      "echo first; until [ -e go ]; do sleep 0.1; done; echo second; echo third >&2; touch done; exec sleep 600",
      {
        lifetime: "keep",
      },
    );
    expect(await poll()).not.toContain("\nfirst");
    writeFileSync(join(place.workspace, "go"), "");
    await vi.waitFor(() => expect(existsSync(join(place.workspace, "done"))).toBe(true), { timeout: 20_000 });
    const polled = await poll();
    expect(polled).toMatch(/\nsecond\n/);
    expect(polled).toMatch(/\nthird\n/);
    expect(polled).not.toMatch(/\nfirst/);
    expect(await poll()).not.toMatch(/\n(first|second|third)/);
    expect(await poll("--session", "other")).toMatch(/\nfirst\nsecond\n/);
    await haft("jobs", "stop", "job-1");
    await haft("jobs", "clean", "--all");
    await haft(
      "call",
      "--session",
      "other",
      "process",
      '{"action":"start","command":"echo another; exec sleep 600","lifetime":"keep"}',
    );
    expect(await poll()).toMatch(/\nanother/);
  });
});
