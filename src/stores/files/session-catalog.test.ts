import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SESSION_IDLE_MS } from "../../kernel/index.js";
import { sessionsIn } from "./sessions.fixture.js";
import { openStateDirectory, type StateDirectory } from "./state-directory.js";

const HOUR = 60 * 60 * 1000;
const item = { id: "1", text: "Write it", status: "pending" } as const;

let state: StateDirectory;
let nowMs: number;
beforeEach(() => {
  state = openStateDirectory(mkdtempSync(join(tmpdir(), "haft-sessions-")));
  nowMs = Date.UTC(2026, 0, 1);
});
afterEach(() => rmSync(state.path, { recursive: true, force: true }));

const sessions = () => sessionsIn(state, () => nowMs);
const at = (...names: string[]): string => join(state.path, "sessions", ...names);
/** A process that has ended: no process with this pid has this start time. */
const markedByTheDead = (name: string): void => {
  const [held] = readdirSync(at(name)).filter((one) => one.startsWith("held-"));
  if (held === undefined) throw new Error("there is no mark");
  rmSync(at(name, held));
  writeFileSync(at(name, held.replace(/-\w+$/, "-1")), "");
};

describe("the sessions of a state directory", () => {
  it("are private to the user", async () => {
    await sessions().open("daily").todo.replace([item]);
    for (const name of readdirSync(at("daily")))
      expect([name, statSync(at("daily", name)).mode & 0o077]).toEqual([name, 0]);
    expect(statSync(at("daily")).mode & 0o077).toBe(0);
  });

  it("end when no call has used them for a day, counted from the end of the last one", async () => {
    const first = sessions().open("daily");
    await first.todo.replace([item]);
    nowMs += 23 * HOUR;
    await first.settle();
    await first.close();
    nowMs += 23 * HOUR;
    expect(await sessions().open("daily").todo.read()).toEqual([item]);
    markedByTheDead("daily");
    nowMs += SESSION_IDLE_MS + 1;
    const all = sessions();
    await all.sweep();
    expect(existsSync(at("daily"))).toBe(false);
    expect(await all.open("daily").todo.read()).toEqual([]);
  });

  it("are not found by whoever comes too late, however often others came before", async () => {
    const all = sessions();
    const daily = all.open("daily");
    await daily.todo.replace([item]);
    await daily.close();
    nowMs += SESSION_IDLE_MS - 1;
    all.open("just before");
    nowMs += 2;
    expect(await all.open("daily").todo.read()).toEqual([]);
  });

  it("do not end while a process has them open", async () => {
    await sessions().open("daily").todo.replace([item]);
    nowMs += 3 * SESSION_IDLE_MS;
    await sessions().sweep();
    expect(existsSync(at("daily"))).toBe(true);
  });

  it("end after the call of another session, and a sweep that is stopped leaves the rest", async () => {
    for (const id of ["a", "b"]) await sessions().open(id).todo.replace([item]);
    for (const id of ["a", "b"]) markedByTheDead(id);
    nowMs += SESSION_IDLE_MS + 1;
    const stopped = sessions();
    stopped.open("new").settle();
    stopped.close();
    await stopped.sweep();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(readdirSync(at()).sort()).toEqual(["a", "b"]);
    sessions().open("new").settle();
    await vi.waitFor(() => expect(readdirSync(at())).toEqual([]));
  });

  it("can be ended by name from another process, which the one that has them open notices", async () => {
    const daily = sessions().open("daily");
    await daily.todo.replace([item]);
    expect(daily.isGone()).toBe(false);
    expect(sessions().end("daily")).toBe(true);
    expect(sessions().end("daily")).toBe(false);
    expect(daily.isGone()).toBe(true);
    expect(await daily.todo.read()).toEqual([]);
    await daily.close();
    expect(readdirSync(at())).toEqual([]);
  });

  it("are not mixed up with a later one of the same name", async () => {
    const daily = sessions().open("daily");
    await daily.todo.replace([item]);
    sessions().end("daily");
    const later = sessions().open("daily");
    await later.todo.replace([{ ...item, text: "Later" }]);
    expect([daily.isGone(), later.isGone()]).toEqual([true, false]);
    await daily.end();
    expect(await later.todo.read()).toMatchObject([{ text: "Later" }]);
  });

  it("forget everything when they are ended here", async () => {
    const daily = sessions().open("daily");
    await daily.todo.replace([item]);
    await daily.end();
    await daily.end();
    expect(readdirSync(at())).toEqual([]);
  });

  it("keep names that are no names of files within the directory", async () => {
    const names = ["../../outside", ".", "..", "a/b", "/etc/passwd", "x".repeat(1_000), ".ended-1"];
    for (const name of names) await sessions().open(name).todo.replace([item]);
    const listed: string[] = [];
    for await (const { id } of sessions().store.sessions.list()) listed.push(id);
    expect(listed.sort()).toEqual([...names].sort());
    expect(readdirSync(state.path).sort()).toEqual(["format.json", "locks", "sessions"]);
    expect(readdirSync(at())).toHaveLength(names.length);
  });
});
