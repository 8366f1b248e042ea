import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_KNOWN_SYMLINKS, MAX_OUTPUTS_SEEN, MAX_READ_RECORDS } from "../../kernel/index.js";
import { fileLocks } from "./file-locks.js";
import { fileSessions } from "./session-catalog.js";
import { createFileSession, type FileSession } from "./session-state.js";
import { openStateDirectory, type StateDirectory } from "./state-directory.js";

let state: StateDirectory;
beforeEach(() => {
  state = openStateDirectory(mkdtempSync(join(tmpdir(), "haft-session-")));
});
afterEach(() => rmSync(state.path, { recursive: true, force: true }));

const open = (id = "daily", isTemporary = false): FileSession =>
  createFileSession({ state, id, locks: fileLocks(state), isTemporary });
const filesIn = (directory: string) =>
  readdirSync(directory, { recursive: true }).filter((name) => !String(name).includes("held-"));
const item = { id: "1", text: "Write it", status: "pending" } as const;

describe("a session by files", () => {
  it("shows its todo list to another process, and to no other session", async () => {
    await open().todo.replace([item]);
    expect(await open().todo.read()).toEqual([item]);
    expect(await open("other").todo.read()).toEqual([]);
    expect(JSON.parse(readFileSync(join(state.path, "sessions/daily/todo.json"), "utf8"))).toEqual([item]);
  });

  it("takes for an item of its todo list only what is one, and lets a new list be set", async () => {
    const session = open();
    await session.todo.replace([item]);
    for (const odd of ['{"items":"x"}', `[null,5,{"id":1},${JSON.stringify({ ...item, status: "odd" })}]`, "7"]) {
      writeFileSync(join(state.path, "sessions/daily/todo.json"), odd);
      expect(await open().todo.read()).toEqual([]);
    }
    await session.todo.replace([item]);
    expect(await open().todo.read()).toEqual([item]);
  });

  it("sets a todo list that was cut off aside, says so to who reads it, and continues with a new one", async () => {
    await open().todo.replace([item]);
    const path = join(state.path, "sessions/daily/todo.json");
    writeFileSync(path, '[{"id":"a","te');
    await expect(open().todo.read()).rejects.toMatchObject({
      code: "STORE_CONFLICT",
      message: `Could not read "${path}": it is not valid JSON. The next write replaces it and keeps it as "${path}.damaged".`,
    });
    await open().todo.replace([item]);
    expect(await open().todo.read()).toEqual([item]);
    expect(readFileSync(`${path}.damaged`, "utf8")).toBe('[{"id":"a","te');
  });

  it("continues where its other files were cut off", async () => {
    const place = (name: string) => join(state.path, "sessions/daily", name);
    await open().todo.replace([item]);
    for (const name of ["memory.json", "session.json"]) writeFileSync(place(name), "{");
    const session = open();
    session.setCwd("local", "/somewhere");
    await session.close();
    expect(readFileSync(place("memory.json.damaged"), "utf8")).toBe("{");
    const again = open();
    expect([again.cwd("local"), await again.todo.read(), again.isGone()]).toEqual(["/somewhere", [item], false]);
  });

  it("does not wait for a FIFO in the place of its todo list, and says what to do", async () => {
    await open().todo.replace([item]);
    const path = join(state.path, "sessions/daily/todo.json");
    rmSync(path);
    expect(spawnSync("mkfifo", [path]).status).toBe(0);
    await expect(open().todo.read()).rejects.toMatchObject({
      code: "STORE_CONFLICT",
      message: expect.stringMatching(/^Could not read .*: it is not a file\. Fix the file, or delete it/),
    });
  });

  it("keeps its artifacts within the quota that it is given", async () => {
    const { artifacts, close } = createFileSession({ state, id: "small", locks: fileLocks(state), quotaBytes: 16 });
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
    one.readState.set("local:/a", { mtimeMs: 1, size: 2, readAt: 3 });
    one.setCwd("local", "/a");
    two.readState.set("local:/b", { mtimeMs: 4, size: 5, readAt: 6 });
    two.symlinks.add("local:/l");
    await Promise.all([one.close(), two.close()]);
    const later = open();
    expect(later.readState.get("local:/a")).toEqual({ mtimeMs: 1, size: 2, readAt: 3 });
    expect(later.readState.has("local:/b")).toBe(true);
    expect(later.cwd("local")).toBe("/a");
    expect([...later.symlinks]).toEqual(["local:/l"]);
  });

  it("remembers what was read and met last, in memory and on disk", async () => {
    const session = open();
    for (let index = 0; index < MAX_READ_RECORDS + 2; index += 1)
      session.readState.set(`local:/${index}`, { mtimeMs: 1, size: 2, readAt: index });
    for (let index = 0; index < MAX_KNOWN_SYMLINKS + 2; index += 1) session.symlinks.add(`local:/${index}`);
    const known = (one: FileSession) =>
      ["local:/1", "local:/2"].map((key) => one.readState.has(key) || one.symlinks.has(key));
    expect(known(session)).toEqual([false, true]);
    await session.close();
    const later = open();
    later.readState.set("local:/new", { mtimeMs: 1, size: 2, readAt: MAX_READ_RECORDS + 2 });
    later.symlinks.add("local:/new");
    await later.close();
    const last = open();
    expect([last.symlinks.size, last.symlinks.has("local:/new"), last.symlinks.has("local:/2")]).toEqual([
      MAX_KNOWN_SYMLINKS,
      true,
      false,
    ]);
    expect([last.readState.has("local:/new"), last.readState.has("local:/2")]).toEqual([true, false]);
  });

  it("remembers which output it was shown of the latest jobs, and takes nothing odd in its file for a place", async () => {
    const session = open();
    for (let index = 0; index <= MAX_OUTPUTS_SEEN; index += 1)
      session.outputsSeen.set(`local job-${index}`, { startedMs: index, stdout: 5, stderr: 0 });
    session.outputsSeen.set("local job-of-this-process", { stdout: 5, stderr: 0 });
    await session.close();
    const path = join(state.path, "sessions/daily/memory.json");
    const saved = JSON.parse(readFileSync(path, "utf8"));
    expect(Object.keys(saved.outputs)).toHaveLength(MAX_OUTPUTS_SEEN);
    const later = open();
    expect(later.outputsSeen.get(`local job-${MAX_OUTPUTS_SEEN}`)).toEqual({
      startedMs: MAX_OUTPUTS_SEEN,
      stdout: 5,
      stderr: 0,
    });
    expect(later.outputsSeen.get("local job-0")).toBeUndefined();
    expect(later.outputsSeen.get("local job-of-this-process")).toBeUndefined();
    const sound = { startedMs: 1, stdout: 1, stderr: 0 };
    const odd = [null, 5, {}, { ...sound, stdout: -1 }, { ...sound, stderr: 0.5 }, { ...sound, stdout: "1" }];
    for (const outputs of [null, 5, [], { ...odd, sound }]) {
      writeFileSync(path, JSON.stringify({ ...saved, outputs }));
      const again = open();
      expect(Object.keys(odd).map((key) => again.outputsSeen.get(key))).toEqual(odd.map(() => undefined));
      expect(again.outputsSeen.get("sound")).toEqual(
        outputs !== null && Object.hasOwn(Object(outputs), "sound") ? sound : undefined,
      );
    }
  });

  it("makes nothing until something is stored", async () => {
    const session = open();
    expect(await session.todo.read()).toEqual([]);
    await session.close();
    expect(readdirSync(state.path)).toEqual([]);
  });

  it("forgets what it has read when its file is damaged", () => {
    state.directory("sessions", "daily");
    writeFileSync(join(state.path, "sessions/daily/memory.json"), "{");
    expect(open().readState.has("local:/a")).toBe(false);
  });

  it("takes for remembered only what was, whatever else stands in its file, and remembers anew", async () => {
    state.directory("sessions", "daily");
    const path = join(state.path, "sessions/daily/memory.json");
    const sound = { mtimeMs: 1, size: 2, readAt: 3 };
    const oddReads = [null, 5, {}, { ...sound, size: "2" }, { ...sound, readAt: null }, { ...sound, contentHash: 1 }];
    const wholes = [null, 5, "x", [], true];
    const documents = [
      ...wholes,
      ...wholes.map((odd) => ({ cwd: odd, read: odd, symlinks: odd })),
      { cwd: { odd: 1, local: "/b" }, read: { ...oddReads, "local:/a": sound }, symlinks: [5, null, "local:/l"] },
    ];
    for (const document of documents) {
      writeFileSync(path, JSON.stringify(document));
      const session = open();
      const isSound = document === documents.at(-1);
      const known = (one: FileSession) => [
        one.cwd("odd"),
        one.readState.has("0"),
        [...one.symlinks].filter((link) => link !== "local:/new"),
      ];
      const expected = [undefined, false, isSound ? ["local:/l"] : []];
      expect([document, known(session)]).toEqual([document, expected]);
      session.symlinks.add("local:/new");
      session.readState.set("local:/new", sound);
      await session.close();
      const later = open();
      expect([document, known(later), later.symlinks.has("local:/new")]).toEqual([document, expected, true]);
      expect([later.readState.has("local:/a"), later.readState.has("local:/new")]).toEqual([isSound, true]);
      expect(later.cwd("local")).toBe(isSound ? "/b" : undefined);
    }
  });

  it.each(["ended", "ended and begun again"])("that another process has %s stores nothing more", async (how) => {
    const catalog = fileSessions({ state, locks: fileLocks(state) });
    const session = open();
    await session.todo.replace([item]);
    const continued = open();
    catalog.end("daily");
    if (how !== "ended") await open().todo.replace([]);
    const before = filesIn(join(state.path, "sessions"));
    for (const one of [session, continued]) {
      const refused = { code: "STORE_CLOSED", message: expect.stringContaining("the session was ended") };
      await expect(one.todo.replace([item])).rejects.toMatchObject(refused);
      await expect(one.artifacts.create({ what: "output" })).rejects.toMatchObject(refused);
      one.setCwd("local", "/a");
      await one.close();
    }
    expect(filesIn(join(state.path, "sessions"))).toEqual(before);
    expect(await open().todo.read()).toEqual([]);
  });

  it("leaves nothing of a temporary session", async () => {
    const session = open("once", true);
    await session.todo.replace([item]);
    await session.close();
    expect(existsSync(join(state.path, "sessions/once"))).toBe(false);
  });
});
