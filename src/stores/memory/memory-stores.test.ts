import { describe, expect, it } from "vitest";
import type { ArtifactPart, Artifacts } from "../../kernel/index.js";
import { realClock } from "../../testing/conform.fixture.js";
import { documentSession } from "../document-session.js";
import { memoryArtifacts, memoryAudit, memoryLocalSession, memoryLocks, memoryState } from "./index.js";

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("locks in memory", () => {
  it("lets one holder in at a time, in the order they came", async () => {
    const locks = memoryLocks(realClock);
    const order: number[] = [];
    let inside = 0;
    const hold = (index: number): Promise<void> =>
      locks.hold("a", {}, async () => {
        inside += 1;
        expect(inside).toBe(1);
        await moment();
        order.push(index);
        inside -= 1;
      });
    await Promise.all([0, 1, 2, 3].map(hold));
    expect(order).toEqual([0, 1, 2, 3]);
  });

  it("stops waiting on a signal and at the time limit, and lets the next one in after its holder", async () => {
    const locks = memoryLocks(realClock);
    const stop = new AbortController();
    let release!: () => void;
    const held = locks.hold("a", {}, () => new Promise<void>((resolve) => (release = resolve)));
    const cancelled = locks.hold("a", { signal: stop.signal }, async () => "never");
    stop.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "CALL_CANCELLED" });
    await expect(locks.hold("a", { timeoutMs: 10 }, async () => "never")).rejects.toMatchObject({
      code: "STORE_CONFLICT",
    });
    let isHeld = true;
    const next = locks.hold("a", {}, async () => isHeld);
    await moment();
    isHeld = false;
    release();
    await held;
    expect(await next).toBe(false);
    await expect(locks.hold("a", {}, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(await locks.hold("a", {}, async () => "free")).toBe("free");
  });
});

describe("artifacts in memory", () => {
  let count = 0;
  const open = (): Artifacts =>
    memoryArtifacts({ ids: { next: (kind) => `${kind}-${count++}` }, now: () => 1, partBytes: 8, quotaBytes: 40 });

  async function keep(artifacts: Artifacts, text: string): Promise<string> {
    const writer = await artifacts.create({ what: "output" });
    for (const piece of text.match(/.{1,5}/g) ?? []) await writer.write(Buffer.from(piece));
    expect(await writer.end()).toEqual({ producedBytes: text.length, keptBytes: Math.min(16, text.length) });
    return writer.id;
  }
  const text = async (artifacts: Artifacts, id: string, offset = 0, length = 100): Promise<string> =>
    Buffer.from(((await artifacts.read(id, offset, length)) as ArtifactPart).bytes).toString();

  it("keeps both ends and names the gap", async () => {
    const artifacts = open();
    const id = await keep(artifacts, "0123456789abcdefghijklmnopqrstuvwxyz");
    expect(await artifacts.read(id, 0, 3)).toMatchObject({ producedBytes: 36, keptBytes: 16, gap: [8, 28] });
    expect(await text(artifacts, id)).toBe("01234567");
    expect(await text(artifacts, id, 12)).toBe("");
    expect(await text(artifacts, id, 30, 2)).toBe("uv");
    const whole = await keep(artifacts, "0123456789ab");
    expect(await text(artifacts, whole, 6, 4)).toBe("6789");
  });

  it("evicts the oldest and distinguishes evicted from unknown", async () => {
    const artifacts = open();
    const first = await keep(artifacts, "0123456789abcdef");
    const others = [await keep(artifacts, "1123456789abcdef"), await keep(artifacts, "2123456789abcdef")];
    expect(await artifacts.read(first, 0, 1)).toBe("evicted");
    expect(await artifacts.read("a-none", 0, 1)).toBe("unknown");
    expect((await artifacts.list()).map((one) => one.id)).toEqual(others);
  });
});

describe("records and sessions in memory", () => {
  it("joins the end of a call to its beginning", async () => {
    const audit = memoryAudit();
    const id = await audit.begin({
      callId: "c",
      sessionId: "s",
      tool: "t",
      backend: "b",
      workspace: "",
      inputDigest: "d",
      input: "{}",
    });
    expect(audit.entries[0]?.end).toBeUndefined();
    await audit.end(id, { status: "ok", tookMs: 1 });
    expect(audit.entries).toMatchObject([{ id, begin: { callId: "c" }, end: { status: "ok" } }]);
  });

  it("keeps a list a session", async () => {
    let count = 0;
    const ids = { next: (kind: string) => `${kind}-${++count}` };
    const state = memoryState({ ids, now: () => 1 });
    const openLocal = () => memoryLocalSession(memoryArtifacts({ ids, now: () => 1 }));
    const session = (id: string) => documentSession({ state, id, isTemporary: true, now: () => 1, openLocal });
    const [one, two] = [session("1"), session("2")];
    await one.todo.replace([{ id: "1", text: "x", status: "pending" }]);
    expect(await one.todo.read()).toHaveLength(1);
    expect(await two.todo.read()).toEqual([]);
    one.setCwd("local", "/a");
    expect([one.cwd("local"), two.cwd("local")]).toEqual(["/a", undefined]);
  });
});
