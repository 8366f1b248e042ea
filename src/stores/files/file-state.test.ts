/** What the state of files promises beyond the suite: several processes, crashes, and what others have put in its place. */
import { type ChildProcess, fork } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { State } from "../../kernel/index.js";
import { bundleForProcess } from "../../testing/bundle.fixture.js";
import { LONG } from "../../testing/long.fixture.js";
import { approvalOf } from "../../testing/state/state-fixture.js";
import { fileLocks } from "./file-locks.js";
import { fileState } from "./file-state.js";
import { openStateDirectory } from "./state-directory.js";

let built: string;
let workerScript: string;
beforeAll(async () => {
  built = mkdtempSync(join(tmpdir(), "haft-state-worker-"));
  workerScript = await bundleForProcess(new URL("./state-worker.fixture.ts", import.meta.url), built);
}, 120_000);
afterAll(() => rmSync(built, { recursive: true, force: true }));

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "haft-state-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = (): State => {
  const state = openStateDirectory(root);
  return fileState({ state, locks: fileLocks(state) });
};
const worker = (...args: readonly string[]): ChildProcess => fork(workerScript, [root, ...args], { execArgv: [] });
const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once("exit", (code) => resolve(code)));
/** What a worker sends, once it has ended. */
async function sentBy(child: ChildProcess): Promise<unknown[]> {
  const sent: unknown[] = [];
  child.on("message", (one) => sent.push(one));
  expect(await ended(child)).toBe(0);
  return sent;
}

describe("the state of several processes", () => {
  it("keeps every update of one document", async () => {
    const [processes, updates] = LONG ? [8, 500] : [4, 25];
    const children = Array.from({ length: processes }, () => worker("count", String(updates)));
    expect(await Promise.all(children.map(ended))).toEqual(children.map(() => 0));
    expect((await open().documents("count").get("n"))?.value).toBe(processes * updates);
    expect(readdirSync(join(root, "documents", "count"))).toEqual(["n.json"]);
  }, 600_000);

  it("lets exactly one of 20 takes in 4 processes have a granted request", async () => {
    const { approvals } = open();
    await approvals.add(approvalOf("t"));
    await approvals.decide("t", { granted: "ada" });
    const sent = await Promise.all(Array.from({ length: 4 }, () => sentBy(worker("take", "t", "5"))));
    const states = sent.flat(2);
    expect(states).toHaveLength(20);
    expect(states.filter((one) => one === "granted")).toHaveLength(1);
    expect(states.filter((one) => one === "unknown")).toHaveLength(19);
  }, 60_000);

  it("lets another process decide on a request", async () => {
    const { approvals } = open();
    await approvals.add(approvalOf("t"));
    expect(await sentBy(worker("decide", "t", "ada"))).toEqual([true]);
    expect(await approvals.take("t", approvalOf("t").call)).toEqual({ state: "granted", by: "ada" });
  }, 60_000);

  it("loses no request of a process that is killed, and leaves none half-written", async () => {
    const children = Array.from({ length: LONG ? 8 : 2 }, () => worker("add"));
    const stored: string[] = [];
    await Promise.all(
      children.map(async (child, index) => {
        const end = ended(child);
        const enough = new Promise<void>((resolve) => {
          let count = 0;
          child.on("message", (token) => {
            stored.push(String(token));
            if (++count > 5 + index) resolve();
          });
        });
        await enough;
        child.kill("SIGKILL");
        await end;
      }),
    );
    const { approvals } = open();
    const found = (await approvals.list({ pending: true })).map(({ request }) => request.token);
    expect(stored.filter((token) => !found.includes(token))).toEqual([]);
    expect(await approvals.decide(stored[0] ?? "", { granted: "ada" })).toBe(true);
  }, 60_000);
});

