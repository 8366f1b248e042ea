import { createHash } from "node:crypto";
import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { CallRecorder, StoredBytes, UndoLog } from "../../kernel/index.js";
import { type FileUndoLogOptions, fileUndoLog } from "./file-undo-log.js";
import { openStateDirectory } from "./state-directory.js";

const START_MS = Date.UTC(2031, 4, 1);
const DAY_MS = 24 * 60 * 60 * 1000;
let root: string;
let nowMs: number;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "haft-undo-log-"));
  nowMs = START_MS;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const open = (limits: FileUndoLogOptions["limits"] = {}): UndoLog =>
  fileUndoLog(openStateDirectory(root), { now: () => nowMs, limits });
const about = { sessionId: "s", tool: "t", target: "local", machine: "local", workspace: "/w" };
const newCall = (log: UndoLog, callId = "c"): CallRecorder => log.record({ ...about, callId });

const keep = (recorder: CallRecorder, bytes: Uint8Array) => recorder.keep([bytes], bytes.length);

async function replaced(recorder: CallRecorder, bytes: Uint8Array): Promise<StoredBytes | undefined> {
  const stored = await keep(recorder, bytes);
  const before = { kind: "file", size: bytes.length, ...stored } as const;
  await recorder.end(await recorder.begin({ kind: "write", path: "/w/a", before }), { after: "0" });
  return stored;
}

it("stores nothing before the first change, and nothing of a call that changed nothing", async () => {
  const log = open();
  const recorder = newCall(log);
  expect(existsSync(join(root, "undo"))).toBe(false);
  await keep(recorder, Buffer.from("old"));
  await recorder.end(await recorder.begin({ kind: "write", path: "/w/a" }), { failed: true });
  expect([(await log.list()).calls, readdirSync(join(root, "undo"))]).toEqual([[], []]);
});

it("gives another process the changes, the old bytes, and which change was not ended", async () => {
  const recorder = newCall(open());
  const stored = await replaced(recorder, Buffer.from("old"));
  await recorder.begin({ kind: "mkdir", paths: ["/w/dir"] });
  const log = open();
  expect((await log.list()).calls).toEqual([
    {
      ...about,
      callId: "c",
      id: recorder.id,
      atMs: START_MS,
      startedIn: process.cwd(),
      changes: [
        { kind: "write", path: "/w/a", before: { kind: "file", ...stored! }, after: "0", isUnfinished: false },
        { kind: "mkdir", paths: ["/w/dir"], isUnfinished: true },
      ],
    },
  ]);
  expect(stored).toEqual({ size: 3, content: "0-3", sha256: createHash("sha256").update("old").digest("hex") });
  expect(Buffer.from((await log.content(recorder.id, "0-3"))!).toString()).toBe("old");
  for (const [id, name] of [
    [recorder.id, "0-4"],
    [recorder.id, "0-99999999999"],
    [recorder.id, "../../format.json"],
    ["..", "0-3"],
  ] as const)
    expect(await log.content(id, name)).toBeUndefined();
});

it("stores no more of a file and a call than its limits", async () => {
  const recorder = newCall(open({ fileBytes: 4, callBytes: 6 }));
  const sizes = [5, 4, 3, 2];
  const stored: boolean[] = [];
  for (const size of sizes) stored.push((await keep(recorder, new Uint8Array(size))) !== undefined);
  expect(stored).toEqual([false, true, false, true]);
});

it("keeps the old bytes of several files of a call apart, also while they arrive in turns", async () => {
  const log = open();
  const recorder = newCall(log);
  async function* chunks(letter: string) {
    for (let count = 0; count < 3; count++) {
      await new Promise(setImmediate);
      yield Buffer.alloc(70_000, letter);
    }
  }
  const stored = await Promise.all(["a", "b", "c"].map((letter) => recorder.keep(chunks(letter), 210_000)));
  for (const [index, letter] of ["a", "b", "c"].entries())
    expect(Buffer.from((await log.content(recorder.id, stored[index]!.content))!).toString()).toBe(
      letter.repeat(210_000),
    );
  await expect(recorder.keep(chunks("d"), 200_000)).rejects.toThrow("has grown");
});

it("drops calls after a week, over their number and over all bytes, the oldest first", async () => {
  await replaced(newCall(open(), "old"), new Uint8Array(3));
  nowMs += 8 * DAY_MS;
  for (const callId of ["a", "b", "c", "d"]) {
    nowMs += 1;
    await replaced(newCall(open({ calls: 3 }), callId), new Uint8Array(1000));
  }
  const named = async () => (await open().list()).calls.map(({ callId }) => callId);
  expect(await named()).toEqual(["b", "c", "d"]);
  nowMs += 1;
  await replaced(newCall(open({ totalBytes: 3000 }), "e"), new Uint8Array(10));
  expect(await named()).toEqual(["c", "d", "e"]);
});

