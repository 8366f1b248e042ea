import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processEntry } from "../index.js";
import { type Pipe, PipePool } from "./pipe-pool.js";
import { systemProgram } from "./system-program.js";

const { PATH, TMPDIR } = process.env;
let directory: string;
let temp: string;
let pool: PipePool;
const REAL_MKFIFO = systemProgram("mkfifo");
let mkfifo = REAL_MKFIFO;
const taken: Pipe[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-pool-"));
  temp = join(directory, "temp");
  mkdirSync(temp);
  process.env.TMPDIR = temp;
  mkfifo = REAL_MKFIFO;
  pool = new PipePool(undefined, () => mkfifo, [temp]);
});
afterEach(() => {
  for (const pipe of taken.splice(0)) closeSync(pipe.readEnd);
  pool.close();
  process.env.PATH = PATH;
  if (TMPDIR === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = TMPDIR;
  rmSync(directory, { recursive: true, force: true });
});

/** Whether there was a pipe. */
function take(): boolean {
  const pipe = pool.take();
  if (pipe !== undefined) taken.push(pipe);
  return pipe !== undefined;
}

async function until(holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries += 1) {
    if (tries === 200) throw new Error("not within 10 s");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What is run as `mkfifo` from now on. */
function setMkfifo(script: string): void {
  const bin = mkdtempSync(join(directory, "bin-"));
  mkfifo = join(bin, "mkfifo");
  writeFileSync(mkfifo, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

describe.runIf(process.platform === "linux")("a pool of pipes", () => {
  it("gives as many as are asked for, and leaves no name of them", async () => {
    for (let count = 0; count < 200; count += 1) expect(take()).toBe(true);
    await until(() => readdirSync(temp).length === 0);
    expect(new Set(taken.map((pipe) => pipe.shownAs)).size).toBe(200);
  });

  it("that is closed while more are made leaves neither names nor the process that makes them", async () => {
    expect(take()).toBe(true);
    const log = join(directory, "pid");
    setMkfifo(`${REAL_MKFIFO} "$4" "$5"; echo $$ >'${log}'; exec sleep 619`);
    for (let count = 0; count < 40; count += 1) take();
    await until(() => existsSync(log) && readFileSync(log, "utf8").endsWith("\n"));
    expect(readdirSync(temp)).toHaveLength(1);
    pool.close();
    expect(readdirSync(temp)).toEqual([]);
    const pid = Number(readFileSync(log, "utf8"));
    await until(() => processEntry(pid) === undefined);
    expect(take()).toBe(false);
    expect(readdirSync(temp)).toEqual([]);
  });

  it.each(["exit 1", "kill -9 $$", ":"])("makes pipes again after it could make none (%s)", async (script) => {
    setMkfifo(script);
    expect([take(), take()]).toEqual([false, false]);
    expect(readdirSync(temp)).toEqual([]);
    mkfifo = REAL_MKFIFO;
    await until(take);
  });

  it("makes them in the next directory where the first one is full", async () => {
    // No directory can be made in these.
    for (const [index, full] of ["/proc", join(directory, "nothing")].entries()) {
      pool = new PipePool(undefined, () => mkfifo, [full, temp]);
      expect([index, take(), readdirSync(temp)]).toEqual([index, true, []]);
      pool.close();
    }
    setMkfifo(`case "$4" in */full/*) exit 1 ;; esac; exec ${REAL_MKFIFO} "$@"`);
    const full = join(directory, "full");
    mkdirSync(full);
    pool = new PipePool(undefined, () => mkfifo, [full, temp]);
    expect([take(), readdirSync(full), readdirSync(temp)]).toEqual([true, [], []]);
  });

  it("does not run an mkfifo in the first directory of PATH", () => {
    setMkfifo(`echo >'${join(directory, "ran")}'; exit 1`);
    process.env.PATH = [dirname(mkfifo ?? ""), PATH].join(delimiter);
    pool = new PipePool();
    expect([take(), existsSync(join(directory, "ran"))]).toEqual([true, false]);
  });

  it("makes none where mkfifo is missing", () => {
    mkfifo = undefined;
    expect([take(), readdirSync(temp)]).toEqual([false, []]);
  });

  it("makes pipes again after more could not be made in the background", async () => {
    expect(take()).toBe(true);
    const log = join(directory, "ran");
    setMkfifo(`echo >'${log}'; exit 1`);
    for (let count = 0; count < 40; count += 1) expect(take()).toBe(true);
    await until(() => existsSync(log) && readdirSync(temp).length === 0);
    mkfifo = REAL_MKFIFO;
    for (let count = 0; count < 100; count += 1) await until(take);
  });
});
