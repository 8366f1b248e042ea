/** The directory of one job, with its record and its output. */
import { rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ShellExit } from "../../../kernel/index.js";
import { exitOfStatus } from "../../exit-status.js";
import { type JobRecord, writeJobRecord } from "./job-record.js";
import { OutputSegments, producedOf, segmentsOf, type WriteBytes } from "./output-segments.js";
import { readSmallFile } from "./small-file.js";

export type StreamName = "stdout" | "stderr";

/** An exit status and a newline. */
const MAX_EXIT_BYTES = 16;
/** Milliseconds until a failed write of a record is retried. */
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

  /** The file with the exit status of a kept job. */
  get exitPath(): string {
    return join(this.path, "exit");
  }

  /** The path prefix of a stream's files. */
  prefixOf(stream: StreamName): string {
    const { outputDirectory, id } = this.#record;
    return outputDirectory === undefined ? join(this.path, stream) : join(outputDirectory, `${id}.${stream}`);
  }

  openOutput(stream: StreamName, write?: WriteBytes): OutputSegments {
    return new OutputSegments(this.prefixOf(stream), write);
  }

  /** Changes the record. A failed write, as on a full disk, is retried. */
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

  /** Stops retrying. */
  stopRetrying(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
  }

  /** Bytes of both streams on disk. */
  keptBytes(): number {
    const streams = [this.prefixOf("stdout"), this.prefixOf("stderr")];
    return streams.flatMap(segmentsOf).reduce((sum, { size }) => sum + size, 0);
  }

  produced(): { readonly stdout: number; readonly stderr: number } {
    const reported = this.#record.ended?.produced;
    return reported ?? { stdout: producedOf(this.prefixOf("stdout")), stderr: producedOf(this.prefixOf("stderr")) };
  }

  /** How and when its command has ended, if its shell has recorded it. */
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

  /** Deletes the job with its output. */
  remove(): void {
    this.stopRetrying();
    const { outputDirectory } = this.#record;
    if (outputDirectory !== undefined) {
      for (const stream of ["stdout", "stderr"] as const) {
        const prefix = this.prefixOf(stream);
        for (const { offset } of segmentsOf(prefix)) rmSync(`${prefix}.${offset}`, { force: true });
      }
    }
    // A pump may create a file meanwhile, so it is retried. What remains has no record and is deleted when it is old.
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