it("drops nothing that an undo of the last minutes undoes, in any process, and does not list what is too old", async () => {
  const olds = [newCall(open(), "a"), newCall(open(), "b")];
  for (const one of olds) await replaced(one, new Uint8Array(1000));
  nowMs += 1;
  const limits = { totalBytes: 1500 };
  const undo = open(limits).record({ ...about, callId: "undo", undoes: olds.map(({ id }) => id) });
  await keep(undo, new Uint8Array(1000));
  nowMs += 1;
  await replaced(newCall(open(limits), "c"), new Uint8Array(1000));
  for (const { id } of olds) expect((await open().content(id, "0-1000"))?.length).toBe(1000);
  nowMs += 11 * 60_000;
  await replaced(newCall(open(limits), "d"), new Uint8Array(1000));
  const named = async () => (await open().list()).calls.map(({ callId }) => callId);
  expect(await named()).toEqual(["c", "d"]);
  nowMs += 8 * DAY_MS;
  expect(await named()).toEqual([]);
});

it("forgets what a session changed, and nothing else", async () => {
  const log = fileUndoLog(openStateDirectory(root), { now: () => nowMs });
  const [own, other] = ["s", "other"].map((sessionId) => log.record({ ...about, sessionId, callId: "c" }));
  for (const one of [own!, other!]) await replaced(one, Buffer.from("old"));
  expect([await log.forget("s"), await log.forget("none")]).toEqual([1, 0]);
  expect(readdirSync(join(root, "undo"))).toEqual([other!.id]);
});

it("names damaged records, and ignores half a line and what is not of the log", async () => {
  const log = open();
  const [good, damaged] = [newCall(log, "good"), newCall(log, "damaged")];
  for (const one of [good, damaged]) await replaced(one, new Uint8Array());
  appendFileSync(join(root, "undo", good.id, "log.jsonl"), '{"end":0,"kind":"zap"}\n{"begin":1,"cha');
  writeFileSync(join(root, "undo", damaged.id, "log.jsonl"), "{}\nnot JSON\n");
  writeFileSync(join(root, "undo", "other"), "");
  expect(await log.list()).toMatchObject({
    calls: [{ callId: "good", changes: [{ kind: "write", after: "0" }] }],
    damaged: [damaged.id],
  });
});

const FILE = { kind: "file", size: 1 };
const MOVED = { kind: "file", size: 1, modifiedMs: 1 };
it.each([
  [{ kind: "write", path: "../../x" }],
  [{ kind: "write", path: "/w/../x" }],
  [{ kind: "write", pat: "/w/a" }],
  [{ kind: "write", path: "/w/a", before: null }],
  [{ kind: "write", path: "/w/a", before: { ...FILE, size: -1 } }],
  [{ kind: "write", path: "/w/a", before: { ...FILE, content: 1 } }],
  [{ kind: "zap", path: "/w/a" }],
  [{ kind: "mkdir", path: "/w/a" }],
  [{ kind: "mkdir", paths: [] }],
  [{ kind: "mkdir", paths: ["a"] }],
  [{ kind: "remove", path: "/w/a" }],
  [{ kind: "remove", path: "/w/a", entries: [FILE] }],
  [{ kind: "remove", path: "/w/a", entries: [{ kind: "directory", mode: "x", path: "/w/a" }] }],
  [{ kind: "rename", from: "/w/a", to: "/w/b" }],
  [{ kind: "rename", from: "/w/a", to: "b", moved: MOVED }],
  [{ kind: "rename", from: "/w/a", to: "/w/b", moved: MOVED, replaced: { kind: "link" } }],
  [null],
])("leaves out a call with the damaged change %j", async (change) => {
  const log = open();
  const [good, damaged] = [newCall(log, "good"), newCall(log, "damaged")];
  for (const one of [good, damaged]) await replaced(one, new Uint8Array());
  await damaged.begin(change as never);
  expect((await log.list()).calls.map(({ callId }) => callId)).toEqual(["good"]);
  expect((await log.list()).damaged).toEqual([damaged.id]);
});

it.each([
  ["atMs", "x"],
  ["workspace", 1],
  ["undoes", "x"],
  ["startedIn", 1],
])("leaves out a call whose %s is %j", async (name, value) => {
  const log = open();
  const recorder = newCall(log);
  await replaced(recorder, new Uint8Array());
  const path = join(root, "undo", recorder.id, "log.jsonl");
  const [first, ...rest] = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, [JSON.stringify({ ...JSON.parse(first!), [name]: value }), ...rest].join("\n"));
  expect(await log.list()).toEqual({ calls: [], damaged: [recorder.id] });
});