describe("the files of the state", () => {
  const put = (state = open()) => state.documents("notes").update("a", () => "kept");
  const file = () => join(root, "documents", "notes", "a.json");

  it("are private to the user, directories too", async () => {
    const state = open();
    const session = await state.sessions.open("daily");
    await put(state);
    await state.documents("notes", session).update("a", () => 1);
    await state.approvals.add(approvalOf("t"));
    await state.approvals.remember({ project: "local:/ws" }, ["write"], "ada");
    await state.approvals.remember({ session: "daily" }, ["write"], "ada");
    const modes = readdirSync(root, { recursive: true }).map((name) => statSync(join(root, String(name))).mode & 0o077);
    expect(modes.length).toBeGreaterThan(10);
    expect(modes.filter((mode) => mode !== 0)).toEqual([]);
  });

  it("are not made by looking", async () => {
    const state = open();
    await state.documents("notes").get("a");
    for await (const _ of state.documents("notes").list()) expect.unreachable();
    for await (const _ of state.sessions.list()) expect.unreachable();
    await state.approvals.list();
    expect(await state.approvals.take("t", approvalOf("t").call)).toEqual({ state: "unknown" });
    expect(await state.approvals.remembered({ session: "s", project: "p" }, ["write"])).toBe(false);
    expect(await state.sessions.end("none")).toBe(false);
    expect(readdirSync(root)).toEqual([]);
  });

  it("are refused where a symlink, a directory or a torn file is in their place, and nothing is written past it", async () => {
    await put();
    const elsewhere = join(root, "elsewhere");
    writeFileSync(elsewhere, readFileSync(file()));
    const replaced: readonly (() => void)[] = [
      () => symlinkSync(elsewhere, file()),
      () => mkdirSync(file()),
      () => writeFileSync(file(), '{"key":"a","ver'),
      () => writeFileSync(file(), "[]"),
      () => writeFileSync(file(), '{"key":"b","version":"1","value":1}'),
    ];
    for (const replace of replaced) {
      rmSync(file(), { recursive: true });
      replace();
      const documents = open().documents("notes");
      await expect(documents.get("a")).rejects.toMatchObject({ code: "STORE_CONFLICT" });
      await expect(documents.update("a", () => "new")).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    }
    expect(readFileSync(elsewhere, "utf8")).toContain("kept");
  });

  it("of approvals are skipped where they are damaged or of others, and no request is granted by a copy", async () => {
    const { approvals } = open();
    await approvals.add(approvalOf("t"));
    const directory = join(root, "approvals");
    const good = readFileSync(join(directory, "t.json"), "utf8");
    const value = { ...JSON.parse(good).value, decision: { granted: "eve" } };
    writeFileSync(join(root, "elsewhere"), good);
    mkdirSync(join(directory, "dir.json"));
    symlinkSync(join(root, "elsewhere"), join(directory, "link.json"));
    for (const [name, content] of [
      ["notes", "{}"],
      ["half", '{"key":"half","ver'],
      [`%h${"0".repeat(40)}`, "{"],
      ["copy", JSON.stringify({ key: "copy", version: "v", value })],
      [
        "empty",
        JSON.stringify({ key: "empty", version: "v", value: { request: { token: "empty" }, call: {}, createdMs: 1 } }),
      ],
    ] as const)
      writeFileSync(join(directory, `${name}.json`), content);
    expect((await approvals.list()).map(({ request }) => request.token)).toEqual(["t"]);
    for (let index = 0; index < 45; index++) await approvals.add(approvalOf(`more-${index}`));
    expect(await approvals.take("copy", approvalOf("t").call)).toEqual({ state: "unknown" });
    expect(await approvals.decide("t", { granted: "ada" })).toBe(true);
  });

  it("are listed in order while the event loop goes around, up to a damaged one", async () => {
    const documents = open().documents("many");
    const keys = Array.from({ length: 60 }, (_, index) => `k${String(index).padStart(2, "0")}`);
    for (const key of [...keys].reverse()) await documents.update(key, () => key);
    let turns = 0;
    let next: NodeJS.Immediate | undefined;
    const turn = () => {
      turns += 1;
      next = setImmediate(turn);
    };
    turn();
    const listed: string[] = [];
    for await (const { key } of documents.list()) listed.push(key);
    clearImmediate(next);
    expect(listed).toEqual(keys);
    expect(turns).toBeGreaterThan(4);
    writeFileSync(join(root, "documents", "many", "k20.json"), "torn");
    listed.length = 0;
    await expect(async () => {
      for await (const { key } of documents.list()) listed.push(key);
    }).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    expect(listed).toEqual(keys.slice(0, 20));
  });

  it("are neither read nor written through a directory that is a symlink", async () => {
    const state = open();
    const { version } = await state.sessions.open("daily");
    await put(state);
    await state.approvals.add(approvalOf("t"));
    await state.approvals.remember({ project: "p" }, ["write"], "ada");
    await state.approvals.remember({ session: "daily", version }, ["run"], "ada");
    mkdirSync(join(root, "elsewhere"));
    for (const name of ["documents", "approvals", "approved", "sessions"]) {
      renameSync(join(root, name), join(root, "elsewhere", name));
      symlinkSync(join(root, "elsewhere", name), join(root, name));
    }
    const remembered = (key: string) => state.approvals.remembered({ session: "daily", project: "p" }, [key]);
    const reads = [
      () => state.documents("notes").get("a"),
      () => state.approvals.list(),
      () => state.approvals.get("t"),
      () => state.approvals.take("t", approvalOf("t").call),
      () => remembered("write"),
      () => remembered("run"),
    ];
    for (const read of reads) await expect(read()).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    await expect(put(state)).rejects.toMatchObject({ code: "STORE_CONFLICT" });
    await expect(state.sessions.open("other")).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
    expect(readdirSync(join(root, "elsewhere", "sessions"))).toEqual(["daily"]);
  });

  it("ignore what others have left beside them", async () => {
    await put();
    for (const name of ["a.json.123-abcd", "README", "B.json", "%zz.json", "b.json.damaged"])
      writeFileSync(join(root, "documents", "notes", name), "{");
    const keys: string[] = [];
    for await (const { key } of open().documents("notes").list()) keys.push(key);
    expect(keys).toEqual(["a"]);
  });

  it("are neither written nor deleted where a newer version has taken the directory over", async () => {
    await put();
    const state = open();
    writeFileSync(join(root, "format.json"), '{"format":99}');
    expect(await state.problem()).toContain("format 99");
    await expect(put(state)).rejects.toMatchObject({ code: "STORE_NEWER" });
    await expect(state.documents("notes").update("a", () => undefined)).rejects.toMatchObject({ code: "STORE_NEWER" });
    await expect(state.sessions.end("daily")).rejects.toMatchObject({ code: "STORE_NEWER" });
    expect(existsSync(file())).toBe(true);
    expect(open).toThrow(expect.objectContaining({ code: "STORE_NEWER" }));
  });

  it("report a directory that cannot be written", async () => {
    await put();
    rmSync(join(root, "documents", "notes"), { recursive: true });
    writeFileSync(join(root, "documents", "notes"), "in its place");
    await expect(put()).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
  });
});

describe("a session with a damaged record", () => {
  it.each(["", "{", "[]", '{"id":"shop"}', "owner"])("%j has no other owner, and can be ended", async (damaged) => {
    const record = join(root, "sessions", "shop", "session.json");
    const info = await open().sessions.open("shop", { owner: "ada" });
    await open()
      .documents("notes", info)
      .update("n", () => "ada's");
    const sound = JSON.parse(readFileSync(record, "utf8"));
    writeFileSync(record, damaged === "owner" ? JSON.stringify({ ...sound, owner: 7 }) : damaged);
    const kept = readFileSync(record, "utf8");
    for (const about of [{ owner: "bob" }, { owner: "ada" }, {}])
      await expect(open().sessions.open("shop", about)).rejects.toMatchObject({
        code: "STORE_CONFLICT",
        hint: "To delete the session, run `haft sessions end shop`.",
      });
    expect(readFileSync(record, "utf8")).toBe(kept);
    expect(await open().sessions.end("shop")).toBe(true);
    const fresh = await open().sessions.open("shop", { owner: "bob" });
    expect([fresh.owner, await open().documents("notes", fresh).get("n")]).toEqual(["bob", undefined]);
  });
});
