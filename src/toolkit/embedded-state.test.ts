/** The state of a toolkit in its state directory: in SQLite, with what files held before. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { State } from "../kernel/index.js";
import { collect } from "../testing/case-setup.js";
import { approvalOf } from "../testing/state/state-fixture.js";
import { createToolkit, openFileState, sessionAdmin } from "./index.js";
import { openEmbedded } from "./open-state.js";

/** Whether this machine has a program that opens databases, as far as the code under test knows. */
const sqlite = vi.hoisted(() => ({ isAbsent: false }));
vi.mock("../host/sqlite-support.js", async (original) => {
  const real = await original<typeof import("../host/sqlite-support.js")>();
  return { ...real, sqliteSupport: () => (sqlite.isAbsent ? undefined : real.sqliteSupport()) };
});

let stateDir: string;
const opened: State[] = [];
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), "haft-embedded-"));
});
afterEach(async () => {
  sqlite.isAbsent = false;
  for (const state of opened.splice(0)) await state.close();
  rmSync(stateDir, { recursive: true, force: true });
});

const at = (...names: string[]): string => join(stateDir, ...names);
async function open(): Promise<State> {
  const { state } = await openEmbedded(stateDir);
  opened.push(state);
  return state;
}

/** Everything that a state can hold, as data. */
async function contentsOf(state: State): Promise<unknown> {
  const sessions = await collect(state.sessions.list());
  const documents = [await collect(state.documents("a/b").list()), await collect(state.documents("C").list())];
  const ofSessions = await Promise.all(sessions.map((one) => collect(state.documents("notes", one).list())));
  const remembered = await Promise.all(
    ["daily", "without a record"].map((session) =>
      state.approvals.remembered({ session, project: "local:/ws" }, ["s", "p"]),
    ),
  );
  return structuredClone({
    sessions: sessions.map((one) => ({ ...one, usedMs: Math.floor(one.usedMs) })),
    documents: [...documents, ...ofSessions].map((list) =>
      list.map(({ key, value, version }) => [key, value, version]),
    ),
    approvals: await state.approvals.list(),
    remembered,
  });
}

async function fill(state: State): Promise<void> {
  await state.documents("a/b").update("k/1", () => ({ nul: "\0", lone: "\ud800" }));
  await state.documents("C").update("k".repeat(1_000), () => [1, null]);
  const daily = await state.sessions.open("daily", { owner: "ada" });
  await state.documents("notes", daily).update("n", () => "of daily");
  await state.sessions.open("i".repeat(1_000), { isTemporary: true });
  await state.approvals.add(approvalOf("t1"));
  await state.approvals.add(approvalOf("t2"));
  await state.approvals.decide("t2", { granted: "ada", scope: "project" });
  for (const session of ["daily", "without a record"]) await state.approvals.remember({ session }, ["s"], "ada");
  await state.approvals.remember({ project: "local:/ws" }, ["p"], "ada");
}

describe("what files held", () => {
  it("is taken over once, all of it, and is then in the database alone", async () => {
    const files = await openFileState(stateDir);
    await fill(files);
    const before = await contentsOf(files);
    mkdirSync(at("sessions", "daily", "artifacts"));
    writeFileSync(at("sessions", "daily", "artifacts", "a.bin"), "kept");
    const state = await open();
    expect(await contentsOf(state)).toEqual(before);
    expect(readFileSync(at("format.json"), "utf8")).toBe('{"format":2}\n');
    for (const gone of [
      "documents",
      "approvals",
      "approved",
      "sessions/daily/documents",
      "sessions/daily/approved.json",
    ])
      expect([gone, existsSync(at(gone))]).toEqual([gone, false]);
    expect(readFileSync(at("sessions", "daily", "artifacts", "a.bin"), "utf8")).toBe("kept");
    for (const name of ["state.db", "state.db-wal", "state.db-shm"])
      expect([name, (lstatSync(at(name)).mode & 0o777).toString(8)]).toEqual([name, "600"]);
    await state.documents("C").update("later", () => 1);
    expect(await (await open()).documents("C").get("later")).toMatchObject({ value: 1 });
  });

  it("is still used by no process that has it open, which is refused instead of keeping a state of its own", async () => {
    const files = await openFileState(stateDir);
    await files.documents("C").update("k", () => 1);
    await (await open()).documents("C").get("k");
    const refused = { code: "STORE_NEWER", message: expect.stringContaining("openSqliteState") };
    await expect(files.documents("C").update("k", () => 2)).rejects.toMatchObject(refused);
    await expect(files.sessions.open("new")).rejects.toMatchObject(refused);
    await expect(openFileState(stateDir)).rejects.toMatchObject(refused);
    expect(existsSync(at("documents"))).toBe(false);
  });

  it("stays where it is if it is damaged", async () => {
    const files = await openFileState(stateDir);
    await fill(files);
    for (const name of ["bad.json", "no-document"]) writeFileSync(at("documents", "%43", name), "{");
    writeFileSync(at("sessions", "daily", "session.json"), "{");
    const state = await open();
    await expect(state.sessions.open("daily")).rejects.toMatchObject({
      code: "STORE_CONFLICT",
      hint: expect.stringContaining("haft sessions end daily"),
    });
    expect(await collect(state.documents("C").list())).toHaveLength(1);
    expect(readdirSync(at("documents", "%43")).sort()).toEqual(["bad.json", "no-document"]);
    expect(await state.sessions.end("daily")).toBe(true);
    expect(await state.sessions.open("daily")).toMatchObject({ id: "daily" });
  });
});

