import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { newNonce } from "../../host/index.js";
import { helperEnvironment, TAG_NAME } from "./command-environment.js";
import { systemCode } from "./fs-faults.js";
import type { PipePool } from "./pipe-pool.js";
import { SHELL } from "./start-command.js";
import { WATCHER_SCRIPT } from "./watcher-script.js";

/** What a watcher ended after its host had gone. */
export interface WatcherReport {
  readonly endedMs: number;
  readonly processes: readonly { readonly pid: number; readonly name: string }[];
}

const REPORT_PREFIX = "ended-";
/** How soon a watcher whose pipe is full is written to again. */
const RETRY_MS = 50;
/** A process that is still there one or two of these later is told of; telling one costs as much as a tenth of starting it. */
const TURN_MS = 25;
/** Turns without a process, after which there are no more until one comes. */
const IDLE_TURNS = 40;
/** Bytes that a pipe takes whole or not at all. */
const WHOLE_BYTES = 4096;

/** What a watcher has not been told of one number yet. */
interface News {
  /** It knows an older process of that number, which has ended. */
  readonly hasEnded: boolean;
  /** When the process started that has the number now. */
  readonly start: number | undefined;
}

/**
 * Ends what runs here when this process does, also by `kill -9`: a tiny shell that holds a pipe to us and is told each
 * command as it starts. Made at the first command. Needs `/proc`; without it nothing is watched.
 */
export class Watcher {
  /** The beginning of the tags of all commands that are watched. */
  readonly nonce = newNonce();
  readonly #pool: PipePool;
  readonly #reportFolder: string | undefined;
  /** What runs: when each process started, by its number. */
  readonly #running = new Map<number, number>();
  /**
   * What waits because the pipe is full, by number, oldest first. At most one entry for each command that runs, or that the
   * watcher still takes for running: what has ended before it could be told is left out.
   */
  readonly #news = new Map<number, News>();
  #retry: NodeJS.Timeout | undefined;
  /** What `addSoon` was given in this turn and in the one before. */
  #fresh = new Map<number, () => number | undefined>();
  #due = new Map<number, () => number | undefined>();
  /** One timer for all, kept while commands come: to make one for each costs more than what it does. */
  #turns: NodeJS.Timeout | undefined;
  #idleTurns = 0;
  #input: number | undefined;
  /** Absent: none runs. */
  #child: ChildProcess | undefined;
  readonly #isUsable = existsSync("/proc/self/stat");

  /** @param reportFolder - Made when it is needed; absent, nothing is reported. */
  constructor(pool: PipePool, reportFolder?: string) {
    this.#pool = pool;
    this.#reportFolder = reportFolder;
  }

