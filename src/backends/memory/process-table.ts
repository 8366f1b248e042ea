/** Processes that exist only here: numbers, groups, signals, and the streams that each holds. */
import type { Clock } from "../../kernel/index.js";
import { BrokenPipe, type Sink, type Source } from "./streams.js";

export type ProcessEnd = { readonly code: number } | { readonly signal: string };

/** Numbers as `kill -N` takes them. */
export const SIGNALS: Readonly<Record<string, number>> = {
  HUP: 1,
  INT: 2,
  QUIT: 3,
  ILL: 4,
  ABRT: 6,
  FPE: 8,
  KILL: 9,
  USR1: 10,
  SEGV: 11,
  USR2: 12,
  PIPE: 13,
  ALRM: 14,
  TERM: 15,
  CHLD: 17,
  CONT: 18,
  STOP: 19,
};
const IGNORED = new Set(["CHLD", "CONT", "STOP"]);

/** "TERM" of "TERM", "SIGTERM", "term" or "15"; undefined for an unknown signal. */
export function signalName(text: string): string | undefined {
  const upper = text.toUpperCase().replace(/^SIG/, "");
  if (upper in SIGNALS) return upper;
  return Object.keys(SIGNALS).find((name) => String(SIGNALS[name]) === text);
}

/** Thrown inside a process that a signal has ended, to unwind it. */
class Killed extends Error {}

/** The three streams of a process, which owns one reference to each. */
export interface Streams {
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
}

export function retainStreams(streams: Streams): Streams {
  streams.stdin.retain();
  streams.stdout.retain();
  streams.stderr.retain();
  return streams;
}

export function releaseStreams(streams: Streams): void {
  streams.stdin.release();
  streams.stdout.release();
  streams.stderr.release();
}

export class MemoryProcess {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly name: string;
  readonly done: Promise<ProcessEnd>;
  #streams: Streams;
  readonly #table: ProcessTable;
  readonly #controller = new AbortController();
  readonly #traps = new Map<string, () => void>();
  #end: ProcessEnd | undefined;
  #settle!: (end: ProcessEnd) => void;

  constructor(
    table: ProcessTable,
    pid: number,
    about: { readonly name: string; readonly parent: number; readonly group?: number; readonly streams: Streams },
  ) {
    this.#table = table;
    this.pid = pid;
    this.parent = about.parent;
    this.group = about.group ?? pid;
    this.name = about.name;
    this.#streams = about.streams;
    this.done = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  get streams(): Streams {
    return this.#streams;
  }

  /** Releases its streams and takes ownership of others. */
  adopt(streams: Streams): void {
    this.requireAlive();
    releaseStreams(this.#streams);
    this.#streams = streams;
  }

  get isAlive(): boolean {
    return this.#end === undefined;
  }

  /** Fires when the process ends. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Calls `listener` instead of ending by that signal; KILL cannot be trapped. */
  trap(signal: string, listener: () => void): void {
    const name = signalName(signal);
    if (name !== undefined && name !== "KILL") this.#traps.set(name, listener);
  }

  send(signal: string): void {
    if (!this.isAlive || IGNORED.has(signal)) return;
    const trapped = this.#traps.get(signal);
    if (trapped === undefined) this.finish({ signal });
    else trapped();
  }

  finish(end: ProcessEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    releaseStreams(this.#streams);
    this.#table.forget(this);
    this.#controller.abort();
    this.#settle(end);
  }

  requireAlive(): void {
    if (!this.isAlive) throw new Killed();
  }

  /** Waits for something, unless a signal ends the process first. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.requireAlive();
    const value = await Promise.race([work, this.done.then(() => undefined)]);
    this.requireAlive();
    return value as T;
  }

  /** A pause on the clock. */
  async pause(ms: number): Promise<void> {
    let cancel = (): void => {};
    const over = new Promise<void>((resolve) => {
      cancel = this.#table.clock.timer(ms, resolve);
    });
    try {
      await this.during(over);
    } finally {
      cancel();
    }
  }

  async read(): Promise<Uint8Array | null> {
    await this.#table.yieldSlice(0);
    return this.during(this.streams.stdin.read());
  }

  async write(to: "stdout" | "stderr", bytes: Uint8Array): Promise<void> {
    await this.#table.yieldSlice(bytes.length);
    await this.during(this.streams[to].write(bytes));
  }
}

const STEPS_PER_SLICE = 200;
const BYTES_PER_SLICE = 512 * 1024;

export class ProcessTable {
  readonly clock: Clock;
  readonly #live = new Map<number, MemoryProcess>();
  #waiting: (() => void)[] = [];
  #lastPid = 1;
  #steps = 0;
  #bytes = 0;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Starts a process. It has ended when `body` has, with its number as exit code, or before, by a signal. */
  start(
    about: { readonly name: string; readonly parent: number; readonly group?: number; readonly streams: Streams },
    body: (process: MemoryProcess) => Promise<number>,
  ): MemoryProcess {
    this.#lastPid += 1;
    const process = new MemoryProcess(this, this.#lastPid, about);
    this.#live.set(process.pid, process);
    void this.#run(process, body);
    return process;
  }

  find(pid: number): MemoryProcess | undefined {
    return this.#live.get(pid);
  }

  ofGroup(group: number): readonly MemoryProcess[] {
    return [...this.#live.values()].filter((process) => process.group === group);
  }

  all(): readonly MemoryProcess[] {
    return [...this.#live.values()];
  }

  sendToGroup(group: number, signal: string): void {
    for (const process of this.ofGroup(group)) process.send(signal);
  }

  /** Resolves when all processes of the group have ended. */
  async whenGone(group: number): Promise<void> {
    while (this.ofGroup(group).length > 0) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  forget(process: MemoryProcess): void {
    this.#live.delete(process.pid);
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Yields to the event loop from time to time, so that an endless printer does not block the host. */
  async yieldSlice(bytes: number): Promise<void> {
    this.#steps += 1;
    this.#bytes += bytes;
    if (this.#steps < STEPS_PER_SLICE && this.#bytes < BYTES_PER_SLICE) return;
    this.#steps = 0;
    this.#bytes = 0;
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0);
    });
  }

  async #run(process: MemoryProcess, body: (process: MemoryProcess) => Promise<number>): Promise<void> {
    try {
      process.finish({ code: (await body(process)) & 0xff });
    } catch (thrown) {
      if (thrown instanceof BrokenPipe) process.finish({ signal: "PIPE" });
      else if (!(thrown instanceof Killed)) {
        const text = thrown instanceof Error ? thrown.message : String(thrown);
        await process.streams.stderr.write(new TextEncoder().encode(`${process.name}: ${text}\n`)).catch(() => {});
        process.finish({ code: 1 });
      }
    }
  }
}
