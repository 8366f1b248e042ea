/** What commands see of the sessions in a state directory. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SESSION_IDLE_MS } from "../kernel/index.js";
import { createToolkit, type Toolkit } from "./index.js";
import { openEmbedded } from "./open-state.js";
import { sessionAdmin } from "./state-admin.js";

const HOUR = 60 * 60 * 1000;
const items = [{ id: "1", text: "Write it", status: "pending" }];

let stateDir: string;
let toolkit: Toolkit;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 1) });
  stateDir = mkdtempSync(join(tmpdir(), "haft-session-admin-"));
  toolkit = await createToolkit({ stateDir, on: "memory" });
});
afterEach(async () => {
  await toolkit.close();
  vi.useRealTimers();
  rmSync(stateDir, { recursive: true, force: true });
});

const wait = (ms: number) => vi.setSystemTime(Date.now() + ms);
const at = (...names: string[]): string => join(stateDir, "sessions", ...names);
const plan = (id: string | undefined) =>
  toolkit.session(id).box().runner.run({ id: "c", name: "todo_set", input: { items } });
/** A process that has ended: no process with this pid has this start time. */
const markedByTheDead = (name: string): void => {
  const [held] = readdirSync(at(name)).filter((one) => one.startsWith("held-"));
  if (held === undefined) throw new Error("there is no mark");
  rmSync(at(name, held));
  writeFileSync(at(name, held.replace(/-\w+$/, "-1")), "");
};

describe("the sessions of a state directory", () => {
  it("are listed with what they keep, the last used first", async () => {
    await plan("cli:/a/b");
    wait(2 * HOUR);
    const other = toolkit.session("other");
    const writer = await other.session.artifacts.create({ what: "stdout" });
    await writer.write(Buffer.alloc(1000));
    await other.close();
    const admin = await sessionAdmin({ stateDir });
    const nowMs = Date.now();
    expect(await admin.list()).toMatchObject([
      { id: "other", createdMs: nowMs, usedMs: nowMs, artifacts: 1, todoItems: 0, openIn: [] },
      { id: "cli:/a/b", usedMs: nowMs - 2 * HOUR, artifacts: 0, todoItems: 1, openIn: [process.pid] },
    ]);
    expect((await admin.list())[0]?.bytes).toBeGreaterThan(1000);
  });

  it("are listed whatever stands in the record in their directory", async () => {
    await plan("daily");
    const sound = JSON.parse(readFileSync(at("daily", "session.json"), "utf8"));
    for (const odd of [
      null,
      5,
      [],
      { ...sound, createdMs: 1e300 },
      { ...sound, createdMs: "1" },
      { ...sound, id: 5 },
    ]) {
      writeFileSync(at("daily", "session.json"), JSON.stringify(odd));
      expect(await (await sessionAdmin({ stateDir })).list()).toMatchObject([{ id: "daily", todoItems: 1 }]);
    }
  });

  it("are listed although a todo list cannot be read", async () => {
    await plan("daily");
    const { state } = await openEmbedded(stateDir);
    const info = await state.sessions.open("daily");
    await state.documents("session", info).update("todo", () => ({ items: "odd" }));
    await state.close();
    expect(await (await sessionAdmin({ stateDir })).list()).toMatchObject([{ id: "daily", todoItems: 0 }]);
  });

  it("can be cleaned: the idle ones, and what a killed host left of those without a name", async () => {
    const admin = await sessionAdmin({ stateDir });
    await plan("old");
    wait(2 * HOUR);
    await plan("fresh");
    for (const _ of [1, 2]) await plan(undefined);
    const [killed = ""] = readdirSync(at()).filter((name) => name.startsWith("session-"));
    for (const name of ["old", "fresh", killed]) markedByTheDead(name);
    wait(60_000);
    expect([...(await admin.clean(HOUR))].sort()).toEqual(["old", killed]);
    expect(readdirSync(at())).toHaveLength(2);
    expect(readdirSync(at())).toContain("fresh");
  });

  it("are not cleaned while a process has them open", async () => {
    await plan("daily");
    wait(3 * SESSION_IDLE_MS);
    expect(await (await sessionAdmin({ stateDir })).clean()).toEqual([]);
    expect(readdirSync(at())).toEqual(["daily"]);
  });

  it("end with their requests for approval, also where they stored nothing else", async () => {
    const asking = await createToolkit({ stateDir, on: "memory", approver: { ask: async () => ({ pending: true }) } });
    const ask = (session: string) =>
      asking
        .session(session)
        .box()
        .runner.run({ id: "c", name: "bash", input: { command: "rm -rf x" } });
    for (const id of ["daily", "other"]) expect((await ask(id)).status).toBe("input-required");
    const admin = await sessionAdmin({ stateDir });
    const waiting = async () => (await asking.approvals.list({})).map(({ call }) => call.session);
    expect(await admin.end("daily")).toBe(true);
    expect(await waiting()).toEqual(["other"]);
    rmSync(at("other"), { recursive: true });
    expect(await admin.end("other")).toBe(true);
    expect(await waiting()).toEqual([]);
    expect(await admin.end("other")).toBe(false);
    await asking.close();
  });
});
