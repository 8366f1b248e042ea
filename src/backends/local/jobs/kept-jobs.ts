/** All jobs of a state folder, for whoever looks after them from outside of the hosts that started them. */
import { DEFAULT_GRACE_MS, type JobInfo, type TreeState } from "../../../kernel/index.js";
import { EarlierJob } from "./earlier-job.js";
import { type Cleaned, JobStore } from "./job-store.js";

/** A job as it is seen from outside. */
export interface KeptJob extends JobInfo {
  /** The process that looks after it; absent when that has ended or let it go on alone. */
  readonly hostPid?: number;
}

/** A job that only a newer version can read. */
export interface NewerJob {
  readonly id: string;
  /** A clause with the file, its version, and the next step. */
  readonly why: string;
}

export interface KeptJobs {
  /** Oldest first. Looking makes nothing; that a job has ended whose host is gone is written down. */
  list(): readonly KeptJob[];
  /** Jobs that a newer version has written; nothing here touches them. */
  newer(): readonly NewerJob[];
  /** Ends it with its whole tree: TERM, 3 s, KILL. Undefined for an unknown job. */
  stop(id: string): Promise<TreeState | undefined>;
  /** Removes jobs that have ended, with their output: old ones, or with `all` each of them. */
  clean(options?: { readonly all?: boolean }): Cleaned;
}

/** @param stateDir - Absolute. */
export function keptJobs(stateDir: string): KeptJobs {
  const store = new JobStore(stateDir);
  const infoOf = (job: EarlierJob): KeptJob => {
    const { adopted: _, ...info } = job.info();
    const { record } = job.folder;
    return record.ended === undefined && !store.isLeft(record) ? { ...info, hostPid: record.host.pid } : info;
  };
  return {
    list: () => store.all().map((folder) => infoOf(new EarlierJob(folder, store))),
    newer: () =>
      store.ids().flatMap((id) => {
        const why = store.newer(id);
        return why === undefined ? [] : [{ id, why }];
      }),
    async stop(id) {
      const folder = store.find(id);
      return folder === undefined ? undefined : new EarlierJob(folder, store).end(DEFAULT_GRACE_MS);
    },
    clean(options = {}) {
      // Those whose host is gone may have ended without anybody to write it down.
      for (const folder of store.all()) new EarlierJob(folder, store).info();
      return store.clean(options);
    },
  };
}
