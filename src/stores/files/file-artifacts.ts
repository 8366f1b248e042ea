/** Outputs that did not fit an answer, kept on disk for one session. */
import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type ArtifactInfo, type Artifacts, HaftError } from "../../kernel/index.js";
import {
  ArtifactFile,
  type ArtifactRecord,
  foundBytes,
  headPath,
  keptOf,
  readPart,
  readRecord,
  tailPath,
  writeRecord,
} from "./artifact-file.js";
import { type StateFolder, unwritable } from "./state-folder.js";

/** Bytes kept of the beginning and as many of the end of each artifact. */
export const ARTIFACT_PART_BYTES = 32 * 1024 * 1024;
/** Bytes that all artifacts of a session may take. */
export const ARTIFACT_QUOTA_BYTES = 256 * 1024 * 1024;

export interface FileArtifactsOptions {
  /** Default `ARTIFACT_PART_BYTES`. */
  readonly partBytes?: number;
  /** Default `ARTIFACT_QUOTA_BYTES`. */
  readonly quotaBytes?: number;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

const ID = /^[a-z0-9-]{1,40}$/;

/**
 * The artifacts below `place` of the state folder; every process that opens the same place sees the same ones. The oldest
 * give way when the quota is passed, those still being written last; what gave way is still known and reads "evicted".
 * Reading makes nothing.
 *
 * `create` and `write` reject with `STORE_UNWRITABLE` when the disk refuses; bytes from then on are counted, not kept.
 * `close` ends what is still being written.
 */
export function fileArtifacts(
  state: StateFolder,
  place: readonly string[],
  options: FileArtifactsOptions = {},
): Artifacts & { close(): Promise<void> } {
  const { partBytes = ARTIFACT_PART_BYTES, quotaBytes = ARTIFACT_QUOTA_BYTES, now = Date.now } = options;
  const folder = join(state.path, ...place);
  const live = new Map<string, { readonly file: ArtifactFile; readonly record: ArtifactRecord }>();
  let sinceLook = 0;
  let serial = 0;

  const current = (record: ArtifactRecord): ArtifactRecord => {
    const writing = live.get(record.id);
    if (writing === undefined && record.ended) return record;
    const producedBytes = writing?.file.producedBytes ?? foundBytes(folder, record);
    return { ...record, producedBytes, keptBytes: keptOf(producedBytes, record.partBytes) };
  };

  const find = (id: string): ArtifactRecord | undefined => {
    const record = ID.test(id) ? readRecord(folder, id) : undefined;
    return record === undefined ? undefined : current(record);
  };

  const all = (): ArtifactRecord[] => {
    const records = names(folder).map(find);
    return records
      .filter((record) => record !== undefined)
      .sort((a, b) => a.createdMs - b.createdMs || a.serial - b.serial);
  };

  const makeRoom = (): void => {
    const kept = all().filter((record) => record.evicted === undefined);
    let used = kept.reduce((sum, record) => sum + record.keptBytes, 0);
    const newest = kept.at(-1);
    const settledFirst = [...kept.filter((one) => !live.has(one.id)), ...kept.filter((one) => live.has(one.id))];
    for (const record of settledFirst) {
      if (used <= quotaBytes) return;
      if (record === newest) continue;
      writeRecord(folder, { ...record, evicted: true });
      rmSync(headPath(folder, record.id), { force: true });
      rmSync(tailPath(folder, record.id), { force: true });
      used -= record.keptBytes;
    }
  };

  const finish = async (id: string): Promise<ArtifactRecord> => {
    const writing = live.get(id);
    if (writing === undefined) return find(id) ?? lost(id);
    await writing.file.close();
    const before = find(id) ?? writing.record;
    live.delete(id);
    const record = { ...before, ended: true };
    try {
      writeRecord(folder, record);
      makeRoom();
    } catch (error) {
      throw unwritable(folder, error);
    }
    return record;
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
        makeRoom();
      } catch (error) {
        throw HaftError.is(error) ? error : unwritable(folder, error);
      }
      const file = new ArtifactFile(folder, id, partBytes);
      live.set(id, { file, record });
      return {
        id,
        async write(bytes) {
          await file.write(bytes);
          sinceLook += bytes.length;
          // A look at the folder for every chunk would cost more than the chunk.
          if (sinceLook < Math.min(1 << 20, quotaBytes / 8)) return;
          sinceLook = 0;
          makeRoom();
        },
        async end() {
          const { producedBytes, keptBytes } = await finish(id);
          return { producedBytes, keptBytes };
        },
      };
    },
    async read(id, offset, length) {
      const record = find(id);
      if (record === undefined) return "unknown";
      if (record.evicted) return "evicted";
      return readPart(folder, id, record, offset, length).catch((error: unknown) => {
        if (find(id)?.evicted) return "evicted" as const;
        throw error;
      });
    },
    async list() {
      return all()
        .filter((record) => record.evicted === undefined)
        .map(infoOf);
    },
    async export(id, fs, path) {
      const record = find(id);
      if (record === undefined)
        throw new HaftError("ARTIFACT_UNKNOWN", `Did not export "${id}": this session has no such artifact.`, {
          details: { id },
        });
      if (record.evicted) throw evicted(id);
      const head = await readPart(folder, id, record, 0, record.producedBytes);
      const gapEnd = head.gap?.[1] ?? record.producedBytes;
      const tail = await readPart(folder, id, record, gapEnd, record.producedBytes);
      const bytes = Buffer.concat([head.bytes, tail.bytes]);
      await fs.replaceAtomic(path, bytes, "any");
      return { bytes: bytes.length };
    },
    async close() {
      await Promise.all([...live.keys()].map(finish));
    },
  };
}

function names(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : []));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function infoOf(record: ArtifactRecord): ArtifactInfo {
  const { id, what, producedBytes, keptBytes, createdMs, provenance } = record;
  return { id, what, producedBytes, keptBytes, createdMs, ...(provenance === undefined ? {} : { provenance }) };
}

function evicted(id: string): HaftError {
  return new HaftError(
    "ARTIFACT_EVICTED",
    `Did not export "${id}": it gave way to newer artifacts. Run the command again.`,
    { details: { id } },
  );
}

function lost(id: string): never {
  throw new HaftError("ARTIFACT_UNKNOWN", `The record of the artifact "${id}" is gone: its folder was removed.`, {
    details: { id },
  });
}
