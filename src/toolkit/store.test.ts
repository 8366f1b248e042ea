import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { newSchema } from "../testing/postgres-schema.fixture.js";
import { service, withServices } from "../testing/services.fixture.js";
import { createToolkit } from "./index.js";

async function toolkit(store: string) {
  const workspace = mkdtempSync(join(tmpdir(), "haft-store-"));
  writeFileSync(join(workspace, "notes"), "the notes\n");
  const made = await createToolkit({ workspace, stateDir: join(workspace, ".state"), store, autonomy: "full" });
  onTestFinished(async () => {
    await made.close();
    rmSync(workspace, { recursive: true, force: true });
  });
  return made;
}

const items = [{ id: "1", text: "x", status: "pending" }];

it("a store that is away stops the calls that need it, and no other", async () => {
  const made = await toolkit("postgres://ada:correct-horse@127.0.0.1:1/none");
  const unnamed = made.session().box().runner;
  expect((await unnamed.run({ id: "1", name: "read", input: { path: "notes" } })).output).toContain("the notes");
  const shown = await unnamed.run({ id: "2", name: "bash", input: { command: "echo correct-horse" } });
  expect(shown.output).toContain("⟦redacted:store⟧");
  const plan = await unnamed.run({ id: "3", name: "todo_set", input: { items } });
  expect(plan.output).toContain("the server is away: nothing listens at its address");
  const named = await made
    .session("daily")
    .box()
    .runner.run({ id: "4", name: "read", input: { path: "notes" } });
  expect(named.output).toContain("the server is away");
});

it("a store that is not a URL, or beside a state, is refused without repeating it", async () => {
  for (const store of ["secret-text", 5 as never])
    await expect(createToolkit({ store })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.not.stringContaining("secret-text"),
    });
});

withServices(["postgres"], "the store of a toolkit", () => {
  it("is shared with another toolkit that has a state directory of its own", async () => {
    const url = await newSchema(service("postgres").url);
    const [one, other] = [await toolkit(url), await toolkit(url)];
    await one.session("daily").box().runner.run({ id: "1", name: "todo_set", input: { items } });
    const read = () => other.session("daily").box().runner.run({ id: "2", name: "todo_read", input: {} });
    expect((await read()).output).toContain("[ ] x");
    await one.session("daily").end();
    expect((await read()).output).not.toContain("[ ] x");
  });
});
