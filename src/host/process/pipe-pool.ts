import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, constants, existsSync, mkdtempSync, openSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { removeNames } from "./remove-names.js";
import { scratchDirectories } from "./scratch-directories.js";
import { sendSignal } from "./signal.js";
import { systemProgram } from "./system-program.js";

/** Pipes created by one `mkfifo`, which takes about 2 ms, and 20 on some disks. */
const BATCH = 64;
/** With fewer free pipes the next batch is created in the background. */
const REFILL_BELOW = 32;
/** Milliseconds to wait after a failed batch. */
const RETRY_AFTER_MS = 1_000;
const READ_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * One pipe. The user closes the ends that it opened, and the read end. It is used for one command: whoever had an end of it can open both
 * ends again, and can have changed its mode.
 */
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
 * `cat /dev/stdin` fail and which are slower; FIFOs whose names are removed at once are ordinary pipes.
 *
 * A batch that fails, for example because of too many open files or a full disk, is retried later.
 */
export class PipePool {
  #free: Pipe[] = [];
  readonly #isUsable: boolean;
  readonly #mkfifo: () => string | undefined;
  /** Where they are made: in the next one once it fails. */
  readonly #directories: string[];
  #notBefore = 0;
  /** The batch being created in the background. */
  #coming: { readonly batch: Batch; readonly child: ChildProcess } | undefined;
  #isClosed = false;

  /**
   * @param isUsable - False: never returns a pipe, as on a system that cannot create them.
   * @param mkfifo - Finds the absolute path of `mkfifo`. Default: that of the operating system.
   * @param directories - Where their names are for a moment. Default: in memory where that is possible.
   */
  constructor(
    isUsable = process.platform === "linux" && existsSync("/proc/self/fd"),
    mkfifo = () => systemProgram("mkfifo"),
    directories = scratchDirectories(),
  ) {
    this.#isUsable = isUsable;
    this.#mkfifo = mkfifo;
    this.#directories = [...directories];
  }

  /** A pipe, or undefined if none can be created now; use a socket then. */
  take(): Pipe | undefined {
    if (this.#free.length === 0 && this.#mayMake) this.#makeNow();
    const pipe = this.#free.pop();
    if (this.#free.length < REFILL_BELOW && this.#mayMake && this.#coming === undefined) this.#makeSoon();
    return pipe;
  }

  /** Closes all free pipes and removes their files before it returns. */
  close(): void {
    this.#isClosed = true;
    for (const pipe of this.#free) closeSync(pipe.readEnd);
    this.#free = [];
    if (this.#coming === undefined) return;
    sendSignal(this.#coming.child, "SIGKILL");
    removeNames(this.#coming.batch.directory, this.#coming.batch.paths);
  }

  get #mayMake(): boolean {
    return this.#isUsable && !this.#isClosed && performance.now() >= this.#notBefore;
  }

  #makeNow(): void {
    do {
      const batch = newBatch(this.#directories[0]!);
      this.#adopt(batch, batch !== undefined && this.#run(batch));
    } while (this.#free.length === 0 && this.#mayMake);
  }

  #run({ options }: Batch): boolean {
    const program = this.#mkfifo();
    return program !== undefined && spawnSync(program, options, { stdio: "ignore" }).status === 0;
  }

  /** Does not keep this process alive. */
  #start({ options }: Batch): ChildProcess | undefined {
    const program = this.#mkfifo();
    if (program === undefined) return undefined;
    try {
      const child = spawn(program, options, { stdio: "ignore" });
      child.unref();
      return child;
    } catch {
      return undefined;
    }
  }

  #makeSoon(): void {
    const batch = newBatch(this.#directories[0]!);
    const child = batch && this.#start(batch);
    if (batch === undefined || child === undefined) {
      this.#adopt(batch, false);
      return;
    }
    const coming = { batch, child };
    this.#coming = coming;
    const done = (isMade: boolean) => {
      if (this.#coming !== coming) return;
      this.#coming = undefined;
      this.#adopt(batch, isMade);
    };
    child.once("error", () => done(false));
    child.once("exit", (code) => done(code === 0));
  }

  #adopt(batch: Batch | undefined, isMade: boolean): void {
    const made = batch === undefined || !isMade || this.#isClosed ? undefined : openBatch(batch);
    if (batch !== undefined) removeNames(batch.directory, batch.paths);
    if (made !== undefined) this.#free.push(...made.map(pipeOf));
    else if (this.#directories.length > 1) this.#directories.shift();
    else this.#notBefore = performance.now() + RETRY_AFTER_MS;
  }
}

interface Batch {
  readonly directory: string;
  readonly paths: readonly string[];
  readonly options: readonly string[];
}

function newBatch(place: string): Batch | undefined {
  try {
    const directory = mkdtempSync(join(place, "haft-pipes-"));
    const paths = Array.from({ length: BATCH }, (_, index) => join(directory, String(index)));
    return { directory, paths, options: ["-m", "600", "--", ...paths] };
  } catch {
    return undefined;
  }
}

/** Opens all or none: a part could use up the last free descriptors. */
function openBatch({ paths }: Batch): number[] | undefined {
  const opened: number[] = [];
  try {
    for (const path of paths) opened.push(openSync(path, READ_FLAGS));
    return opened;
  } catch {
    for (const one of opened) closeSync(one);
    return undefined;
  }
}

/** @param readEnd - Its name must be removed already, so that its `/proc` symlink reads the same in every process. */
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