  /** Sees to it that the watcher runs. Called before a command starts. */
  begin(): void {
    if (!this.#isUsable || this.#child !== undefined) return;
    const child = this.#start();
    if (child === undefined) return;
    child.unref();
    this.#child = child;
    // One that was given up before must not take its successor along: the end of the successor's input ends all that runs.
    const gone = () => {
      if (this.#child === child) this.#lost();
    };
    child.once("error", gone);
    child.once("exit", gone);
    if (child.pid === undefined) {
      this.#lost();
      return;
    }
    for (const [pid, start] of this.#running) this.#news.set(pid, { hasEnded: false, start });
    this.#tell();
  }

  /** @returns Undefined where there is no pipe, descriptor or process for it: the next command tries again. */
  #start(): ChildProcess | undefined {
    const pipe = this.#pool.take();
    if (pipe === undefined) return undefined;
    let end: number | undefined;
    try {
      this.#input = pipe.openWriteEnd("non-blocking");
      end = pipe.openReadEnd();
      const args = ["-c", WATCHER_SCRIPT, "haft-watcher", `${TAG_NAME}=${this.nonce}.`, this.#report()];
      return spawn(SHELL, args, {
        detached: true,
        cwd: "/",
        env: helperEnvironment(),
        stdio: [end, "ignore", "ignore"],
      });
    } catch {
      this.#lost();
      return undefined;
    } finally {
      for (const one of [pipe.readEnd, end]) if (one !== undefined) closeSync(one);
    }
  }

  /** How many commands the watcher has not been told of yet, or whose end. */
  get untold(): number {
    return this.#news.size;
  }

  /** @param start - When the process started, in ticks; what has another start time is another process. */
  add(pid: number, start: number | undefined): void {
    if (start === undefined) return;
    const hasEnded = this.#news.get(pid)?.hasEnded ?? this.#running.has(pid);
    this.#running.set(pid, start);
    this.#news.set(pid, { hasEnded, start });
    this.#tell();
  }

  /**
   * Adds a process of a tagged command unless it is removed within a moment. What is quick needs no telling: its tag begins as
   * all tags of this host do, and that is what the watcher looks for first.
   */
  addSoon(pid: number, start: () => number | undefined): void {
    if (!this.#isUsable) return;
    this.#fresh.set(pid, start);
    this.#idleTurns = 0;
    this.#turns ??= setInterval(() => this.#turn(), TURN_MS).unref();
  }

  #turn(): void {
    const due = this.#due;
    this.#due = this.#fresh;
    this.#fresh = new Map();
    for (const [pid, start] of due) this.add(pid, start());
    this.#idleTurns = this.#due.size > 0 ? 0 : this.#idleTurns + 1;
    if (this.#idleTurns < IDLE_TURNS) return;
    clearInterval(this.#turns);
    this.#turns = undefined;
  }

  remove(pid: number): void {
    this.#fresh.delete(pid);
    this.#due.delete(pid);
    if (!this.#running.delete(pid)) return;
    const news = this.#news.get(pid);
    if (news !== undefined && !news.hasEnded) this.#news.delete(pid);
    else this.#news.set(pid, { hasEnded: true, start: undefined });
    this.#tell();
  }

  /** The end of its input: what is still told to it is ended. */
  close(): void {
    clearInterval(this.#turns);
    this.#turns = undefined;
    this.#closeInput();
  }

  #closeInput(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#news.clear();
    if (this.#input !== undefined) closeSync(this.#input);
    this.#input = undefined;
  }

  #lost(): void {
    this.#child = undefined;
    this.#closeInput();
  }

  /** Tells what there is to tell. While the pipe is full it waits: closing the pipe would end all that runs. */
  #tell(): void {
    if (this.#input === undefined) {
      this.#news.clear();
      return;
    }
    if (this.#retry !== undefined) return;
    try {
      while (this.#news.size > 0) {
        const { lines, pids } = this.#nextLines();
        writeSync(this.#input, lines);
        for (const pid of pids) this.#news.delete(pid);
      }
    } catch (thrown) {
      if (systemCode(thrown) !== "EAGAIN") {
        // It is gone: the next command starts another, which is told all.
        this.#lost();
        return;
      }
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#tell();
      }, RETRY_MS);
      this.#retry.unref();
    }
  }

  /** As many as are sure to be taken whole. */
  #nextLines(): { readonly lines: string; readonly pids: readonly number[] } {
    const pids: number[] = [];
    let lines = "";
    for (const [pid, { hasEnded, start }] of this.#news) {
      const next = `${hasEnded ? `-${pid}\n` : ""}${start === undefined ? "" : `+${pid}:${start}\n`}`;
      if (lines.length + next.length > WHOLE_BYTES) break;
      lines += next;
      pids.push(pid);
    }
    return { lines, pids };
  }

  #report(): string {
    if (this.#reportFolder === undefined) return "";
    try {
      makeFolder(this.#reportFolder);
      return join(this.#reportFolder, REPORT_PREFIX + this.nonce);
    } catch {
      return "";
    }
  }
}

/**
 * Two hosts may start at once: a folder that has come meanwhile is one.
 *
 * One by one: `mkdirSync` with `recursive` does not return on Node.js 20.20 where a parent takes no child, as in `/proc`.
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    if (systemCode(thrown) !== "EEXIST") throw thrown;
  }
}

/** What watchers of earlier hosts wrote down, oldest first. Each is told once. */
export function takeReports(folder: string): WatcherReport[] {
  const reports: WatcherReport[] = [];
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!name.startsWith(REPORT_PREFIX)) continue;
    const report = takeReport(join(folder, name));
    if (report !== undefined) reports.push(report);
  }
  return reports.sort((one, other) => one.endedMs - other.endedMs);
}

/** Undefined where another start has just taken it. */
function takeReport(path: string): WatcherReport | undefined {
  try {
    const endedMs = Math.round(statSync(path).mtimeMs);
    const lines = readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    rmSync(path, { force: true });
    const processes = lines.map((line) => {
      const [pid = "", ...name] = line.split(" ");
      return { pid: Number(pid), name: name.join(" ") };
    });
    return { endedMs, processes };
  } catch (thrown) {
    if (systemCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}
