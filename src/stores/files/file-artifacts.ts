/** Outputs that did not fit an answer, kept on disk for one session. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { type ArtifactInfo, type Artifacts, artifactFault, HaftError } from "../../kernel/index.js";
import {
  ArtifactFile,
  type ArtifactRecord,
  firstBytes,
  foundBytes,
  keptOf,
  readPart,
  writeRecord,
} from "./artifact-file.js";
import { ArtifactIndex } from "./artifact-index.js";
import { type StateFolder, unwritable } from "./state-folder.js";

/** Bytes kept of the beginning and as many of the end of each artifact. */
export const ARTIFACT_PART_BYTES = 32 * 1024 * 1024;
/** Bytes that all artifacts of a session may take. */
export const ARTIFACT_QUOTA_BYTES = 256 * 1024 * 1024;

/** Bytes written between two looks at the folder, or an eighth of a smaller quota. */
const LOOK_EVERY_BYTES = 1024 * 1024;
/** What an artifact counts for beside its bytes, so that many small ones bring a look too. */
const RECORD_BYTES = 512;

type Counts = Pick<ArtifactInfo, "producedBytes" | "keptBytes">;

/** How much is kept of the outputs of a session. */
export interface FileArtifactsOptions {
  /** Default `ARTIFACT_PART_BYTES`. */
  readonly partBytes?: number;
  /** Default `ARTIFACT_QUOTA_BYTES`. */
  readonly quotaBytes?: number;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

export interface FileArtifacts extends Artifacts {
  /** Removes one for good: it then reads "unknown". False when it is not there. @throws `STORE_UNWRITABLE` */
  remove(id: string): boolean;
  /** Ends what is still being written. */
  close(): Promise<void>;
}

/**
 * The artifacts below `place` of the state folder; every process that opens the same place sees the same ones. The oldest
 * give way when the quota is passed, those still being written last; what gave way is still known and reads "evicted". Each
 * process looks after the quota once it has written 1 MiB, so that much may be kept beyond it. Reading makes nothing.
 *
 * `create` and `write` reject with `STORE_UNWRITABLE` when the disk refuses; bytes from then on are counted, not kept.
 * `close` ends what is still being written.
 */
export function fileArtifacts(
  state: StateFolder,
  place: readonly string[],
  options: FileArtifactsOptions = {},
): FileArtifacts {
  const { partBytes = ARTIFACT_PART_BYTES, quotaBytes = ARTIFACT_QUOTA_BYTES, now = Date.now } = options;
  const folder = join(state.path, ...place);
  const index = new ArtifactIndex(folder);
  /** Those that this process is writing. */
  const live = new Map<string, ArtifactFile>();
  const lookEveryBytes = Math.min(LOOK_EVERY_BYTES, quotaBytes / 8);
  let sinceLook = 0;
  let serial = 0;

  /** A record with the bytes that there are by now. */
  const current = (record: ArtifactRecord): ArtifactRecord => {
    const writing = live.get(record.id);
    if (writing === undefined && record.ended) return record;
    if (writing?.hasFailed === true) {
      const onlyFirst = firstBytes(folder, record);
      return { ...record, producedBytes: writing.producedBytes, keptBytes: onlyFirst, onlyFirst };
    }
    const producedBytes = writing?.producedBytes ?? foundBytes(folder, record);
    return { ...record, producedBytes, keptBytes: keptOf(producedBytes, record.partBytes) };
  };

  const find = (id: string): ArtifactRecord | "evicted" | "unknown" => {
    const record = index.find(id);
    return typeof record === "string" ? record : current(record);
  };

  const makeRoom = (): void => {
    const kept = index.all().map(current);
    let used = kept.reduce((sum, record) => sum + record.keptBytes, 0);
    const newest = kept.at(-1);
    const settledFirst = [...kept.filter((one) => !live.has(one.id)), ...kept.filter((one) => live.has(one.id))];
    for (const record of settledFirst) {
      if (used <= quotaBytes) return;
      if (record === newest) continue;
      index.evict(record.id);
      used -= record.keptBytes;
    }
  };

  /** A look at the folder for every chunk would cost more than the chunk. */
  const wrote = (bytes: number): void => {
    sinceLook += bytes;
    if (sinceLook < lookEveryBytes) return;
    sinceLook = 0;
    makeRoom();
  };

  /** Ends one that is still written; of one that has ended it tells what is kept by now. */
  const finish = async (id: string, file: ArtifactFile): Promise<Counts> => {
    const writing = live.get(id);
    await file.close();
    const { producedBytes } = file;
    const found = find(id);
    if (typeof found === "string") {
      live.delete(id);
      // Bytes that were written after it gave way may have made their file anew.
      index.evict(id);
      return { producedBytes, keptBytes: 0 };
    }
    const record = { ...found, ended: true };
    try {
      if (writing !== undefined) writeRecord(folder, record);
    } catch (error) {
      throw unwritable(folder, error);
    } finally {
      live.delete(id);
    }
    return { producedBytes, keptBytes: record.keptBytes };
  };

  return {
    async create(about) {
      const id = `a-${randomBytes(6).toString("hex")}`;
      const record: ArtifactRecord = {
        ...about,
        id,
        producedBytes: 0,
        keptBytes: 0,
        createdMs: now(),
        serial: serial++,
        partBytes,
        ended: false,
      };
      try {
        writeRecord(state.folder(...place), record);
        wrote(RECORD_BYTES);
      } catch (error) {
        throw HaftError.is(error) ? error : unwritable(folder, error);
      }
      const file = new ArtifactFile(folder, id, partBytes);
      live.set(id, file);
      return {
        id,
        async write(bytes) {
          await file.write(bytes);
          wrote(bytes.length);
        },
        end: () => finish(id, file),
        async discard() {
          await file.close().catch(() => {});
          live.delete(id);
          index.remove(id);
        },
      };
    },
    async read(id, offset, length) {
      const record = find(id);
      if (typeof record === "string") return record;
      return readPart(folder, id, record, offset, length).catch((error: unknown) => {
        // It gave way while it was being read.
        if (index.find(id) === "evicted") return "evicted" as const;
        throw error;
      });
    },
    async list() {
      return index.all().map(current).map(infoOf);
    },
    async export(id, fs, path) {
      const record = find(id);
      if (typeof record === "string") throw artifactFault(id, record);
      const head = await readPart(folder, id, record, 0, record.producedBytes);
      const gapEnd = head.gap?.[1] ?? record.producedBytes;
      const tail = await readPart(folder, id, record, gapEnd, record.producedBytes);
      const bytes = Buffer.concat([head.bytes, tail.bytes]);
      await fs.replaceAtomic(path, bytes, "any");
      return { bytes: bytes.length };
    },
    remove(id) {
      try {
        return index.remove(id);
      } catch (error) {
        throw unwritable(folder, error);
      }
    },
    async close() {
      // One whose record cannot be written any more still tells by its files what is kept of it.
      await Promise.allSettled([...live].map(([id, file]) => finish(id, file)));
    },
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
