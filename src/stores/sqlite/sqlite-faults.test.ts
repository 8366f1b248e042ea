/** What a SQLite state says about a file that it cannot use, and that it leaves such a file as it is. */
import fs, { copyFileSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { State } from "../../kernel/index.js";
import { type SqliteConnection, sqliteDriver } from "./sqlite-driver.js";
import { sqliteState } from "./sqlite-state.js";

const driver = sqliteDriver()!;

let root: string;
let path: string;
const opened: State[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "haft-sqlite-faults-"));
  path = join(root, "state.db");
});
afterEach(async () => {
  for (const state of opened.splice(0)) await state.close();
  rmSync(root, { recursive: true });
});

function open(): State {
  const state = sqliteState({ driver, path });
  opened.push(state);
  return state;
}

/** Changes the database as another program would. */
function outside<T>(work: (connection: SqliteConnection) => T): T {
  const connection = driver.open(path);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

async function stored(): Promise<void> {
  const state = open();
  for (let count = 0; count < 50; count += 1)
    await state.documents("notes").update(`k${count}`, () => "x".repeat(5_000));
  await opened.pop()?.close();
  outside((connection) => connection.all("PRAGMA wal_checkpoint(TRUNCATE)", []));
}

describe("a database that cannot be used", () => {
  it("of another program is left as it is, with or without a mark of its own", async () => {
    outside((connection) => connection.exec("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x')"));
    for (const mark of [0, 0x12345678]) {
      outside((connection) => connection.exec(`PRAGMA application_id = ${mark}`));
      const before = readFileSync(path);
      const state = open();
      await expect(state.documents("notes").update("a", () => 1)).rejects.toMatchObject({
        code: "STORE_CONFLICT",
        message: `Did not use the state in "${path}": it is a database of another program. Move it away, or use another state directory.`,
      });
      expect(await state.problem()).toBe("it is a database of another program");
      expect(readFileSync(path).equals(before)).toBe(true);
    }
  });

  it("of a newer version is left as it is", async () => {
    await stored();
    outside((connection) => connection.exec("UPDATE haft_meta SET value = '99' WHERE name = 'version'"));
    const refused = { code: "STORE_NEWER", message: expect.stringContaining("its tables have version 99") };
    await expect(open().documents("notes").get("k1")).rejects.toMatchObject(refused);
    await expect(open().sessions.open("s")).rejects.toMatchObject(refused);
    outside((connection) => connection.exec("UPDATE haft_meta SET value = 'new' WHERE name = 'version'"));
    await expect(open().documents("notes").get("k1")).rejects.toMatchObject({
      code: "STORE_CONFLICT",
      message: expect.stringContaining("states no version (new)"),
    });
  });

  it("that is damaged says so, and is not replaced", async () => {
    await stored();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 4_096, bytes.length - 4_096);
    writeFileSync(path, bytes);
    const refused = { code: "STORE_CONFLICT", message: expect.stringContaining(`state.db": it is damaged. `) };
    await expect(open().documents("notes").get("k1")).rejects.toMatchObject(refused);
    await expect(
      open()
        .documents("notes")
        .update("k1", () => 1),
    ).rejects.toMatchObject(refused);
    expect(
      readFileSync(path)
        .subarray(4_096, 8_192)
        .every((byte) => byte === 0xff),
    ).toBe(true);
  });

  it("that was emptied is refused [MEM-12]", async () => {
    await stored();
    writeFileSync(path, "");
    const refused = {
      code: "STORE_CONFLICT",
      message: `Did not use the state in "${path}": it is empty, so that what it held is lost. Move "state.db", "state.db-wal" and "state.db-shm" away; then restore it from a backup, or start anew.`,
    };
    await expect(open().documents("notes").get("k1")).rejects.toMatchObject(refused);
    await expect(open().sessions.open("s")).rejects.toMatchObject(refused);
    expect(await open().problem()).toBe("it is empty, so that what it held is lost");
    expect(readFileSync(path)).toHaveLength(0);
    renameSync(path, `${path}.old`);
    await open()
      .documents("notes")
      .update("k1", () => 1);
    expect(await open().documents("notes").get("k1")).toMatchObject({ value: 1 });
    expect(readdirSync(root).filter((name) => !/^state\.db(-wal|-shm|\.old)?$/.test(name))).toEqual([]);
  });

  it("that is missing is not replaced while its log is there, and comes back with it", async () => {
    await stored();
    // What a process leaves that is killed: a log that is not in the database yet.
    outside((connection) => {
      connection.exec("DELETE FROM haft_documents WHERE key <> 'k1'");
      for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, `${root}/killed${suffix}`);
    });
    renameSync(`${root}/killed-wal`, `${path}-wal`);
    rmSync(path);
    const change = () =>
      open()
        .documents("notes")
        .update("new", () => 1);
    await expect(change()).rejects.toMatchObject({
      code: "STORE_CONFLICT",
      message: `Did not use the state in "${path}": it is missing, and "state.db-wal" has changes of it. Put "state.db" back beside it, or move "state.db-wal" and "state.db-shm" away to start anew.`,
    });
    copyFileSync(`${root}/killed`, path);
    await change();
    expect(await open().documents("notes").get("new")).toMatchObject({ value: 1 });
    // The log says that this one was deleted.
    expect(await open().documents("notes").get("k2")).toBeUndefined();
  });

  it("starts anew once what is left of the former one is moved away", async () => {
    writeFileSync(`${path}-wal`, "changes");
    const change = () =>
      open()
        .documents("notes")
        .update("new", () => 1);
    await expect(change()).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    expect(readdirSync(root)).toEqual(["state.db-wal"]);
    writeFileSync(`${path}-wal`, "");
    expect(await change()).toMatchObject({ value: 1 });
  });

  it("that another process created first is used, on a disk without hard links too", async () => {
    const { linkSync } = fs;
    onTestFinished(() => {
      fs.linkSync = linkSync;
      syncBuiltinESMExports();
    });
    let taken = 0;
    fs.linkSync = (from, to) => {
      copyFileSync(String(from), String(to));
      taken += 1;
      throw Object.assign(new Error("EPERM: operation not permitted, link"), { code: "EPERM", errno: -1 });
    };
    syncBuiltinESMExports();
    const state = open();
    await state.documents("notes").update("k1", () => 1);
    expect(await state.documents("notes").get("k1")).toMatchObject({ value: 1 });
    expect(taken).toBe(1);
  });

  it("that another process has locked says so after 10 s, works again, and can be read meanwhile", async () => {
    await stored();
    const other = driver.open(path);
    other.exec("BEGIN IMMEDIATE");
    const state = open();
    expect(await state.documents("notes").get("k1")).toMatchObject({ key: "k1" });
    await expect(state.documents("notes").update("k1", () => 1)).rejects.toMatchObject({
      code: "STORE_CONFLICT",
      message: expect.stringMatching(
        /another process has locked it for the \d+ ms that this call waited\. Try again later/,
      ),
    });
    other.exec("ROLLBACK");
    other.close();
    expect(await state.documents("notes").update("k1", () => 1)).toMatchObject({ value: 1 });
  }, 30_000);

  it("in a directory that is not there, or is a file, says so", async () => {
    path = join(root, "none", "state.db");
    await expect(
      open()
        .documents("notes")
        .update("a", () => 1),
    ).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
    writeFileSync(join(root, "none"), "");
    await expect(
      open()
        .documents("notes")
        .update("a", () => 1),
    ).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
  });
});
