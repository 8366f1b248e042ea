/** Output that did not fit into a result, stored on disk for one session. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import {
  type ArtifactInfo,
  type Artifacts,
  type ArtifactWriter,
  artifactFault,
  HaftError,
} from "../../kernel/index.js";
import { type ArtifactFile, readArtifactPart } from "./artifact-file.js";
import type { ArtifactRecord } from "./artifact-record.js";
import { ArtifactStore } from "./artifact-store.js";
import { type StateDirectory, unwritable } from "./state-directory.js";

/** Bytes stored of the start of each artifact, and as many of its end. */
export const ARTIFACT_PART_BYTES = 32 * 1024 * 1024;
/** Bytes that all artifacts of a session may take. */
export const ARTIFACT_QUOTA_BYTES = 256 * 1024 * 1024;

/** How much is stored of the outputs of a session. */
export interface FileArtifactsOptions {
  /** Default `ARTIFACT_PART_BYTES`. */
  readonly partBytes?: number;
  /** Default `ARTIFACT_QUOTA_BYTES`. */
  readonly quotaBytes?: number;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

export interface FileArtifacts extends Artifacts {
  /** Deletes an artifact; `read` then returns "unknown". False if there is none. @throws `STORE_UNWRITABLE` */
  remove(id: string): boolean;
  /** Ids of the artifacts whose records cannot be read: `list` omits them, `read` rejects with `STORE_CONFLICT`. */
  damaged(): readonly string[];
  /** Ends the artifacts that are still being written. */
  close(): Promise<void>;
}

/**
 * The artifacts below `place` of the state directory, shared by all processes that open the same place. Over the quota, the
 * oldest are evicted; those still being written come last, except for those of another process that has not written for
 * `STILL_WRITTEN_MS`. `read` returns "evicted" for them. Each process checks the quota once per MiB that it
 * writes, so the quota may be exceeded by that much. Reading creates no files.
 *
 * `create` and `write` reject with `STORE_UNWRITABLE` if writing fails; later bytes are counted, not stored.
 * `close` ends the artifacts that are still being written.
 */
export function fileArtifacts(
  state: StateDirectory,
  place: readonly string[],
  options: FileArtifactsOptions = {},
): FileArtifacts {
  const { partBytes = ARTIFACT_PART_BYTES, quotaBytes = ARTIFACT_QUOTA_BYTES, now = Date.now } = options;
  const directory = join(state.path, ...place);
  const store = new ArtifactStore(directory, quotaBytes);
  let serial = 0;
  return {
    async create(about) {
      const id = `a-${randomBytes(6).toString("hex")}`;
      const counts = { producedBytes: 0, keptBytes: 0 };
      const record = { ...about, ...counts, id, createdMs: now(), serial: serial++, partBytes, ended: false };
      try {
        state.directory(...place);
        return writerOf(store, store.open(record));
      } catch (error) {
        throw HaftError.is(error) ? error : unwritable(directory, error);
      }
    },
    async read(id, offset, length) {
      const record = store.find(id);
      if (typeof record === "string") return record;
      return readArtifactPart(directory, id, record, offset, length).catch((error: unknown) => {
        // It was evicted while it was being read.
        if (store.find(id) === "evicted") return "evicted" as const;
        throw error;
      });
    },
    async list() {
      return store.all().map(infoOf);
    },
    async export(id, fs, path) {
      const record = store.find(id);
      if (typeof record === "string") throw artifactFault(id, record);
      const head = await readArtifactPart(directory, id, record, 0, record.producedBytes);
      const gapEnd = head.gap?.[1] ?? record.producedBytes;
      const tail = await readArtifactPart(directory, id, record, gapEnd, record.producedBytes);
      const bytes = Buffer.concat([head.bytes, tail.bytes]);
      await fs.replaceAtomic(path, bytes, "any");
      return { bytes: bytes.length };
    },
    remove(id) {
      try {
        return store.remove(id);
      } catch (error) {
        throw unwritable(directory, error);
      }
    },
    damaged: () => store.damaged(),
    close: () => store.close(),
  };
}

function writerOf(store: ArtifactStore, file: ArtifactFile): ArtifactWriter {
  return {
    id: file.id,
    async write(bytes) {
      await file.write(bytes);
      store.wrote(bytes.length);
    },
    end: () => store.finish(file),
    discard: () => store.discard(file),
  };
}

function infoOf(record: ArtifactRecord): ArtifactInfo {
  const { id, what, producedBytes, keptBytes, createdMs, provenance, tool } = record;
  return {
    id,
    what,
    producedBytes,
    keptBytes,
    createdMs,
    ...(provenance === undefined ? {} : { provenance }),
    ...(tool === undefined ? {} : { tool }),
  };
}
