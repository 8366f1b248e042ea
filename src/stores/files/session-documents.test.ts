import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_OUTPUTS_SEEN, MAX_READ_RECORDS } from "../../kernel/index.js";
import type { DocumentSession } from "../document-session.js";
import { MAX_STORED_ENTRIES } from "../session-memory.js";
import { sessionFiles } from "./session-files.js";
import { sessionsIn } from "./sessions.fixture.js";
import { openStateDirectory, type StateDirectory } from "./state-directory.js";

let state: StateDirectory;
beforeEach(() => {
  state = openStateDirectory(mkdtempSync(join(tmpdir(), "haft-session-")));
});
afterEach(() => rmSync(state.path, { recursive: true, force: true }));

const open = (id = "daily", isTemporary = false): DocumentSession => sessionsIn(state).open(id, isTemporary);
/** As the first call of another process finds it. */
const opened = async (id = "daily"): Promise<DocumentSession> => {
  const session = open(id);
  await session.load();
  return session;
};
const place = (name: string): string => join(state.path, "sessions/daily/documents/session", name);
const valueIn = (name: string) => JSON.parse(readFileSync(place(name), "utf8")).value;
const putValue = (name: string, value: unknown): void =>
  writeFileSync(place(name), JSON.stringify({ key: name.replace(".json", ""), version: String(Math.random()), value }));
const filesIn = (directory: string) =>
  readdirSync(directory, { recursive: true }).filter((name) => !String(name).includes("held-"));
const item = { id: "1", text: "Write it", status: "pending" } as const;
const sound = { mtimeMs: 1, size: 2, readAt: 3 };

