import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { machinePlace } from "../../../host/index.js";
import { JobDirectory } from "./job-directory.js";
import { readJobRecord } from "./job-record.js";
import { JobStore } from "./job-store.js";
import { readSegments, segmentsOf } from "./output-segments.js";
import { RecoveredJobs } from "./recovered-job.js";
import { storedJobs } from "./stored-jobs.js";

let state: string;
let directory: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "haft-hostile-jobs-"));
  directory = join(state, "jobs", "job-1");
  mkdirSync(directory, { recursive: true });
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const HOST = { pid: 4_000_000, start: 1, ...machinePlace() };
const RECORD = {
  version: 1,
  id: "job-1",
  command: "sleep 1",
  cwd: "/",
  lifetime: "session",
  startedMs: 1_700_000_000_000,
  host: HOST,
  leader: { pid: 4_000_001, start: 1 },
  tag: "HAFT_COMMAND=x.1.",
};
const ENDED = { atMs: 1_700_000_001_000, by: "itself", produced: { stdout: 0, stderr: 0 } };

const put = (change: Record<string, unknown>) =>
  writeFileSync(join(directory, "job.json"), JSON.stringify({ ...RECORD, ...change }));

function makeFifo(name: string): void {
  expect(spawnSync("mkfifo", [join(directory, name)]).status).toBe(0);
}

describe("a directory of a job that somebody else has written into", () => {
  it("is read while it is as this version writes it", () => {
    put({ ended: { ...ENDED, exit: { by: "code", code: 3 } } });
    expect(storedJobs(state).list()).toMatchObject([{ id: "job-1", status: "ended", exit: { by: "code", code: 3 } }]);
  });

  it.each<[string, Record<string, unknown>]>([
    ["no host", { host: undefined }],
    ["null for a host", { host: null }],
    ["text for a host", { host: "x" }],
    ["null for its process", { leader: null }],
    ["a path for a process", { leader: { pid: "../self", start: 1 } }],
    ["process 0, which is a whole group", { leader: { pid: 0, start: 1 } }],
    ["process -1, which is everything", { leader: { pid: -1, start: 1 } }],
    ["process 1", { leader: { pid: 1, start: 1 } }],
    ["an empty tag, which strangers have too", { tag: "" }],
    ["the id of another job", { id: "job-2" }],
    ["a path for an id", { id: "../../job-1" }],
    ["a relative directory for output", { outputDirectory: "work" }],
    ["an end without its bytes", { ended: { ...ENDED, produced: undefined } }],
    ["text for numbers of bytes", { ended: { ...ENDED, produced: { stdout: "a", stderr: 0 } } }],
    ["null for how it ended", { ended: { ...ENDED, exit: null } }],
    ["an end of no known kind", { ended: { ...ENDED, exit: { by: "toString" } } }],
    ["a time outside the range of Date", { startedMs: 1e300 }],
  ])("is not a job if its record has %s, and does not break list or clean", async (_, change) => {
    put(change);
    expect(readJobRecord(directory)).toBeUndefined();
    expect(storedJobs(state).list()).toEqual([]);
    expect(storedJobs(state).clean({ all: true })).toEqual({ jobs: 0, bytes: 0 });
    expect(new RecoveredJobs(new JobStore(state), () => false).takeEnded()).toEqual([]);
  });

  it("is not waited for where a FIFO stands in the place of a file", () => {
    makeFifo("job.json");
    expect(storedJobs(state).list()).toEqual([]);
    rmSync(join(directory, "job.json"));
    put({});
    makeFifo("exit");
    makeFifo("stdout.0");
    expect(storedJobs(state).list()).toMatchObject([{ id: "job-1", status: "ended", endedBy: "host", outputBytes: 0 }]);
  });

  it("is no job where its record is larger than any, or a symlink", () => {
    writeFileSync(join(directory, "job.json"), JSON.stringify(RECORD));
    truncateSync(join(directory, "job.json"), 512 * 1024 * 1024);
    expect(readJobRecord(directory)).toBeUndefined();
    rmSync(join(directory, "job.json"));
    symlinkSync("/dev/zero", join(directory, "job.json"));
    expect(readJobRecord(directory)).toBeUndefined();
  });

  it("has as output only ordinary files that are named by where they begin", () => {
    const record = { ...RECORD, ended: ENDED } as unknown as ConstructorParameters<typeof JobDirectory>[1];
    const prefix = new JobDirectory(directory, record).prefixOf("stdout");
    writeFileSync(`${prefix}.0`, "abc");
    writeFileSync(`${prefix}.00`, "other");
    writeFileSync(`${prefix}.99999999999999999999999`, "x");
    symlinkSync("/etc/passwd", `${prefix}.3`);
    expect(segmentsOf(prefix)).toEqual([{ offset: 0, size: 3 }]);
    expect(readSegments(prefix, 0, 100)).toMatchObject({ next: 3, droppedBytes: 0, produced: 3 });
  });
});
