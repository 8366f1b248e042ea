/** The artifacts in a directory: a record for each, and a marker for each evicted one. */
import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HaftError } from "../../kernel/index.js";
import { headPath, tailPath } from "./artifact-file.js";
import { type ArtifactRecord, readArtifactRecord, recordPath } from "./artifact-record.js";

const ID = /^[a-z0-9-]{1,40}$/;
const RECORD = ".json";

/** The directory is shared: other processes add artifacts and evict the oldest. */
export class ArtifactIndex {
  readonly #directory: string;
  /** Cache of final records, so that only new ones are read. */
  #ended: ReadonlyMap<string, ArtifactRecord> = new Map();
  #damaged: readonly string[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Ids of the damaged records that the last `all` omitted. */
  get damaged(): readonly string[] {
    return this.#damaged;
  }

  /** The current record; "evicted" for an evicted artifact. @throws `STORE_CONFLICT` when it is damaged. */
  find(id: string): ArtifactRecord | "evicted" | "unknown" {
    if (!ID.test(id)) return "unknown";
    return readArtifactRecord(this.#directory, id) ?? (existsSync(this.#markerPath(id)) ? "evicted" : "unknown");
  }

  /** All records, oldest first, without damaged ones. */
  all(): readonly ArtifactRecord[] {
    const ended = new Map<string, ArtifactRecord>();
    const records: ArtifactRecord[] = [];
    const damaged: string[] = [];
    for (const name of this.#names()) {
      if (!name.endsWith(RECORD)) continue;
      const id = name.slice(0, -RECORD.length);
      if (!ID.test(id)) continue;
      const record = this.#ended.get(id) ?? this.#readable(id, damaged);
      if (record === undefined) continue;
      if (record.ended) ended.set(id, record);
      records.push(record);
    }
    this.#ended = ended;
    this.#damaged = damaged;
    return records.sort((one, other) => one.createdMs - other.createdMs || one.serial - other.serial);
  }

  /** Deletes the bytes and leaves a marker. Idempotent, also across processes. */
  evict(id: string): void {
    try {
      renameSync(recordPath(this.#directory, id), this.#markerPath(id));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
    this.#removeBytes(id);
  }

  /** Deletes the record and then the bytes, so that no reader finds a partial artifact. False when there is none. */
  remove(id: string): boolean {
    if (!ID.test(id) || !existsSync(recordPath(this.#directory, id))) return false;
    rmSync(recordPath(this.#directory, id), { force: true, recursive: true });
    this.#removeBytes(id);
    return true;
  }

  /** As `remove`, and also deletes the marker of an evicted artifact and bytes written after the eviction. */
  forget(id: string): void {
    if (this.remove(id)) return;
    this.#removeBytes(id);
    rmSync(this.#markerPath(id), { force: true });
  }

  #readable(id: string, damaged: string[]): ArtifactRecord | undefined {
    try {
      return readArtifactRecord(this.#directory, id);
    } catch (error) {
      if (!HaftError.is(error, "STORE_CONFLICT")) throw error;
      damaged.push(id);
      return undefined;
    }
  }

  #removeBytes(id: string): void {
    rmSync(headPath(this.#directory, id), { force: true });
    rmSync(tailPath(this.#directory, id), { force: true });
  }

  #markerPath(id: string): string {
    return join(this.#directory, `${id}.evicted`);
  }

  #names(): readonly string[] {
    try {
      return readdirSync(this.#directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw error;
    }
  }
}
