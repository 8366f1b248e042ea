/** The examples of docs/guide/scale.md, run. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { createToolkit, openPostgresState } from "../src/index.js";
import { cliPlace } from "../src/testing/cli-place.fixture.js";
import { newSchema } from "../src/testing/postgres-schema.fixture.js";
import { service, withServices } from "../src/testing/services.fixture.js";
import { filledStoreUrl, parseConfig } from "../src/toolkit/index.js";

const guide = readFileSync(new URL("../docs/guide/scale.md", import.meta.url), "utf8");
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block = ""]) => block);
const place = cliPlace();

it("the guide's configuration is valid, and takes its password from the variable", async () => {
  const [config = ""] = blocks("jsonc");
  const { store = "" } = await parseConfig(config, "haft.jsonc");
  expect(filledStoreUrl(store, (name) => (name === "DB_PASSWORD" ? "a/b@c" : undefined))).toBe(
    "postgres://haft:a%2Fb%40c@db.internal/haft?sslmode=verify-full",
  );
});

withServices(["postgres"], "the guide of several hosts", () => {
  it("has commands that work: with a database for its own, and a token that two hosts accept", async () => {
    const env = { HAFT_STORE: await newSchema(service("postgres").url) };
    const [start = "", tokens = ""] = blocks("sh");
    const commands = (block: string) =>
      [...block.matchAll(/^(?:\w+=\S+ )?haft ([^#\n]*)/gm)].map(([, args = ""]) => args.trim());
    const [doctor, serve, ...others] = commands(start);
    expect([doctor, serve, others]).toEqual(["doctor", "serve --port 7070", []]);
    expect((await place.haft(["doctor"], { env })).stdout).toMatch(/ok +store/);
    const [add = "", again = ""] = commands(tokens);
    const { stdout } = await place.haft(add.split(" "), { env });
    const other = { ...env, HAFT_STATE: `${place.root}/other`, TOKEN: stdout.trim() };
    expect(await place.haft(again.split(" "), { env: other })).toMatchObject({ status: 0 });
    expect((await place.haft(["token", "list", "--json"], { env: other })).stdout).toContain('"laptop"');
    const wrong = { ...other, HAFT_STATE: `${place.root}/third`, TOKEN: "haft_short" };
    expect((await place.haft(again.split(" "), { env: wrong })).stderr).toContain(
      "none that `haft token add` has printed",
    );
  });

  it("has a program that works", async () => {
    const [program = ""] = blocks("js");
    expect(program).toContain("createToolkit({ store: process.env.STORE_URL })");
    expect(program).toContain("await openPostgresState(process.env.STORE_URL)");
    const store = await newSchema(service("postgres").url);
    await using toolkit = await createToolkit({ store, persist: false });
    const state = await openPostgresState(store);
    await using other = await createToolkit({ state, persist: false });
    const items = [{ id: "1", text: "x", status: "pending" }];
    await toolkit.session("daily").box().runner.run({ id: "1", name: "todo_set", input: { items } });
    const read = await other.session("daily").box().runner.run({ id: "2", name: "todo_read", input: {} });
    expect(read.output).toContain("[ ] x");
    await state.close();
  });
});
