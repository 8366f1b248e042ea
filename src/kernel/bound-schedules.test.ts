import { expect, it } from "vitest";
import { boundSchedules, type StateCaller } from "./bound-schedules.js";
import { type Claim, grantFor } from "./claims.js";
import type { Schedule, ScheduleContent, Schedules } from "./schedules.js";

const caller: StateCaller = {
  session: "new",
  owner: "ada",
  autonomy: "supervised",
  target: "local",
  workspace: "/w",
};
const schedule: Schedule = {
  id: "1",
  createdMs: 0,
  nextMs: 9,
  timing: { kind: "at", atMs: 9 },
  command: "make",
  cwd: "/w",
  target: "local",
  workspace: "/w",
  owner: "ada",
  timeoutMs: 1,
  missed: "once",
  retries: 0,
  deleteAfterRun: false,
  enabled: true,
  session: "old",
  autonomy: "full",
};
const MAKE: readonly Claim[] = [{ kind: "command", command: "make", cwd: "/w" }];

/** The schedules of a call on a store that has this one. */
function bound(stored: Partial<Schedule> = {}, as: Partial<StateCaller> = {}, claims: readonly Claim[] = []) {
  const seen: unknown[] = [];
  let now: Schedule = { ...schedule, ...stored };
  const schedules = {
    get: async () => now,
    list: async () => [now],
    async update(_id: string, change: (old: Schedule) => ScheduleContent | undefined) {
      now = { ...now, ...change(now), approvedBy: change(now)?.approvedBy } as Schedule;
      return now;
    },
    async add(content: ScheduleContent) {
      now = { ...now, ...content };
      return now;
    },
    async trigger(id: string) {
      seen.push(["trigger", id]);
      return undefined;
    },
    async runs(filter: unknown) {
      seen.push(filter);
      return [];
    },
    async lastRuns(of: unknown) {
      seen.push(of);
      return [];
    },
    hosts: async () => [{ host: "a", places: ["box:/w"], polledMs: 0 }],
  } as unknown as Schedules;
  const binding = { open: () => schedules, requireLife() {}, grant: grantFor("g", claims) };
  return { own: boundSchedules({ ...binding, caller: { ...caller, ...as } }), seen };
}

it.each([{ owner: "eve" }, { target: "box" }, { workspace: "/other" }] as const)(
  "a schedule of %j does not exist for a call",
  async (stored) => {
    const { own, seen } = bound(stored);
    expect(await own.get("1")).toBeUndefined();
    expect(await own.list()).toEqual([]);
    expect(await own.update("1", () => undefined)).toBeUndefined();
    expect(await own.trigger("1")).toBeUndefined();
    await own.runs({ limit: 3 });
    await own.lastRuns();
    const of = { place: "local:/w", owner: "ada" };
    expect(seen).toEqual([{ limit: 3, of }, of]);
    expect(await own.hosts()).toEqual([]);
  },
);

it("starts no run that the call could not have started itself", async () => {
  const denied = { code: "POLICY_DENIED", message: expect.stringContaining("haft schedule run 1") };
  await expect(bound({ autonomy: "full" }).own.trigger("1")).rejects.toMatchObject(denied);
  await expect(bound({ autonomy: "supervised", approvedBy: "ada" }).own.trigger("1")).rejects.toMatchObject(denied);
  const { own, seen } = bound({ autonomy: "supervised" });
  await own.trigger("1");
  expect(seen).toEqual([["trigger", "1"]]);
});

it.each([{ timeoutMs: 2 }, { retries: 1 }, { missed: 5 }, { nextMs: 1 }, { timing: { kind: "at", atMs: 1 } }] as const)(
  "a change of %j without the claim of the command ends its approval",
  async (change) => {
    const { own } = bound({ approvedBy: "ada" });
    const changed = await own.update("1", (old) => ({ ...old, ...change }));
    expect(changed).toMatchObject({ ...change, session: "new", autonomy: "supervised", approvedBy: undefined });
  },
);

it("enabling ends the approval; another name and disabling do not", async () => {
  const enabled = await bound({ approvedBy: "ada", enabled: false }).own.update("1", (old) => ({
    ...old,
    enabled: true,
  }));
  expect(enabled?.approvedBy).toBeUndefined();
  for (const change of [{ name: "job" }, { enabled: false }]) {
    const kept = await bound({ approvedBy: "ada" }).own.update("1", (old) => ({ ...old, ...change }));
    expect(kept).toMatchObject({ ...change, session: "old", autonomy: "full", approvedBy: "ada" });
  }
});

it("a claimed command has what the call has, and an answer that was remembered stores none", async () => {
  const change = (old: Schedule) => ({ ...old, timeoutMs: 2 });
  const asked = await bound({}, { approvedBy: "eve" }, MAKE).own.update("1", change);
  expect(asked).toMatchObject({ session: "new", autonomy: "supervised", approvedBy: "eve" });
  const remembered = bound({}, { approvedBy: "remembered" }, MAKE).own;
  const denied = { code: "POLICY_DENIED", message: expect.stringContaining("haft policy allow") };
  await expect(remembered.add(schedule, 1)).rejects.toMatchObject(denied);
  await expect(remembered.update("1", change)).rejects.toMatchObject(denied);
});
