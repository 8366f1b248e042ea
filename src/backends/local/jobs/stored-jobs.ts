/** All jobs of a state directory, for whoever looks after them from outside of the hosts that started them. */
import { DEFAULT_GRACE_MS, type JobInfo, type TreeState } from "../../../kernel/index.js";
import { type Cleaned, JobStore } from "./job-store.js";
import { RecoveredJob } from "./recovered-job.js";

/** A job as it is seen from outside. */
export interface StoredJob extends JobInfo {
  /** The process that looks after it; absent when that has ended or let it go on alone. */
  readonly hostPid?: number;
}

/** A job that only a newer version can read. */
export interface NewerJob {
  readonly id: string;
  /** A clause with the file, its version, and the next step. */
  readonly why: string;
}

export interface StoredJobs {
  /** Oldest first. Looking makes nothing; that a job has ended whose host is gone is written down. */
  list(): readonly StoredJob[];
  /** Jobs that a newer version has written; nothing here touches them. */
  newer(): readonly NewerJob[];
  /** Ends it with its whole tree: TERM, 3 s, KILL. Undefined for an unknown job. */
  stop(id: string): Promise<TreeState | undefined>;
  /** Removes jobs that have ended, with their output: old ones, or with `all` each of them. */
  clean(options?: { readonly all?: boolean }): Cleaned;
}

/** @param stateDir - Absolute. */
export function storedJobs(stateDir: string): StoredJobs {
  const store = new JobStore(stateDir);
  const infoOf = (job: RecoveredJob): StoredJob => {
    const { adopted: _, ...info } = job.info();
    const { record } = job.directory;
    return record.ended === undefined && !store.isLeft(record) ? { ...info, hostPid: record.host.pid } : info;
  };
  return {
    list: () => store.all().map((directory) => infoOf(new RecoveredJob(directory, store))),
    newer: () =>
      store.ids().flatMap((id) => {
        const why = store.newer(id);
        return why === undefined ? [] : [{ id, why }];
      }),
    async stop(id) {
      const directory = store.find(id);
      return directory === undefined ? undefined : new RecoveredJob(directory, store).end(DEFAULT_GRACE_MS);
    },
    clean(options = {}) {
      // Those whose host is gone may have ended without anybody to write it down.
      for (const directory of store.all()) new RecoveredJob(directory, store).info();
      return store.clean(options);
    },
  };
}
