/** The artifacts in one directory, written by this process or others, and their quota. */
import type { ArtifactInfo } from "../../kernel/index.js";
import { ArtifactFile, diskBytes, firstBytes, foundBytes, storedPartOf, touchedMs } from "./artifact-file.js";
import { ArtifactIndex } from "./artifact-index.js";
import { type ArtifactRecord, writeArtifactRecord } from "./artifact-record.js";
import { unwritable } from "./state-directory.js";

/** Bytes written between two scans of the directory, or an eighth of a smaller quota. */
const QUOTA_CHECK_BYTES = 1024 * 1024;
/** Counted for each artifact in addition to its bytes, so that many small ones cause a scan too. */
const RECORD_BYTES = 512;

/**
 * An unfinished artifact of another process counts as still being written until this many milliseconds after its last write:
 * longer than most commands are silent, and not too long if the process was killed.
 */
export const STILL_WRITTEN_MS = 10 * 60_000;

export class ArtifactStore {
  readonly #directory: string;
  readonly #quotaBytes: number;
  readonly #index: ArtifactIndex;
  /** The artifacts that this process is writing. */
  readonly #live = new Map<string, ArtifactFile>();
  #sinceCheck = 0;

  constructor(directory: string, quotaBytes: number) {
    this.#directory = directory;
    this.#quotaBytes = quotaBytes;
    this.#index = new ArtifactIndex(directory);
  }

  /** The directory must exist. @throws the system's error. */
  open(record: ArtifactRecord): ArtifactFile {
    writeArtifactRecord(this.#directory, record);
    this.wrote(RECORD_BYTES);
    const file = new ArtifactFile(this.#directory, record.id, record.partBytes);
    this.#live.set(record.id, file);
    return file;
  }

  find(id: string): ArtifactRecord | "evicted" | "unknown" {
    const record = this.#index.find(id);
    return typeof record === "string" ? record : this.#current(record);
  }

  /** Oldest first. */
  all(): readonly ArtifactRecord[] {
    return this.#index.all().map((record) => this.#current(record));
  }

  /** Ids of the artifacts whose records cannot be read. */
  damaged(): readonly string[] {
    this.#index.all();
    return this.#index.damaged;
  }

  remove(id: string): boolean {
    return this.#index.remove(id);
  }

  /** Scanning the directory for every chunk would cost more than writing the chunk. */
  wrote(bytes: number): void {
    this.#sinceCheck += bytes;
    if (this.#sinceCheck < Math.min(QUOTA_CHECK_BYTES, this.#quotaBytes / 8)) return;
    this.#sinceCheck = 0;
    this.#evictUntilFits();
  }

  /** Ends an artifact that is still being written; for an ended one, returns what is stored. @throws `STORE_UNWRITABLE` */
  async finish(file: ArtifactFile): Promise<Pick<ArtifactInfo, "producedBytes" | "keptBytes">> {
    const { id } = file;
    const isWritten = this.#live.has(id);
    await file.close();
    const { producedBytes } = file;
    const found = this.find(id);
    if (typeof found === "string") {
      this.#live.delete(id);
      // A write after the eviction may have recreated the file.
      this.#index.evict(id);
      return { producedBytes, keptBytes: 0 };
    }
    try {
      if (isWritten) writeArtifactRecord(this.#directory, { ...found, ended: true });
    } catch (error) {
      throw unwritable(this.#directory, error);
    } finally {
      this.#live.delete(id);
    }
    return { producedBytes, keptBytes: found.keptBytes };
  }

  async discard(file: ArtifactFile): Promise<void> {
    await file.close().catch(() => {});
    this.#live.delete(file.id);
    this.#index.forget(file.id);
  }

  /** If the record can no longer be written, the sizes of the files determine what is stored. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#live.values()].map((file) => this.finish(file)));
  }

  /** A record with the bytes stored so far. */
  #current(record: ArtifactRecord): ArtifactRecord {
    const writing = this.#live.get(record.id);
    if (writing === undefined && record.ended) return record;
    if (writing?.hasFailed === true) {
      const onlyFirst = firstBytes(this.#directory, record);
      return { ...record, producedBytes: writing.producedBytes, keptBytes: onlyFirst, onlyFirst };
    }
    const producedBytes = writing?.producedBytes ?? foundBytes(this.#directory, record);
    return { ...record, producedBytes, keptBytes: storedPartOf(producedBytes, record.partBytes) };
  }

  #evictUntilFits(): void {
    const kept = this.all();
    let used = kept.reduce((sum, record) => sum + this.#storedBytes(record), 0);
    if (used <= this.#quotaBytes) return;
    const newest = kept.at(-1);
    const written = new Set(kept.filter((record) => this.#isWritten(record)));
    for (const record of [...kept.filter((one) => !written.has(one)), ...written]) {
      if (used <= this.#quotaBytes) return;
      if (record === newest) continue;
      used -= this.#storedBytes(record);
      this.#index.evict(record.id);
    }
  }

  #storedBytes({ id, ended, keptBytes }: ArtifactRecord): number {
    return ended || this.#live.has(id) ? keptBytes : diskBytes(this.#directory, id);
  }

  #isWritten({ id, ended }: ArtifactRecord): boolean {
    if (this.#live.has(id)) return true;
    // The system's time, since it is compared with modification times.
    return !ended && Date.now() - touchedMs(this.#directory, id) < STILL_WRITTEN_MS;
  }
}
