import { spawn, spawnSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Pipes made by one `mkfifo`, about 2 ms. */
const BATCH = 64;
/** With fewer left than this the next batch is made in the background. */
const REFILL_BELOW = 32;
const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/** One pipe. Whoever took it closes what it opened, and in the end gives the pipe back or closes its read end. */
export interface Pipe {
  /** Not blocking. */
  readonly readEnd: number;
  /** Opens a write end; blocking for a child, not blocking for us. */
  openWriteEnd(mode: "blocking" | "non-blocking"): number;
  /** Opens a second, blocking read end for a child. A write end must be open. */
  openReadEnd(): number;
  /** How `/proc/PID/fd` shows either end in any process. */
  readonly shownAs: string;
}

/**
 * Pipes of the kernel for the streams of commands. Node itself gives a child sockets, on which `tee /dev/stderr` and
 * `cat /dev/stdin` fail and which are slower; named pipes, their names removed at once, are pipes like any other.
 */
export class PipePool {
  #free: Pipe[] = [];
  #isUsable: boolean;
  #isRefilling = false;
  #isClosed = false;

  /** @param isUsable - False: no pipe is ever given, as on a system where none can be made. */
  constructor(isUsable = process.platform === "linux") {
    this.#isUsable = isUsable;
  }

  /** A pipe, or undefined where none can be made: sockets have to do then. */
  take(): Pipe | undefined {
    if (this.#free.length === 0 && this.#isUsable) this.#makeNow();
    const pipe = this.#free.pop();
    if (this.#free.length < REFILL_BELOW && this.#isUsable && !this.#isRefilling) this.#makeSoon();
    return pipe;
  }

  /** Takes a pipe for the next command. Only an empty one that nobody else has open, or ever had, may be given back. */
  giveBack(pipe: Pipe): void {
    if (this.#isClosed) closeSync(pipe.readEnd);
    else this.#free.push(pipe);
  }

  close(): void {
    this.#isClosed = true;
    this.#isUsable = false;
    for (const pipe of this.#free) closeSync(pipe.readEnd);
    this.#free = [];
  }

  #makeNow(): void {
    const batch = newBatch();
    if (batch === undefined) {
      this.#isUsable = false;
      return;
    }
    const made = spawnSync("mkfifo", batch.options, { stdio: "ignore" });
    this.#adopt(batch, made.status === 0);
  }

  #makeSoon(): void {
    const batch = newBatch();
    if (batch === undefined) return;
    this.#isRefilling = true;
    const child = spawn("mkfifo", batch.options, { stdio: "ignore" });
    child.unref();
    let isDone = false;
    const done = (isMade: boolean) => {
      if (isDone) return;
      isDone = true;
      this.#isRefilling = false;
      this.#adopt(batch, isMade);
    };
    child.once("error", () => done(false));
    child.once("exit", (code) => done(code === 0));
  }

  #adopt(batch: Batch, isMade: boolean): void {
    const opened: number[] = [];
    try {
      if (!isMade) this.#isUsable = false;
      else if (!this.#isClosed) for (const path of batch.paths) opened.push(openSync(path, READ_FLAGS));
    } catch {
      this.#isUsable = false;
    }
    rmSync(batch.folder, { recursive: true, force: true });
    this.#free.push(...opened.map(pipeOf));
  }
}

interface Batch {
  readonly folder: string;
  readonly paths: readonly string[];
  readonly options: readonly string[];
}

function newBatch(): Batch | undefined {
  try {
    const folder = mkdtempSync(join(tmpdir(), "haft-pipes-"));
    const paths = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)));
    return { folder, paths, options: ["-m", "600", "--", ...paths] };
  } catch {
    return undefined;
  }
}

/** @param readEnd - Its name has been removed, so that the link reads as it will in every process. */
function pipeOf(readEnd: number): Pipe {
  const own = `/proc/self/fd/${readEnd}`;
  return {
    readEnd,
    shownAs: readlinkSync(own),
    openWriteEnd: (mode) =>
      openSync(own, mode === "blocking" ? constants.O_WRONLY : constants.O_WRONLY | constants.O_NONBLOCK),
    openReadEnd: () => openSync(own, constants.O_RDONLY),
  };
}
