/** Administration of all jobs of a state directory, from any process. */
import { DEFAULT_GRACE_MS, type JobInfo, type TreeState } from "../../../kernel/index.js";
import { type Cleaned, JobStore } from "./job-store.js";
import { RecoveredJob } from "./recovered-job.js";

/** A job and its host. */
export interface StoredJob extends JobInfo {
  /** The process of its host; absent if that has ended or released the job. */
  readonly hostPid?: number;
}

/** A job that only a newer version can read. */
interface NewerJob {
  readonly id: string;
  /** A clause with the file, its version, and the next step. */
  readonly why: string;
}

export interface StoredJobs {
  /** Oldest first. Records the end of jobs whose host is gone. */
  list(): readonly StoredJob[];
  /** Jobs of a newer version; they are not changed. */
  newer(): readonly NewerJob[];
  /** Stops its whole process tree: TERM, 3 s, KILL. Undefined for an unknown job. */
  stop(id: string): Promise<TreeState | undefined>;
  /** Deletes old jobs that have ended, or with `all` every ended one. */
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
      // Record the end of jobs whose host is gone.
      for (const directory of store.all()) new RecoveredJob(directory, store).info();
      return store.clean(options);
    },
  };
}
