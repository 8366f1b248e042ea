/** The directory of one job: its record, and where its output goes. */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ShellExit } from "../../../kernel/index.js";
import { exitOfStatus } from "../../job-facts.js";
import { type JobRecord, writeJobRecord } from "./job-record.js";
import { OutputSegments, producedOf, segmentsOf, type WriteBytes } from "./output-segments.js";
import { readSmallFile } from "./small-file.js";

export type StreamName = "stdout" | "stderr";

/** An exit status and a newline. */
const MAX_EXIT_BYTES = 16;
/** How soon a record that could not be written is tried again. */
const RETRY_MS = 1_000;

export class JobDirectory {
  readonly path: string;
  #record: JobRecord;
  #retry: NodeJS.Timeout | undefined;

  constructor(path: string, record: JobRecord) {
    this.path = path;
    this.#record = record;
  }

  get id(): string {
    return this.#record.id;
  }

  get record(): JobRecord {
    return this.#record;
  }

  /** Where the shell of a job that is to be kept writes how its command has ended. */
  get exitPath(): string {
    return join(this.path, "exit");
  }

  /** What the names of a stream's files begin with. */
  prefixOf(stream: StreamName): string {
    const { outputDirectory, id } = this.#record;
    return outputDirectory === undefined ? join(this.path, stream) : join(outputDirectory, `${id}.${stream}`);
  }

  openOutput(stream: StreamName, write?: WriteBytes): OutputSegments {
    return new OutputSegments(this.prefixOf(stream), write);
  }

  /** Changes the record. One that cannot be written now, as on a full disk, is written when that is possible again. */
  update(change: Partial<JobRecord>): void {
    this.#record = { ...this.#record, ...change };
    this.save();
  }

  save(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (writeJobRecord(this.path, this.#record)) return;
    this.#retry = setTimeout(() => this.save(), RETRY_MS);
    this.#retry.unref();
  }

  /** Tries no more. */
  giveUp(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
  }

  /** Bytes of both streams that are on disk. */
  keptBytes(): number {
    const streams = [this.prefixOf("stdout"), this.prefixOf("stderr")];
    return streams.flatMap(segmentsOf).reduce((sum, { size }) => sum + size, 0);
  }

  produced(): { readonly stdout: number; readonly stderr: number } {
    const reported = this.#record.ended?.produced;
    return reported ?? { stdout: producedOf(this.prefixOf("stdout")), stderr: producedOf(this.prefixOf("stderr")) };
  }

  /** How its command has ended, and when, where its shell has written that down. */
  exit(): { readonly exit: ShellExit; readonly atMs: number } | undefined {
    try {
      const text = readSmallFile(this.exitPath, MAX_EXIT_BYTES);
      if (text === undefined || !/^\d{1,3}\n?$/.test(text)) return undefined;
      const status = Number(text);
      return { exit: exitOfStatus(status), atMs: Math.round(statSync(this.exitPath).mtimeMs) };
    } catch {
      return undefined;
    }
  }

  /** All that is kept of the job, its output included. */
  remove(): void {
    this.giveUp();
    const { outputDirectory } = this.#record;
    if (outputDirectory !== undefined) {
      for (const stream of ["stdout", "stderr"] as const) {
        const prefix = this.prefixOf(stream);
        for (const { offset } of segmentsOf(prefix)) rmSync(`${prefix}.${offset}`, { force: true });
      }
    }
    // A pump may have made a file while others were removed. What is left at last has no record, and goes when it is old.
    for (let tries = 0; tries < 3 && !isRemoved(this.path); tries += 1);
  }
}

function isRemoved(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}
