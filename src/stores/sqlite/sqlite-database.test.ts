import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Sql } from "../sql/index.js";
import { sqliteDatabase } from "./sqlite-database.js";
import { sqliteDriver } from "./sqlite-driver.js";

const driver = sqliteDriver()!;

function databaseIn(directory: string, name = "state.db") {
  const database = sqliteDatabase({
    driver,
    path: join(directory, name),
    prepare: async (sql) => {
      await sql.transaction("schema", async (tx) => {
        await tx.run("CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, value INTEGER NOT NULL)");
      });
    },
  });
  onTestFinished(() => database.close());
  return database;
}

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "haft-sqlite-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

it("keeps every update of transactions that run at once on several connections", async () => {
  const directory = newDirectory();
  const databases = Array.from({ length: 4 }, () => databaseIn(directory));
  const increment = (index: number) =>
    databases[index % 4]!.transaction("count", async (sql) => {
      const [row] = await sql.rows("SELECT value FROM counts WHERE name = $1", ["n"]);
      const next = Number(row?.value ?? 0) + 1;
      await sql.run("INSERT INTO counts VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2", ["n", next]);
    });
  await Promise.all(Array.from({ length: 100 }, (_, index) => increment(index)));
  expect(await databases[0]!.rows("SELECT value FROM counts")).toEqual([expect.objectContaining({ value: 100 })]);
});

it("undoes a transaction that throws", async () => {
  const database = databaseIn(newDirectory());
  const thrown = new Error("not now");
  const failing = database.transaction("count", async (sql) => {
    await sql.run("INSERT INTO counts VALUES ('n', 1)");
    throw thrown;
  });
  await expect(failing).rejects.toBe(thrown);
  expect(await database.rows("SELECT * FROM counts")).toEqual([]);
  await database.transaction("count", (sql) => sql.run("INSERT INTO counts VALUES ('n', 2)"));
  expect(await database.run("DELETE FROM counts WHERE name = $1", ["n"])).toBe(1);
});

it("reads the same throughout a snapshot, whatever another connection changes", async () => {
  const directory = newDirectory();
  const [one, other] = [databaseIn(directory), databaseIn(directory)];
  const value = async (sql: Sql) => (await sql.rows("SELECT value FROM counts")).map((row) => row.value);
  await one.run("INSERT INTO counts VALUES ('n', 1)");
  const read = await one.snapshot(async (sql) => {
    const before = await value(sql);
    await other.run("UPDATE counts SET value = 2");
    return [before, await value(sql)];
  });
  expect(read).toEqual([[1], [1]]);
  expect(await value(one)).toEqual([2]);
});

it("says what a file is that is not a database, and opens it once it is gone", async () => {
  const directory = newDirectory();
  const path = join(directory, "state.db");
  writeFileSync(path, "a note of the user, long enough to be looked at: ".repeat(20));
  const database = databaseIn(directory);
  await expect(database.rows("SELECT 1")).rejects.toMatchObject({
    code: "STORE_CONFLICT",
    message: expect.stringContaining("it is not a SQLite database"),
  });
  rmSync(path);
  expect(await database.rows("SELECT 1 AS one")).toEqual([expect.objectContaining({ one: 1 })]);
});

it("refuses everything after `close`", async () => {
  const database = databaseIn(newDirectory());
  await database.rows("SELECT 1");
  await database.close();
  await expect(database.rows("SELECT 1")).rejects.toMatchObject({ code: "STORE_CLOSED" });
});
