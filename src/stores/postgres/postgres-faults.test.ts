/** What is said of a server that cannot be used, and that it is used again once it can be. */
import { execFileSync } from "node:child_process";
import { createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { newSchema } from "../../testing/postgres-schema.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";
import type { SqlDatabase } from "../sql/index.js";
import { postgresDatabase } from "./postgres-database.js";

function open(url: string | URL, waitMs?: number): SqlDatabase {
  const database = postgresDatabase({
    url: String(url),
    prepare: async () => {},
    ...(waitMs === undefined ? {} : { waitMs }),
  });
  onTestFinished(() => database.close());
  return database;
}

const changed = (url: string, parts: Partial<URL>): URL => Object.assign(new URL(url), parts);

const failure = (database: SqlDatabase, statement = "SELECT 1"): Promise<Error & { code: string }> =>
  database.rows(statement).then(
    () => expect.unreachable("it has an answer"),
    (error) => error,
  );

it("names a text that is not a URL without repeating it", () => {
  for (const url of ["", "postgres://[", "mysql://ada:secret@h/db", "state.db", "postgres://h:99999/db"])
    expect(() => open(url)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", message: expect.not.stringMatching(/secret|99999|mysql/) }),
    );
});

it("says that nothing listens, and that a name has no address", async () => {
  expect(await failure(open("postgres://ada:secret@127.0.0.1:1/db?password=secret"))).toMatchObject({
    code: "STORE_UNWRITABLE",
    message:
      'Did not use the state in "postgres://ada@127.0.0.1:1/db": the server is away: nothing listens at its address. ' +
      "Calls that need no state still run. Start it, or correct the URL; the next call tries again.",
  });
  expect((await failure(open("postgres://localhost:1/db"))).message).toContain("nothing listens at its address");
  expect((await failure(open("postgres://server.invalid/db"))).message).toMatch(/its name (has no|could not)/);
});

it("says that something else listens there, or that nothing answers", async () => {
  const silent: Socket[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    silent.push(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of silent) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { readonly port: number };
  expect(await failure(open(`postgres://127.0.0.1:${port}/db`, 200))).toMatchObject({
    code: "STORE_UNWRITABLE",
    message: expect.stringContaining("the server is away: it did not answer in 200 ms"),
  });
});

withServices(["postgres"], "a PostgreSQL server that cannot be used", () => {
  const spare = () => service("postgres").spare;

  it("says that the password is wrong or missing, and never which it was", async () => {
    const wrong = await failure(open(changed(spare().url, { password: "guessed" })));
    expect(wrong).toMatchObject({
      code: "STORE_UNWRITABLE",
      message: expect.stringContaining('the server refuses the user (password authentication failed for user "haft")'),
    });
    expect(`${wrong.message} ${JSON.stringify(wrong)} ${wrong.stack}`).not.toContain("guessed");
    const missing = await failure(open(changed(spare().url, { password: "" })));
    expect(missing.message).toContain("the server asks for a password that it did not get");
  });

  it("says that there is no such database", async () => {
    const url = changed(spare().url, { pathname: "/nowhere" });
    expect((await failure(open(url))).message).toContain('no such database (database "nowhere" does not exist)');
  });

  it("says that the database is read-only, and reads it", async () => {
    const url = changed(service("postgres").url, { search: "options=-c%20default_transaction_read_only%3Don" });
    const database = open(url);
    expect(await database.rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
    expect(await failure(database, "CREATE TABLE t (a TEXT)")).toMatchObject({
      code: "STORE_UNWRITABLE",
      message: expect.stringContaining("the database is read-only"),
    });
  });

  it("says that another host has it locked, and that all connections are in use", async () => {
    const url = await newSchema(service("postgres").url);
    const [one, other] = [open(url), open(url, 300)];
    await one.transaction("a", async () => {
      await expect(other.transaction("a", async () => expect.unreachable("it has the lock"))).rejects.toMatchObject({
        code: "STORE_CONFLICT",
        message: expect.stringContaining("another host has it locked"),
      });
    });
    const busy = open(url, 300);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let started = 0;
    const all = Array.from({ length: 5 }, (_, index) =>
      busy.transaction(`lock ${index}`, async () => {
        started += 1;
        await held;
      }),
    );
    await expect.poll(() => started).toBe(5);
    expect((await failure(busy)).message).toContain("all connections of this process were in use for 300 ms");
    release();
    await Promise.allSettled(all);
  });

  it("undoes the change of a process that stops in the middle, and lets others continue", async () => {
    const url = await newSchema(service("postgres").url);
    const [one, other] = [open(url, 300), open(url)];
    await other.run("CREATE TABLE t (a TEXT)");
    const stopped = one.transaction("a", async (sql) => {
      await sql.run("INSERT INTO t VALUES ('of one')");
      await other.transaction("a", (tx) => tx.run("INSERT INTO t VALUES ('of the other')"));
      await sql.run("INSERT INTO t VALUES ('late')");
    });
    await expect(stopped).rejects.toMatchObject({ code: expect.stringMatching(/^STORE_/) });
    expect(await other.rows("SELECT a FROM t")).toEqual([{ a: "of the other" }]);
  });

  it("loses nothing that was stored when the server stops in the middle, and continues when it is back", async () => {
    const { url, control } = spare();
    const server = (act: "start" | "stop") => execFileSync(control, [act], { stdio: "ignore" });
    const database = open(await newSchema(url));
    await database.run("CREATE TABLE t (a TEXT)");
    await database.run("INSERT INTO t VALUES ('before')");
    const inTheMiddle = database.transaction("a", async (sql) => {
      await sql.run("INSERT INTO t VALUES ('in the middle')");
      server("stop");
      await sql.run("INSERT INTO t VALUES ('after it')");
    });
    try {
      await expect(inTheMiddle).rejects.toMatchObject({
        code: "STORE_UNWRITABLE",
        message: expect.stringMatching(/the server (ended the connection|is away)/),
      });
      expect((await failure(database)).message).toContain("the server is away: nothing listens at its address");
    } finally {
      server("start");
    }
    expect(await database.rows("SELECT a FROM t")).toEqual([{ a: "before" }]);
    await database.run("INSERT INTO t VALUES ('afterwards')");
    expect(await database.rows("SELECT count(*) AS n FROM t")).toEqual([{ n: 2 }]);
  });
});
