/** What is on the disk before a change is made. */
import { mkdtempSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { fileUndoLog } from "./file-undo-log.js";
import { openStateDirectory } from "./state-directory.js";

type Flush = (descriptor: number, done: (error: Error | null) => void) => void;
const disk = vi.hoisted(() => ({ flushed: [] as string[], failing: undefined as string | undefined }));

vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const fsync: Flush = (descriptor, done) => {
    const name = basename(readlinkSync(`/proc/self/fd/${descriptor}`));
    fs.fsync(descriptor, (error) => {
      disk.flushed.push(name);
      done(name === disk.failing ? Object.assign(new Error("disk fault"), { code: "EIO" }) : error);
    });
  };
  return { ...fs, fsync };
});

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "haft-undo-recorder-"));
  disk.flushed = [];
  disk.failing = undefined;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const about = { callId: "c", sessionId: "s", tool: "t", target: "local", machine: "local", workspace: "/w" };
const newCall = () => fileUndoLog(openStateDirectory(root)).record(about);
const CHANGE = { kind: "write", path: "/w/a" } as const;

it("has flushed the old bytes, the log and their names before a change is made, and a name only once", async () => {
  const recorder = newCall();
  await recorder.keep([Buffer.from("old")], 3);
  const first = await recorder.begin(CHANGE);
  expect([...disk.flushed].sort()).toEqual([recorder.id, "log.jsonl", "old", "undo"].sort());
  await recorder.end(first, {});
  disk.flushed = [];
  await recorder.begin(CHANGE);
  expect(disk.flushed).toEqual(["log.jsonl"]);
});

it.each(["old", "log.jsonl"])("reports that %s could not be flushed", async (name) => {
  const recorder = newCall();
  disk.failing = name;
  await recorder.keep([Buffer.from("old")], 3);
  await expect(recorder.begin(CHANGE)).rejects.toMatchObject({ code: "STORE_UNWRITABLE" });
});

it("records on a file system that cannot flush directories", async () => {
  const recorder = newCall();
  disk.failing = "undo";
  expect(await recorder.begin(CHANGE)).toBe(0);
});