describe("a state directory", () => {
  it("of which nothing was stored is read without a database", async () => {
    const state = await open();
    expect(await contentsOf(state)).toMatchObject({ sessions: [], approvals: [], remembered: [false, false] });
    expect(await state.approvals.take("t", approvalOf("t").call)).toEqual({ state: "unknown" });
    expect(await state.problem()).toBeUndefined();
    expect(readdirSync(stateDir)).toEqual([]);
  });

  it("has no database for a session without a name that stores nothing", async () => {
    const toolkit = await createToolkit({ stateDir, on: "memory", autonomy: "full" });
    await toolkit.box().runner.run({ id: "c", name: "ls", input: {} });
    await toolkit.close();
    expect(readdirSync(stateDir).filter((name) => name.startsWith("state.db"))).toEqual([]);
    const state = await open();
    await state.documents("C").update("k", () => 1);
    const { atimeNs } = lstatSync(at("state.db"), { bigint: true });
    const again = await createToolkit({ stateDir, on: "memory", autonomy: "full" });
    await again.box().runner.run({ id: "c", name: "ls", input: {} });
    await again.close();
    expect(lstatSync(at("state.db"), { bigint: true }).atimeNs).toBe(atimeNs);
  });

  it("deletes the artifacts of an ended session with it, and an earlier session's with the next of its name", async () => {
    const toolkit = await createToolkit({ stateDir, on: "memory" });
    const store = async (name: string) => {
      const writer = await toolkit.session(name).session.artifacts.create({ what: "stdout" });
      await writer.write(Buffer.from("x"));
      await writer.end();
    };
    await store("ended");
    const admin = await sessionAdmin({ stateDir });
    expect(await admin.end("ended")).toBe(true);
    expect(await admin.end("ended")).toBe(false);
    expect(existsSync(at("sessions", "ended"))).toBe(false);
    // A process died between the end of the session and that of its directory.
    await store("killed");
    const state = await open();
    const { version } = await state.sessions.open("killed");
    const record = readFileSync(at("sessions", "killed", "session.json"), "utf8");
    await state.sessions.end("killed");
    mkdirSync(at("sessions", "killed", "artifacts"), { recursive: true });
    writeFileSync(at("sessions", "killed", "session.json"), record);
    writeFileSync(at("sessions", "killed", "artifacts", "a-1.json"), "of another session");
    const next = await createToolkit({ stateDir, on: "memory" });
    const later = next.session("killed");
    expect(await later.session.artifacts.list()).toEqual([]);
    expect(existsSync(at("sessions", "killed", "artifacts", "a-1.json"))).toBe(false);
    expect((await state.sessions.open("killed")).version).not.toBe(version);
    await next.close();
    await toolkit.close();
  });

  it("is refused where nothing opens databases once its state is in one, and else holds files", async () => {
    sqlite.isAbsent = true;
    const files = await open();
    await fill(files);
    expect([files.memories, files.schedules]).toEqual([undefined, undefined]);
    const before = await contentsOf(files);
    sqlite.isAbsent = false;
    const state = await open();
    expect(await contentsOf(state)).toEqual(before);
    sqlite.isAbsent = true;
    await expect(open()).rejects.toMatchObject({
      code: "CONFIG_MISSING_PACKAGE",
      details: { package: "libsql" },
      message: expect.stringMatching(
        /state\.db", which nothing here can open: .* install libsql, or use another directory/,
      ),
    });
    await expect(createToolkit({ stateDir })).rejects.toMatchObject({ code: "CONFIG_MISSING_PACKAGE" });
    await expect(files.sessions.open("new")).rejects.toMatchObject({ code: "CONFIG_MISSING_PACKAGE" });
  });

  it("says what is in the place of its database", async () => {
    const cases: readonly [() => void, string][] = [
      [() => writeFileSync(at("state.db"), "a note of the user ".repeat(100)), "it is not a SQLite database"],
      [() => symlinkSync(at("elsewhere"), at("state.db")), "it is a symlink"],
      [() => mkdirSync(at("state.db")), "it is not a file"],
    ];
    for (const [make, reason] of cases) {
      make();
      const state = await open();
      const refused = { code: "STORE_CONFLICT", message: expect.stringContaining(`state.db": ${reason}. `) };
      await expect(state.documents("C").update("k", () => 1)).rejects.toMatchObject(refused);
      await expect(state.sessions.open("s")).rejects.toMatchObject(refused);
      expect(await state.problem()).toBe(reason);
      // A call without a name of its session needs no state.
      const toolkit = await createToolkit({ stateDir, on: "memory", autonomy: "full" });
      expect(await toolkit.box().runner.run({ id: "c", name: "ls", input: {} })).toMatchObject({ isError: false });
      await toolkit.close();
      rmSync(at("state.db"), { recursive: true });
      for (const suffix of ["-wal", "-shm"]) rmSync(at(`state.db${suffix}`), { force: true });
    }
    expect(existsSync(at("elsewhere"))).toBe(false);
  });
});