describe("a session by files", () => {
  it("shows its todo list to another process, and to no other session", async () => {
    await open().todo.replace([item]);
    expect(await open().todo.read()).toEqual([item]);
    expect(await open("other").todo.read()).toEqual([]);
    expect(valueIn("todo.json")).toEqual([item]);
  });

  it("takes for an item of its todo list only what is one, and lets a new list be set", async () => {
    await open().todo.replace([item]);
    for (const odd of [{ items: "x" }, [null, 5, { id: 1 }, { ...item, status: "odd" }], 7]) {
      putValue("todo.json", odd);
      expect(await open().todo.read()).toEqual([]);
    }
    await open().todo.replace([item]);
    expect(await open().todo.read()).toEqual([item]);
  });

  it.each(['{"key":"todo","ver', "7"])(
    "sets a todo list that is no document aside, says so to who reads it, and continues with a new one: %s",
    async (damaged) => {
      await open().todo.replace([item]);
      const path = place("todo.json");
      writeFileSync(path, damaged);
      await expect(open().todo.read()).rejects.toMatchObject({
        code: "STORE_CONFLICT",
        message: expect.stringMatching(
          /^Could not read ".*todo\.json": it is not .*\. The next write replaces it and keeps it as ".*todo\.json\.damaged"\.$/,
        ),
      });
      await open().todo.replace([item]);
      expect(await open().todo.read()).toEqual([item]);
      expect(readFileSync(`${path}.damaged`, "utf8")).toBe(damaged);
    },
  );

  it("continues where its other files were cut off", async () => {
    const first = open();
    first.setCwd("local", "/elsewhere");
    await first.close();
    writeFileSync(place("memory.json"), "{");
    const session = await opened();
    expect(session.cwd("local")).toBeUndefined();
    session.setCwd("local", "/somewhere");
    await session.close();
    expect(readFileSync(place("memory.json.damaged"), "utf8")).toBe("{");
    const again = await opened();
    expect([again.cwd("local"), again.isGone()]).toEqual(["/somewhere", false]);
  });

  it("does not wait for a FIFO in the place of its todo list, and says what to do", async () => {
    await open().todo.replace([item]);
    rmSync(place("todo.json"));
    expect(spawnSync("mkfifo", [place("todo.json")]).status).toBe(0);
    await expect(open().todo.read()).rejects.toMatchObject({
      code: "STORE_CONFLICT",
      message: expect.stringMatching(/^Could not read .*: it is not a file\. Fix the file, or delete it/),
    });
  });

  it("keeps its artifacts within the quota that it is given", async () => {
    const { artifacts, close } = sessionFiles({ state, id: "small", quotaBytes: 16 });
    for (const text of ["first 12 bytes", "then these too"]) {
      const writer = await artifacts.create({ what: "output" });
      await writer.write(Buffer.from(text));
      await writer.end();
    }
    expect((await artifacts.list()).map((one) => one.producedBytes)).toEqual([14]);
    await close();
  });

  it("remembers what was read and where it stood once it was closed", async () => {
    const [one, two] = [open(), open()];
    one.readState.set("local:/a", sound);
    one.setCwd("local", "/a");
    two.readState.set("local:/b", { mtimeMs: 4, size: 5, readAt: 6 });
    two.symlinks.add("local:/l");
    await Promise.all([one.close(), two.close()]);
    const later = await opened();
    expect(later.readState.get("local:/a")).toEqual(sound);
    expect(later.readState.has("local:/b")).toBe(true);
    expect(later.cwd("local")).toBe("/a");
    expect([...later.symlinks]).toEqual(["local:/l"]);
  });

  it("sees with each call what another process did in its calls", async () => {
    const [one, two] = [await opened(), await opened()];
    one.readState.set("local:/a", sound);
    one.setCwd("local", "/a");
    await one.settle();
    two.readState.set("local:/b", sound);
    expect([two.cwd("local"), two.readState.has("local:/a")]).toEqual([undefined, false]);
    await two.load();
    expect([two.cwd("local"), two.readState.has("local:/a"), two.readState.has("local:/b")]).toEqual([
      "/a",
      true,
      true,
    ]);
    two.setCwd("local", "/b");
    await two.load();
    expect(two.cwd("local")).toBe("/b");
    await two.settle();
    await one.load();
    expect([one.cwd("local"), one.readState.has("local:/b")]).toEqual(["/b", true]);
  });

  it("loses nothing where two processes store at once, over and over", async () => {
    const all = await Promise.all(["a", "b", "c"].map(async () => opened()));
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(
        all.map(async (session, index) => {
          session.readState.set(`local:/${index}/${round}`, sound);
          await session.settle();
        }),
      );
    }
    const keys = all.flatMap((_, index) => [0, 1, 2, 3, 4].map((round) => `local:/${index}/${round}`));
    expect(Object.keys(valueIn("memory.json").read).sort()).toEqual(keys.sort());
    for (const session of all) {
      await session.load();
      expect(keys.filter((key) => !session.readState.has(key))).toEqual([]);
    }
  });

  it("writes nothing for a file that is read again unchanged", async () => {
    const session = await opened();
    session.readState.set("local:/a", sound);
    await session.settle();
    const before = readFileSync(place("memory.json"), "utf8");
    session.readState.set("local:/a", { ...sound, readAt: 9 });
    expect(session.settle()).toBeUndefined();
    session.readState.set("local:/a", { ...sound, mtimeMs: 9 });
    await session.settle();
    expect(readFileSync(place("memory.json"), "utf8")).not.toBe(before);
  });

  it("remembers what was read and met last, more of it in memory than on disk", async () => {
    const session = open();
    for (let index = 0; index < MAX_READ_RECORDS + 2; index += 1)
      session.readState.set(`local:/${index}`, { mtimeMs: 1, size: 2, readAt: index });
    for (let index = 0; index < MAX_STORED_ENTRIES + 2; index += 1) session.symlinks.add(`local:/${index}`);
    expect(["local:/1", "local:/2"].map((key) => session.readState.has(key))).toEqual([false, true]);
    await session.close();
    const later = await opened();
    const oldest = MAX_READ_RECORDS + 2 - MAX_STORED_ENTRIES;
    expect([later.readState.has(`local:/${oldest - 1}`), later.readState.has(`local:/${oldest}`)]).toEqual([
      false,
      true,
    ]);
    expect([later.symlinks.size, later.symlinks.has("local:/1"), later.symlinks.has("local:/2")]).toEqual([
      MAX_STORED_ENTRIES,
      false,
      true,
    ]);
  });

  it("stores the latest of what it remembers where all of it would be too large for a document", async () => {
    const session = await opened();
    for (let index = 0; index < MAX_STORED_ENTRIES; index += 1)
      session.readState.set(`local:/${"é".repeat(2_000)}/${index}`, { ...sound, readAt: index });
    await session.settle();
    const later = await opened();
    const kept = (index: number) => later.readState.has(`local:/${"é".repeat(2_000)}/${index}`);
    expect([kept(MAX_STORED_ENTRIES - 1), kept(0)]).toEqual([true, false]);
  });

  it("stores the rest where a tool has remembered what JSON cannot hold", async () => {
    const session = await opened();
    session.readState.set("local:/odd", { ...sound, mtimeMs: Number.NaN });
    session.readState.set("local:/a", sound);
    await session.settle();
    const later = await opened();
    expect([later.readState.has("local:/odd"), later.readState.has("local:/a")]).toEqual([false, true]);
  });

  it("remembers which output it was shown of the latest jobs, and takes nothing odd in its file for a place", async () => {
    const session = open();
    for (let index = 0; index <= MAX_OUTPUTS_SEEN; index += 1)
      session.outputsSeen.set(`local job-${index}`, { startedMs: index, stdout: 5, stderr: 0 });
    session.outputsSeen.set("local job-of-this-process", { stdout: 5, stderr: 0 });
    await session.close();
    const saved = valueIn("memory.json");
    expect(Object.keys(saved.outputs)).toHaveLength(MAX_OUTPUTS_SEEN);
    const later = await opened();
    const shown = { startedMs: MAX_OUTPUTS_SEEN, stdout: 5, stderr: 0 };
    expect(later.outputsSeen.get(`local job-${MAX_OUTPUTS_SEEN}`)).toEqual(shown);
    expect(later.outputsSeen.get("local job-0")).toBeUndefined();
    expect(later.outputsSeen.get("local job-of-this-process")).toBeUndefined();
    const place = { startedMs: 1, stdout: 1, stderr: 0 };
    const odd = [null, 5, {}, { ...place, stdout: -1 }, { ...place, stderr: 0.5 }, { ...place, stdout: "1" }];
    for (const outputs of [null, 5, [], { ...odd, sound: place }]) {
      putValue("memory.json", { ...saved, outputs });
      const again = await opened();
      expect(Object.keys(odd).map((key) => again.outputsSeen.get(key))).toEqual(odd.map(() => undefined));
      expect(again.outputsSeen.get("sound")).toEqual(
        outputs !== null && Object.hasOwn(Object(outputs), "sound") ? place : undefined,
      );
    }
  });

  it("makes nothing until it is called", async () => {
    await open().close();
    expect(readdirSync(state.path)).toEqual([]);
  });

  it("takes for remembered only what was, whatever else stands in its file, and remembers anew", async () => {
    const oddReads = [null, 5, {}, { ...sound, size: "2" }, { ...sound, readAt: null }, { ...sound, contentHash: 1 }];
    const wholes = [null, 5, "x", [], true];
    const documents = [
      ...wholes,
      ...wholes.map((odd) => ({ cwd: odd, read: odd, symlinks: odd })),
      { cwd: { odd: 1, local: "/b" }, read: { ...oddReads, "local:/a": sound }, symlinks: [5, null, "local:/l"] },
    ];
    await opened();
    mkdirSync(dirname(place("memory.json")), { recursive: true });
    for (const document of documents) {
      putValue("memory.json", document);
      const session = await opened();
      const isSound = document === documents.at(-1);
      const known = (one: DocumentSession) => [
        one.cwd("odd"),
        one.readState.has("0"),
        [...one.symlinks].filter((link) => link !== "local:/new"),
      ];
      const expected = [undefined, false, isSound ? ["local:/l"] : []];
      expect([document, known(session)]).toEqual([document, expected]);
      session.symlinks.add("local:/new");
      session.readState.set("local:/new", sound);
      await session.close();
      const later = await opened();
      expect([document, known(later), later.symlinks.has("local:/new")]).toEqual([document, expected, true]);
      expect([later.readState.has("local:/a"), later.readState.has("local:/new")]).toEqual([isSound, true]);
      expect(later.cwd("local")).toBe(isSound ? "/b" : undefined);
    }
  });

  it.each(["ended", "ended and begun again"])("that another process has %s stores nothing more", async (how) => {
    const session = open();
    await session.todo.replace([item]);
    const continued = await opened();
    await sessionsIn(state).store.sessions.end("daily");
    if (how !== "ended") await open().todo.replace([]);
    const before = filesIn(join(state.path, "sessions"));
    for (const one of [session, continued]) {
      const refused = { code: "STORE_CLOSED", message: expect.stringContaining("the session was ended") };
      await expect(one.todo.replace([item])).rejects.toMatchObject(refused);
      await expect(one.artifacts.create({ what: "output" })).rejects.toMatchObject(refused);
      one.setCwd("local", "/a");
      await one.settle();
      expect(one.isGone()).toBe(true);
      await one.close();
      await one.end();
    }
    expect(filesIn(join(state.path, "sessions"))).toEqual(before);
    expect(await open().todo.read()).toEqual([]);
  });

  it("leaves nothing of a temporary session, and stores nothing for its calls", async () => {
    const session = open("once", true);
    expect([session.load(), await session.todo.read()]).toEqual([undefined, []]);
    session.readState.set("local:/a", sound);
    expect(session.settle()).toBeUndefined();
    expect(readdirSync(state.path)).toEqual([]);
    await session.todo.replace([item]);
    expect(existsSync(join(state.path, "sessions/once"))).toBe(true);
    await session.close();
    expect(existsSync(join(state.path, "sessions/once"))).toBe(false);
  });
});
