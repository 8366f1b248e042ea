import { expect, it } from "vitest";
import { SessionJobs, type Shell, type ShellHandle, type ShellResult, type TreeState } from "./index.js";

const GONE: TreeState = { state: "gone", survivors: [], endedBy: "TERM" };

/** A shell whose jobs answer a kill as `trees` says, and settle when the test does. */
function shellOf(trees: Readonly<Record<string, TreeState | Error>>) {
  const killed: string[] = [];
  const settle = new Map<string, (tree: TreeState) => void>();
  const handles = new Map<string, ShellHandle>();
  for (const [id, tree] of Object.entries(trees)) {
    const result = new Promise<ShellResult>((done) => settle.set(id, (left) => done({ tree: left } as ShellResult)));
    const kill = async () => {
      killed.push(id);
      if (tree instanceof Error) throw tree;
      return tree;
    };
    handles.set(id, { id, result, kill } as unknown as ShellHandle);
  }
  const shell: Shell = {
    exec: async (command) => ({ job: command }) as unknown as ShellResult,
    spawn: async (command) => handles.get(command)!,
    jobs: async () => [],
    attach: async (id) => handles.get(id) ?? null,
  };
  return { shell, killed, settle };
}

const session = { cwd: "/", lifetime: "session" } as const;

it("names what a session leaves: what lives on, what was not seen to end, and what could not be reached", async () => {
  const survivors = [{ pid: 7, name: "stubborn", holds: "none" as const }];
  const { shell } = shellOf({
    alive: { state: "alive", survivors, endedBy: null },
    unseen: { state: "unseen", survivors: [], endedBy: null },
    lost: new Error("no connection"),
    obedient: GONE,
  });
  const jobs = new SessionJobs(shell);
  const own = jobs.ofCall(shell, "s");
  for (const id of ["alive", "unseen", "lost"]) await own.spawn(id, session);
  await own.exec("obedient", session);
  expect(await jobs.end("s")).toEqual({ left: ["7 (stubborn)", "unseen", "lost"] });
  expect(await jobs.end("s")).toEqual({ left: [] });
});

it("leaves alone what outlives a session, what is another's, and what has ended with all it started", async () => {
  const { shell, killed, settle } = shellOf({ host: GONE, kept: GONE, other: GONE, ended: GONE, parent: GONE });
  const jobs = new SessionJobs(shell);
  const own = jobs.ofCall(shell, "s");
  await own.spawn("host", { ...session, lifetime: "host" });
  await own.spawn("kept", { ...session, lifetime: "keep" });
  await jobs.ofCall(shell, "another").spawn("other", session);
  await own.spawn("ended", session);
  await own.spawn("parent", session);
  settle.get("ended")?.(GONE);
  settle.get("parent")?.({ ...GONE, state: "alive" });
  await Promise.resolve(); // the end is heard one turn later
  await jobs.end("s");
  expect(killed).toEqual(["parent"]);
});

it("ends what a call of before the end starts after it, and not what a later call starts", async () => {
  const { shell, killed } = shellOf({ late: GONE, anew: GONE });
  const jobs = new SessionJobs(shell);
  const early = jobs.ofCall(shell, "s");
  await jobs.end("s");
  await jobs.ofCall(shell, "s").spawn("anew", session);
  await early.spawn("late", session);
  expect(killed).toEqual(["late"]);
});

it("ends a job by the lifetime that its shell was given, whatever the options say when they are read again", async () => {
  const { shell, killed } = shellOf({ shifty: GONE });
  const given: unknown[] = [];
  const recording: Shell = {
    ...shell,
    async spawn(command, options) {
      given.push(options.lifetime);
      return shell.spawn(command, options);
    },
  };
  const jobs = new SessionJobs(shell);
  let reads = 0;
  const options = {
    cwd: "/",
    get lifetime() {
      return reads++ === 0 ? ("session" as const) : ("keep" as const);
    },
  };
  await jobs.ofCall(recording, "s").spawn("shifty", options);
  await jobs.end("s");
  expect([given, killed]).toEqual([["session"], ["shifty"]]);
});
