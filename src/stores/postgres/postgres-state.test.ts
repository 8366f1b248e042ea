import { expect, it, onTestFinished } from "vitest";
import type { State } from "../../kernel/index.js";
import { newSchema } from "../../testing/postgres-schema.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";
import { SCHEMA_VERSION } from "../sql/index.js";
import { postgresDatabase } from "./postgres-database.js";
import { inspectPostgres, postgresState } from "./postgres-state.js";

withServices(["postgres"], "the state in a PostgreSQL database", () => {
  const schema = () => newSchema(service("postgres").url);

  function open(url: string): State {
    const state = postgresState({ url });
    onTestFinished(() => state.close());
    return state;
  }

  async function run(url: string, ...statements: readonly string[]): Promise<void> {
    const database = postgresDatabase({ url, prepare: async () => {} });
    for (const statement of statements) await database.run(statement);
    await database.close();
  }

  const count = (state: State) => state.documents("a").update("n", (old) => Number(old ?? 0) + 1);

  it("makes its tables once, also for hosts that start at the same time", async () => {
    const url = await schema();
    const states = Array.from({ length: 4 }, () => open(url));
    await Promise.all(states.map(count));
    expect((await states[0]!.documents("a").get("n"))?.value).toBe(4);
  });

  it("has the time of the server, whatever this machine's is", async () => {
    const state = open(await schema());
    const { createdMs } = await state.sessions.open("a");
    expect(Math.abs(createdMs - Date.now())).toBeLessThan(3_600_000);
  });

  it("refuses tables of a newer version, and leaves them as they are", async () => {
    const url = await schema();
    await count(open(url));
    await run(url, "UPDATE haft_meta SET value = '99' WHERE name = 'version'");
    const state = open(url);
    await expect(count(state)).rejects.toMatchObject({ code: "STORE_NEWER", message: expect.stringContaining("99") });
    expect(await state.problem()).toContain("version 99");
    await run(url, `UPDATE haft_meta SET value = '${SCHEMA_VERSION}' WHERE name = 'version'`);
    expect(await count(state)).toMatchObject({ value: 2 });
  });

  it("says that tables are not its own or are gone, and that there is no schema for them", async () => {
    const foreign = await schema();
    await run(foreign, "CREATE TABLE haft_meta (id INTEGER)");
    await expect(count(open(foreign))).rejects.toMatchObject({
      code: "STORE_CONFLICT",
      message: expect.stringMatching(/refused a statement .* Check that the schema is one of Haft's own\./),
    });
    const gone = await schema();
    const state = open(gone);
    await count(state);
    await run(gone, "DROP TABLE haft_documents");
    await expect(count(state)).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    const nowhere = new URL(service("postgres").url);
    nowhere.searchParams.set("options", "-c search_path=haft_no_such_schema");
    await expect(count(open(nowhere.href))).rejects.toMatchObject({
      code: "STORE_UNWRITABLE",
      message: expect.stringContaining("names no schema that exists"),
    });
  });

  it("reports a problem as a clause", async () => {
    const state = open("postgres://127.0.0.1:1/none");
    expect(await state.problem()).toBe("the server is away: nothing listens at its address");
  });

  it("is inspected: the server's version and how long it takes to answer", async () => {
    const url = await schema();
    const { shown, version, latencyMs } = await inspectPostgres(url);
    expect(shown).toMatch(/^postgres:\/\/postgres@127\.0\.0\.1:\d+\/\w+$/);
    expect(version).toMatch(/^\d+/);
    expect(latencyMs).toBeGreaterThan(0);
  });
});
