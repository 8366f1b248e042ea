/** What the next start reports about a host that was killed. */
import type { EndedJob } from "./recovered-job.js";

/** What ended because its host did: the report of a watcher, and what state on disk says. Its types need none of Node.js. */
export interface HostCrashReport {
  /** Milliseconds since 1970. */
  readonly endedMs: number;
  readonly processes: readonly { readonly pid: number; readonly name: string }[];
  /** Jobs of it. Their output can still be asked for. */
  readonly jobs?: readonly EndedJob[];
  /** Files that it was overwriting. Each start reports them until they are restored, or the backup is deleted. */
  readonly halfWritten?: readonly HalfWrittenFile[];
}

/** A file that a host was overwriting when it was killed. */
export interface HalfWrittenFile {
  readonly path: string;
  /** Holds all of the old bytes. */
  readonly backup: string;
  readonly oldBytes: number;
  readonly startedMs: number;
  /** A shell command that puts the old bytes back. */
  readonly restoreCommand: string;
}
