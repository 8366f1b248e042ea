/** Jobs of earlier hosts in the state directory. */
import { HaftError, type JobInfo, type Lifetime } from "../../../kernel/index.js";
import type { JobStore } from "./job-store.js";
import { RecoveredJob } from "./recovered-job.js";

/** An ended job that the next host reports. */
export interface EndedJob {
  readonly id: string;
  readonly command: string;
  readonly lifetime: Lifetime;
  readonly endedMs: number;
}

export class RecoveredJobs {
  readonly #store: JobStore;
  readonly #known = new Map<string, RecoveredJob>();
  readonly #isOwn: (id: string) => boolean;
  #isCleaned = false;

  /** @param isOwn - Whether this backend started the job. */
  constructor(store: JobStore, isOwn: (id: string) => boolean) {
    this.#store = store;
    this.#isOwn = isOwn;
  }

  /** Undefined for an unknown job, and for one of a running host. */
  find(id: string): RecoveredJob | undefined {
    if (this.#isOwn(id)) return undefined;
    const known = this.#known.get(id);
    if (known !== undefined && !known.isForgotten) return known;
    const directory = this.#store.find(id);
    if (directory === undefined || !this.#isFree(directory.record)) return undefined;
    const job = new RecoveredJob(directory, this.#store);
    this.#known.set(id, job);
    return job;
  }

  /** @throws `STORE_NEWER` for a job that only a newer version can read. */
  requireKnown(id: string): void {
    const why = this.#isOwn(id) ? undefined : this.#store.newer(id);
    if (why !== undefined) throw new HaftError("STORE_NEWER", `Did not read "${id}": ${why}.`, { details: { id } });
  }

  /** Oldest first. */
  all(): readonly RecoveredJob[] {
    return this.#store
      .ids()
      .map((id) => this.find(id))
      .filter((job) => job !== undefined);
  }

  infos(): readonly JobInfo[] {
    return this.all().map((job) => job.info());
  }

  /** Jobs that ended with their host or later and were not reported yet. Expired ones are removed first. */
  takeEnded(): readonly EndedJob[] {
    if (!this.#isCleaned) this.#store.clean();
    this.#isCleaned = true;
    const reported: EndedJob[] = [];
    for (const job of this.all()) {
      const info = job.info();
      const { directory } = job;
      if (info.status !== "ended" || directory.record.isReported === true) continue;
      directory.update({ isReported: true });
      reported.push({ id: job.id, command: info.command, lifetime: info.lifetime, endedMs: info.endedMs ?? 0 });
    }
    return reported;
  }

  /** Its host is gone, or it has ended. */
  #isFree(record: Parameters<JobStore["isLeft"]>[0]): boolean {
    return record.ended !== undefined || this.#store.isLeft(record);
  }
}
