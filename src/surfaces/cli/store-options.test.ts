/** How a store is chosen, what is said of one that cannot be used, and that its password is not shown. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cliPlace } from "../../testing/cli-place.fixture.js";
import { createSchema, dropSchema } from "../../testing/postgres-schema.fixture.js";
import { service, withServices } from "../../testing/services.fixture.js";

const place = cliPlace();
const AWAY = "postgres://ada:correct-horse@127.0.0.1:1/none";
const plan = ["call", "todo_set", '{"items":[{"id":"1","text":"x","status":"pending"}]}', "--session", "daily"];

describe("the store of a command", () => {
  it("is refused with a password on the command line, with a variable that is not set, and as another text", async () => {
    const refused = async (store: string) => place.haft([...plan, "--store", store]);
    const shown = await refused("postgres://ada:correct-horse@h/d");
    expect([shown.status, shown.stderr]).toEqual([2, expect.stringContaining("list of processes")]);
    expect(shown.stderr).not.toContain("correct-horse");
    const bare = `postgres://ada:$${"{NOT_SET}"}@h/d`;
    expect((await refused(bare)).stderr).toContain("the environment variable NOT_SET");
    expect((await refused("mysql://h/d")).stderr).toContain("is not of the form postgres://");
  });

  it("is not that of a project's file, unless the user trusts it", async () => {
    writeFileSync(join(place.workspace, "haft.jsonc"), JSON.stringify({ store: AWAY }));
    const { status, stderr } = await place.haft(plan);
    expect([status, stderr]).toEqual([0, expect.stringContaining("Ignored in ")]);
    expect(stderr).toContain('"store": only your own configuration can set it');
    expect(stderr).not.toContain("correct-horse");
  });

  it("is said to be away by each command that needs it, without its password", async () => {
    const env = { HAFT_STORE: AWAY };
    for (const args of [plan, ["sessions", "list"], ["approvals"], ["doctor"]]) {
      const { stdout, stderr, status } = await place.haft(args, { env });
      expect(status).not.toBe(0);
      expect(stdout + stderr).toContain(
        'Did not use the state in "postgres://ada@127.0.0.1:1/none": the server is away: nothing listens at its address.',
      );
      expect(stdout + stderr).not.toContain("correct-horse");
    }
    expect((await place.haft(["audit", "--json"], { env })).stdout).not.toContain("correct-horse");
  });
});

withServices(["postgres"], "the store of a command that is there", () => {
  async function schema(): Promise<string> {
    const url = await createSchema(service("postgres").url);
    onTestFinished(() => dropSchema(url));
    return url;
  }

  it("has what another host has stored, and only that", async () => {
    const env = { HAFT_STORE: await schema() };
    expect((await place.haft(plan, { env })).status).toBe(0);
    const other = { ...env, HAFT_STATE: join(place.root, "other") };
    const listed = async (more: Record<string, string>) =>
      JSON.parse((await place.haft(["sessions", "list", "--json"], { env: more })).stdout) as { readonly id: string }[];
    expect((await listed(other)).map(({ id }) => id)).toEqual(["daily"]);
    expect(await listed({})).toEqual([]);
    expect((await place.haft(["call", "todo_read", "--session", "daily"], { env: other })).stdout).toContain("[ ] x");
    expect((await place.haft(["sessions", "end", "daily"], { env: other })).status).toBe(0);
    expect(await listed(env)).toEqual([]);
  });

  it("is checked by `haft doctor`, and its password neither shown nor in what a command finds", async () => {
    const url = new URL(await schema());
    url.password = "DB_PASSWORD"; // the server asks for none
    const store = url.href.replace(":DB_PASSWORD@", `:$${"{DB_PASSWORD}"}@`);
    const env = { DB_PASSWORD: "pass@word" };
    writeFileSync(join(place.root, "own.jsonc"), JSON.stringify({ store }));
    const own = ["--config", join(place.root, "own.jsonc")];
    const { stdout, status } = await place.haft(["doctor", ...own], { env });
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/ok +store +postgres:\/\/postgres@\S+: PostgreSQL \d+.* ms/),
    ]);
    const command = "env; echo pass@word";
    const called = await place.haft(["call", "bash", JSON.stringify({ command }), "--session", "daily", ...own], {
      env,
    });
    expect(called.stdout).toContain("⟦redacted:");
    expect(called.stdout).not.toMatch(/pass@word|pass%40word|DB_PASSWORD/);
  });
});
