import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SESSION_IDLE_MS } from "../../kernel/index.js";
import { fileLocks } from "./file-locks.js";
import { type FileSessions, fileSessions } from "./session-catalog.js";
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

/** As another process would open them: its marks are those of this process all the same. */
const sessions = (): FileSessions => fileSessions({ state, locks: fileLocks(state), now: () => nowMs });
const at = (...names: string[]): string => join(state.path, "sessions", ...names);
/** A process that has ended: no process with this pid has this start time. */
const markedByTheDead = (name: string): void => {
  const [held] = readdirSync(at(name)).filter((one) => one.startsWith("held-"));
  if (held === undefined) throw new Error("there is no mark");
  rmSync(at(name, held));
  writeFileSync(at(name, held.replace(/-\w+$/, "-1")), "");
};

describe("the sessions of a state directory", () => {
  it("are listed with what they keep, the last used first", async () => {
    const all = sessions();
    await all.open("cli:/a/b").todo.replace([item]);
    nowMs += 2 * HOUR;
    const other = all.open("other");
    const writer = await other.artifacts.create({ what: "stdout" });
    await writer.write(Buffer.alloc(1000));
    await other.close();
    expect(sessions().list()).toMatchObject([
      { id: "other", createdMs: nowMs, usedMs: nowMs, artifacts: 1, todoItems: 0, openIn: [] },
      { id: "cli:/a/b", usedMs: nowMs - 2 * HOUR, artifacts: 0, todoItems: 1, openIn: [process.pid] },
    ]);
    expect(sessions().list()[0]?.bytes).toBeGreaterThan(1000);
  });

  it("are omitted from the list where their mark says nothing that can be shown", async () => {
    await sessions().open("daily").todo.replace([item]);
    const sound = JSON.parse(readFileSync(at("daily", "session.json"), "utf8"));
    for (const odd of [
      null,
      5,
      [],
      { ...sound, createdMs: 1e300 },
      { ...sound, createdMs: "1" },
      { ...sound, id: 5 },
    ]) {
      writeFileSync(at("daily", "session.json"), JSON.stringify(odd));
      expect([odd, sessions().list()]).toEqual([odd, []]);
    }
  });

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
    first.touch();
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
    expect(sessions().clean()).toEqual([]);
    expect(existsSync(at("daily"))).toBe(true);
  });

  it("end after the call of another session, and a sweep that is stopped leaves the rest", async () => {
    for (const id of ["a", "b"]) await sessions().open(id).todo.replace([item]);
    for (const id of ["a", "b"]) markedByTheDead(id);
    nowMs += SESSION_IDLE_MS + 1;
    const stopped = sessions();
    stopped.open("new").touch();
    stopped.close();
    await stopped.sweep();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(readdirSync(at()).sort()).toEqual(["a", "b"]);
    sessions().open("new").touch();
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

  it("can be cleaned: the idle ones, and what a killed host left of those without a name", async () => {
    const all = sessions();
    for (const [id, isTemporary] of [["old"], ["fresh"], ["session-1", true], ["session-2", true]] as const) {
      if (id === "fresh") nowMs += 2 * HOUR;
      await all.open(id, isTemporary).todo.replace([item]);
    }
    for (const name of ["old", "fresh", "session-1"]) markedByTheDead(name);
    nowMs += 60_000;
    expect([...all.clean(HOUR)].sort()).toEqual(["old", "session-1"]);
    expect(readdirSync(at()).sort()).toEqual(["fresh", "session-2"]);
  });

  it("forget everything when they are ended here", async () => {
    const daily = sessions().open("daily");
    await daily.todo.replace([item]);
    await daily.end();
    await daily.end();
    expect(readdirSync(at())).toEqual([]);
  });

  it("keep names that are no names of files within the directory", async () => {
    const names = ["../../outside", ".", "..", "a/b", "/etc/passwd", "x".repeat(5_000), "nul\0byte", ".ended-1"];
    for (const name of names) await sessions().open(name).todo.replace([item]);
    expect(
      sessions()
        .list()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...names].sort());
    expect(readdirSync(state.path).sort()).toEqual(["format.json", "locks", "sessions"]);
    expect(readdirSync(at())).toHaveLength(names.length);
  });
});
