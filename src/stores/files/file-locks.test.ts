import { fork } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { fileLocks } from "./file-locks.js";
import { FOREIGN_STALE_MS } from "./lock-ticket.js";
import { openStateDirectory, type StateDirectory } from "./state-directory.js";

let built: string;
let workerScript: string;
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "haft-locks-worker-"));
  workerScript = await bundleForProcess(new URL("./lock-worker.fixture.ts", import.meta.url), built);
});
afterAll(() => rmSync(built, { recursive: true, force: true }));

let state: StateDirectory;
beforeEach(() => {
  state = openStateDirectory(mkdtempSync(join(tmpdir(), "haft-locks-")));
});
afterEach(() => rmSync(state.path, { recursive: true, force: true }));

const moment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("locks by files", () => {
  it("lets one holder in at a time, in the order they came", async () => {
    const locks = fileLocks(state);
    const order: number[] = [];
    let inside = 0;
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        locks.hold("a", {}, async () => {
          inside += 1;
          expect(inside).toBe(1);
          await moment();
          order.push(index);
          inside -= 1;
        }),
      ),
    );
    expect(order).toEqual(Array.from({ length: 20 }, (_, index) => index));
    expect(readdirSync(join(state.path, "locks"))).toEqual([]);
  });

  it("does not make different keys wait for each other", async () => {
    const locks = fileLocks(state);
    await locks.hold("a", {}, () => locks.hold("b", {}, async () => undefined));
  });

  it("keeps two sets of locks over one directory apart, too", async () => {
    const [one, two] = [fileLocks(state), fileLocks(state)];
    let holdsOne = true;
    const first = one.hold("a", {}, async () => {
      for (let turn = 0; turn < 50; turn += 1) await moment();
      holdsOne = false;
    });
    await moment();
    await two.hold("a", {}, async () => expect(holdsOne).toBe(false));
    await first;
  });

  it("frees the key when the body throws", async () => {
    const locks = fileLocks(state);
    await expect(locks.hold("a", {}, async () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(await locks.hold("a", {}, async () => "free")).toBe("free");
  });

  it("stops waiting at the time limit and on a signal, and says who holds the key", async () => {
    const locks = fileLocks(state);
    const stop = new AbortController();
    let release!: () => void;
    const held = locks.hold("a", {}, () => new Promise<void>((resolve) => (release = resolve)));
    await moment();
    await expect(locks.hold("a", { timeoutMs: 20 }, async () => "never")).rejects.toMatchObject({
      code: "STORE_CONFLICT",
      details: { key: "a" },
    });
    const cancelled = locks.hold("a", { signal: stop.signal }, async () => "never");
    stop.abort();
    await expect(cancelled).rejects.toMatchObject({ code: "CALL_CANCELLED" });
    const other = fileLocks(state);
    await expect(other.hold("a", { timeoutMs: 20 }, async () => "never")).rejects.toThrow(`process ${process.pid}`);
    const last = locks.hold("a", {}, async () => "mine");
    release();
    await held;
    expect(await last).toBe("mine");
  });

  it("is free at once when its holder was killed", async () => {
    const child = worker("hold");
    await said(child, "held");
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await gone;
    expect(readdirSync(join(state.path, "locks"))).toHaveLength(1);
    const locks = fileLocks(state);
    expect(await locks.hold("counter", { timeoutMs: 5_000 }, async () => "free")).toBe("free");
    expect(readdirSync(join(state.path, "locks"))).toEqual([]);
  });

  it("is not fooled by a new process with the number of a dead holder", async () => {
    const locks = fileLocks(state);
    await locks.hold("counter", {}, async () => {
      const [name = ""] = readdirSync(join(state.path, "locks"));
      const parts = name.split("-");
      writeFileSync(join(state.path, "locks", earlier(parts, { 3: "1" })), "");
    });
    expect(await locks.hold("counter", { timeoutMs: 5_000 }, async () => "free")).toBe("free");
  });

  it("waits for a holder of another machine as long as it is touched, and no longer", async () => {
    const locks = fileLocks(state);
    let foreign = "";
    await locks.hold("counter", {}, async () => {
      const [name = ""] = readdirSync(join(state.path, "locks"));
      foreign = join(state.path, "locks", earlier(name.split("-"), { 1: "00000000" }));
      writeFileSync(foreign, "");
    });
    await expect(locks.hold("counter", { timeoutMs: 30 }, async () => "never")).rejects.toMatchObject({
      code: "STORE_CONFLICT",
    });
    const old = new Date(Date.now() - FOREIGN_STALE_MS - 5_000);
    utimesSync(foreign, old, old);
    expect(await locks.hold("counter", { timeoutMs: 5_000 }, async () => "free")).toBe("free");
  });

  it("loses no update of 8 processes that change one file, and starves none", async () => {
    const file = join(state.path, "counter");
    writeFileSync(file, "0");
    const children = Array.from({ length: 8 }, () => worker("count", file, "25"));
    const ended = children.map((child) => new Promise<number | null>((resolve) => child.once("exit", resolve)));
    expect(await Promise.all(ended)).toEqual(Array(8).fill(0));
    expect(readFileSync(file, "utf8")).toBe("200");
    expect(readdirSync(join(state.path, "locks"))).toEqual([]);
  });

  it("continues after the state directory was removed", async () => {
    const locks = fileLocks(state);
    await locks.hold("a", {}, async () => undefined);
    rmSync(state.path, { recursive: true });
    expect(await locks.hold("a", {}, async () => "again")).toBe("again");
  });

  it("reports when the directory cannot be written", async () => {
    mkdirSync(join(state.path, "x"));
    writeFileSync(join(state.path, "x", "locks"), "");
    const locks = fileLocks(openStateDirectory(join(state.path, "x")));
    await expect(locks.hold("a", {}, async () => "never")).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
  });
});

/** The name of a ticket before the given one, of another process as `change` says. */
function earlier(parts: readonly string[], change: Readonly<Record<number, string>>): string {
  const changed = parts.map((part, index) => change[index] ?? part);
  return [changed[0]?.replace(/\d{12}$/, "000000000000"), ...changed.slice(1)].join("-");
}

function worker(...args: readonly string[]): ReturnType<typeof fork> {
  return fork(workerScript, [state.path, ...args], { execArgv: [] });
}

function said(child: ReturnType<typeof fork>, word: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on("message", (message) => (message === word ? resolve() : undefined));
    child.once("exit", (code) => reject(new Error(`the worker ended with ${code}`)));
  });
}
