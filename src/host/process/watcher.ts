import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../../kernel/index.js";
import { newNonce } from "../ids.js";
import { helperEnvironment, SHELL, TAG_NAME } from "./command-environment.js";
import type { PipePool } from "./pipe-pool.js";
import { WATCHER_SCRIPT } from "./watcher-script.js";

/** What a watcher ended after its host had ended. */
export interface WatcherReport {
  readonly endedMs: number;
  readonly processes: readonly { readonly pid: number; readonly name: string }[];
}

const REPORT_PREFIX = "ended-";
/** Milliseconds until the next write to a watcher whose pipe is full. */
const RETRY_MS = 50;
/** A process that still runs after one or two of these intervals is reported; a report costs a tenth of a process start. */
const TURN_MS = 25;
/** Idle intervals after which the timer stops until the next process. */
const IDLE_TURNS = 40;
/** Bytes that a pipe writes atomically. */
const WHOLE_BYTES = 4096;

/** An update about one pid that has not been sent to the watcher yet. */
interface WatchUpdate {
  /** The watcher still lists an older process of that pid, which has ended. */
  readonly hasEnded: boolean;
  /** Start time of the process that has the pid now. */
  readonly start: number | undefined;
}

/**
 * Ends running commands when this process ends, even by `kill -9`: a small shell that reads a pipe from this process and gets
 * each command as it starts. Started with the first command. Needs `/proc`; without it nothing is watched.
 */
export class Watcher {
  /** The prefix of the tags of all watched commands. */
  readonly nonce = newNonce();
  readonly #pool: PipePool;
  readonly #reportDirectory: string | undefined;
  /** Start times of the running processes, by pid. */
  readonly #running = new Map<number, number>();
  /**
   * Updates that wait because the pipe is full, by pid, oldest first. At most one entry for each command that runs or that
   * the watcher still considers running; a command that ended before it was sent has none.
   */
  readonly #updates = new Map<number, WatchUpdate>();
  #retry: NodeJS.Timeout | undefined;
  /** Processes passed to `addSoon` in this interval and in the previous one. */
  #fresh = new Map<number, () => number | undefined>();
  #due = new Map<number, () => number | undefined>();
  /** One timer for all, because a timer for each command would cost more than its work. */
  #turns: NodeJS.Timeout | undefined;
  #idleTurns = 0;
  #input: number | undefined;
  /** Undefined while none runs. */
  #child: ChildProcess | undefined;
  readonly #isUsable = existsSync("/proc/self/stat");

  /** @param reportDirectory - Created when needed; absent: nothing is reported. */
  constructor(pool: PipePool, reportDirectory?: string) {
    this.#pool = pool;
    this.#reportDirectory = reportDirectory;
  }

  /** Starts the watcher unless it runs. Called before a command starts. */
  begin(): void {
    if (!this.#isUsable || this.#child !== undefined) return;
    const child = this.#start();
    if (child === undefined) return;
    child.unref();
    this.#child = child;
    // An abandoned watcher must not close its successor's input, because that would end all that runs.
    const gone = () => {
      if (this.#child === child) this.#lost();
    };
    child.once("error", gone);
    child.once("exit", gone);
    if (child.pid === undefined) {
      this.#lost();
      return;
    }
    for (const [pid, start] of this.#running) this.#updates.set(pid, { hasEnded: false, start });
    this.#send();
  }

  /** @returns Undefined if no pipe, descriptor or process is available: the next command tries again. */
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

  /** The number of commands whose start or end has not been sent to the watcher yet. */
  get unsent(): number {
    return this.#updates.size;
  }

  /** @param start - When the process started, in ticks; a different start time means a different process. */
  add(pid: number, start: number | undefined): void {
    if (start === undefined) return;
    const hasEnded = this.#updates.get(pid)?.hasEnded ?? this.#running.has(pid);
    this.#running.set(pid, start);
    this.#updates.set(pid, { hasEnded, start });
    this.#send();
  }

  /**
   * Adds a process of a tagged command unless it is removed soon. A quick command need not be sent: the watcher finds it by the
   * tag prefix of this host.
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
    const news = this.#updates.get(pid);
    if (news !== undefined && !news.hasEnded) this.#updates.delete(pid);
    else this.#updates.set(pid, { hasEnded: true, start: undefined });
    this.#send();
  }

  /** Closes its input: the watcher then ends every command it still has. */
  close(): void {
    clearInterval(this.#turns);
    this.#turns = undefined;
    this.#closeInput();
  }

  #closeInput(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#updates.clear();
    if (this.#input !== undefined) closeSync(this.#input);
    this.#input = undefined;
  }

  #lost(): void {
    this.#child = undefined;
    this.#closeInput();
  }

  /** Sends pending updates. While the pipe is full it waits: closing the pipe would end all that runs. */
  #send(): void {
    if (this.#input === undefined) {
      this.#updates.clear();
      return;
    }
    if (this.#retry !== undefined) return;
    try {
      while (this.#updates.size > 0) {
        const { lines, pids } = this.#nextLines();
        writeSync(this.#input, lines);
        for (const pid of pids) this.#updates.delete(pid);
      }
    } catch (thrown) {
      if (systemCode(thrown) !== "EAGAIN") {
        // The watcher has ended: the next command starts another, which gets all running processes.
        this.#lost();
        return;
      }
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.#send();
      }, RETRY_MS);
      this.#retry.unref();
    }
  }

  /** As many lines as can be written atomically. */
  #nextLines(): { readonly lines: string; readonly pids: readonly number[] } {
    const pids: number[] = [];
    let lines = "";
    for (const [pid, { hasEnded, start }] of this.#updates) {
      const next = `${hasEnded ? `-${pid}\n` : ""}${start === undefined ? "" : `+${pid}:${start}\n`}`;
      if (lines.length + next.length > WHOLE_BYTES) break;
      lines += next;
      pids.push(pid);
    }
    return { lines, pids };
  }

  #report(): string {
    if (this.#reportDirectory === undefined) return "";
    try {
      makeReportDirectory(this.#reportDirectory);
      return join(this.#reportDirectory, REPORT_PREFIX + this.nonce);
    } catch {
      return "";
    }
  }
}

/**
 * A directory that another host created meanwhile is accepted.
 *
 * Creates one level at a time: `mkdirSync` with `recursive` hangs on Node.js 20.20 if a parent cannot have children, as in
 * `/proc`.
 */
function makeReportDirectory(path: string): void {
  if (existsSync(path)) return;
  makeReportDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    if (systemCode(thrown) !== "EEXIST") throw thrown;
  }
}

/** Reports of the watchers of earlier hosts, oldest first. Each is reported once. */
export function takeReports(directory: string): WatcherReport[] {
  const reports: WatcherReport[] = [];
  for (const name of existsSync(directory) ? readdirSync(directory) : []) {
    if (!name.startsWith(REPORT_PREFIX)) continue;
    const report = takeReport(join(directory, name));
    if (report !== undefined) reports.push(report);
  }
  return reports.sort((one, other) => one.endedMs - other.endedMs);
}

/** Undefined if another host has just taken it. */
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
