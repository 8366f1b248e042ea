import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { configuredServers } from "./configured-servers.js";
import { createToolkit } from "./create-toolkit.js";
import { handMade } from "./servers.fixture.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-waiting-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it("a call that waits for a server to come back is cancelled at once, not left behind", async () => {
  const again = join(directory, "again");
  const more = `
    const { existsSync, writeFileSync } = await import("node:fs");
    call = async () => process.exit(0);
    if (existsSync(${JSON.stringify(join(directory, "begun"))})) {
      answers.initialize = () => void writeFileSync(${JSON.stringify(again)}, "");
    }
    writeFileSync(${JSON.stringify(join(directory, "begun"))}, "");`;
  const servers = await configuredServers({
    config: { servers: { docs: handMade(directory, "docs", more) }, tools: {} },
    cwd: directory,
    version: "0",
    lookUp: () => undefined,
    startupTimeoutMs: 30_000,
  });
  const toolkit = await createToolkit({
    autonomy: "full",
    workspace: directory,
    persist: false,
    tools: await servers.tools(),
  });
  try {
    const { runner } = toolkit.box();
    const call = { id: "call", name: "docs__echo", input: { text: "x" } };
    expect(await runner.run(call)).toMatchObject({ status: "failed" });
    const stop = new AbortController();
    const waiting = runner.run(call, { signal: stop.signal });
    await expect.poll(() => existsSync(again), { timeout: 20_000 }).toBe(true);
    stop.abort();
    expect(await waiting).toMatchObject({ status: "cancelled" });
  } finally {
    await toolkit.close();
    await servers.close();
  }
}, 60_000);

it("what a server answers with its last words arrives", async () => {
  const more = `
    call = async ({ arguments: { text } }, id) => {
      send({ id, result: { content: [{ type: "text", text: "done " + text + "!".repeat(40_000) }] } });
      process.exit(0);
    };`;
  const named = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, handMade(directory, name, more)]));
  const servers = await configuredServers({
    config: { servers: named, tools: {} },
    cwd: directory,
    version: "0",
    lookUp: () => undefined,
    startupTimeoutMs: 30_000,
  });
  const toolkit = await createToolkit({
    autonomy: "full",
    workspace: directory,
    persist: false,
    tools: await servers.tools(),
  });
  try {
    const { runner } = toolkit.box();
    for (const name of Object.keys(named)) {
      const outcome = await runner.run({ id: name, name: `${name}__echo`, input: { text: "it" } });
      expect(outcome).toMatchObject({ status: "ok", output: `done it${"!".repeat(40_000)}` });
    }
  } finally {
    await toolkit.close();
    await servers.close();
  }
}, 60_000);
