import { expect, it, onTestFinished } from "vitest";
import { newSchema } from "../../testing/postgres-schema.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";
import type { Sql, SqlDatabase } from "../sql/index.js";
import { postgresDatabase, postgresNow } from "./postgres-database.js";

withServices(["postgres"], "a PostgreSQL database", () => {
  async function open(count = 1): Promise<SqlDatabase[]> {
    const url = await newSchema(service("postgres").url);
    return Array.from({ length: count }, () => {
      const database = postgresDatabase({
        url,
        prepare: (sql) =>
          sql.transaction("schema", async (tx) => {
            await tx.run("CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, value BIGINT NOT NULL)");
          }),
      });
      onTestFinished(() => database.close());
      return database;
    });
  }

  it("keeps every update of transactions that run at once on several connections", async () => {
    const databases = await open(4);
    const increment = (index: number) =>
      databases[index % 4]!.transaction("count", async (sql) => {
        const [row] = await sql.rows("SELECT value FROM counts WHERE name = $1", ["n"]);
        const next = Number(row?.value ?? 0) + 1;
        await sql.run("INSERT INTO counts VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2", ["n", next]);
      });
    await Promise.all(Array.from({ length: 100 }, (_, index) => increment(index)));
    expect(await databases[0]!.rows("SELECT value FROM counts")).toEqual([{ value: 100 }]);
  });

  it("undoes a transaction that throws, and one in which a failed statement was ignored", async () => {
    const [database] = (await open()) as [SqlDatabase];
    const thrown = new Error("not now");
    const failing = database.transaction("count", async (sql) => {
      await sql.run("INSERT INTO counts VALUES ('n', 1)");
      throw thrown;
    });
    await expect(failing).rejects.toBe(thrown);
    const ignoring = database.transaction("count", async (sql) => {
      await sql.run("INSERT INTO counts VALUES ('n', 1)");
      await sql.run("INSERT INTO nowhere VALUES (1)").catch(() => {});
    });
    await expect(ignoring).rejects.toMatchObject({
      code: "STORE_CONFLICT",
      message: expect.stringContaining('relation "nowhere" does not exist'),
    });
    expect(await database.rows("SELECT * FROM counts")).toEqual([]);
    await database.transaction("count", (sql) => sql.run("INSERT INTO counts VALUES ('n', 2)"));
    expect(await database.run("DELETE FROM counts WHERE name = $1", ["n"])).toBe(1);
  });

  it("reads the same throughout a snapshot, whatever another connection changes", async () => {
    const [one, other] = (await open(2)) as [SqlDatabase, SqlDatabase];
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

  it("reads numbers, bytes and texts as they were given", async () => {
    const [database] = (await open()) as [SqlDatabase];
    const statement =
      "SELECT $1::bigint AS big, $2::text AS text, $3::bytea AS bytes, count(*) AS n, sum(v) AS sum, 0.5::real AS half, " +
      "true AS yes, $4::text AS none, '2026-01-01'::date AS day, '{\"a\":1}'::json AS json FROM (VALUES (2::bigint), (3)) AS t (v)";
    const [row] = await database.rows(statement, [2 ** 53 - 1, "é😀\\ud800", new Uint8Array([0, 255]), null]);
    expect(row).toEqual({
      big: 2 ** 53 - 1,
      text: "é😀\\ud800",
      bytes: new Uint8Array([0, 255]),
      n: 2,
      sum: 5,
      half: 0.5,
      yes: 1,
      none: null,
      day: "2026-01-01",
      json: '{"a":1}',
    });
  });

  it("runs transactions of other locks beside one that takes long, and again one that ends in a deadlock", async () => {
    const [database] = (await open()) as [SqlDatabase];
    for (const name of ["a", "b"]) await database.run("INSERT INTO counts VALUES ($1, 0)", [name]);
    let waiting = 0;
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const add = (first: string, second: string) =>
      database.transaction(`of ${first}`, async (sql) => {
        await sql.run("UPDATE counts SET value = value + 1 WHERE name = $1", [first]);
        waiting += 1;
        if (waiting === 2) release();
        await both;
        await sql.run("UPDATE counts SET value = value + 1 WHERE name = $1", [second]);
      });
    await Promise.all([add("a", "b"), add("b", "a")]);
    expect(waiting).toBeGreaterThan(2);
    expect(await database.rows("SELECT value FROM counts")).toEqual([{ value: 2 }, { value: 2 }]);
  });

  it("has the clock of the server", async () => {
    const [database] = (await open()) as [SqlDatabase];
    const nowMs = await postgresNow(database);
    expect(Number.isInteger(nowMs)).toBe(true);
    expect((await postgresNow(database, 3_600_000)) - nowMs).toBeGreaterThanOrEqual(3_600_000);
  });

  it("refuses everything after `close`", async () => {
    const [database] = (await open()) as [SqlDatabase];
    await database.rows("SELECT 1");
    await database.close();
    await database.close();
    await expect(database.rows("SELECT 1")).rejects.toMatchObject({ code: "STORE_CLOSED" });
  });
});
