/** Outputs that did not fit an answer, kept in this process. */
import {
  type ArtifactInfo,
  type ArtifactPart,
  type Artifacts,
  type ArtifactWriter,
  artifactFault,
  BoundedSet,
  HaftError,
  type Ids,
} from "../../kernel/index.js";
import { concatBytes, HeadTailBuffer } from "../../text/index.js";
import type { LocalSession } from "../document-session.js";

/** What artifacts in memory are made of, and how much they keep. */
export interface MemoryArtifactsOptions {
  readonly ids: Ids;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Bytes kept of the beginning and as many of the end of each. Default 1 MiB: lower than on disk, because it uses memory. */
  readonly partBytes?: number;
  /** Maximum bytes of all artifacts; the oldest are evicted. Default 32 MiB. */
  readonly quotaBytes?: number;
}

/** Maximum number of evicted artifacts that are still distinguished from unknown ones. */
const MAX_EVICTED_IDS = 10_000;

interface StoredArtifact {
  readonly info: Omit<ArtifactInfo, "producedBytes" | "keptBytes">;
  readonly buffer: HeadTailBuffer;
}

/** The artifacts of one session, lost with the process. */
export function memoryArtifacts(options: MemoryArtifactsOptions): Artifacts {
  const { ids, now, partBytes = 1 << 20, quotaBytes = 32 << 20 } = options;
  const store = new ArtifactStore(quotaBytes);
  return {
    async create(about) {
      const id = ids.next("a");
      const kept = { info: { ...about, id, createdMs: now() }, buffer: new HeadTailBuffer(partBytes, partBytes) };
      return writerOf(store, kept);
    },
    async read(id, offset, length) {
      const kept = store.find(id);
      return typeof kept === "string" ? kept : partOf(kept.buffer, Math.max(0, offset), length);
    },
    async list() {
      return store.all().map(({ info, buffer }) => ({
        ...info,
        producedBytes: buffer.produced,
        keptBytes: keptBytes(buffer),
      }));
    },
    async export(id, fs, path) {
      const kept = store.find(id);
      if (typeof kept === "string") throw artifactFault(id, kept);
      const bytes = concatBytes([kept.buffer.head(), kept.buffer.tail()]);
      await fs.replaceAtomic(path, bytes, "any");
      return { bytes: bytes.length };
    },
  };
}

/** Those that are kept, within the quota. */
class ArtifactStore {
  readonly #quotaBytes: number;
  readonly #live = new Map<string, StoredArtifact>();
  readonly #evicted = new BoundedSet<string>(MAX_EVICTED_IDS);
  #usedBytes = 0;

  constructor(quotaBytes: number) {
    this.#quotaBytes = quotaBytes;
  }

  add(kept: StoredArtifact): void {
    this.#live.set(kept.info.id, kept);
  }

  find(id: string): StoredArtifact | "evicted" | "unknown" {
    return this.#live.get(id) ?? (this.#evicted.has(id) ? "evicted" : "unknown");
  }

  /** Oldest first. */
  all(): readonly StoredArtifact[] {
    return [...this.#live.values()];
  }

  /** False where it gave way before. Others may have to now. */
  push(kept: StoredArtifact, bytes: Uint8Array): boolean {
    if (!this.#live.has(kept.info.id)) return false;
    const before = keptBytes(kept.buffer);
    kept.buffer.push(bytes);
    this.#usedBytes += keptBytes(kept.buffer) - before;
    for (const one of this.#live.values()) {
      if (this.#usedBytes <= this.#quotaBytes) break;
      if (one === kept) continue;
      this.#drop(one);
      this.#evicted.add(one.info.id);
    }
    return true;
  }

  /** From now on it is unknown. */
  forget(kept: StoredArtifact): void {
    this.#drop(kept);
    this.#evicted.delete(kept.info.id);
  }

  #drop(kept: StoredArtifact): void {
    if (this.#live.delete(kept.info.id)) this.#usedBytes -= keptBytes(kept.buffer);
  }
}

function writerOf(store: ArtifactStore, kept: StoredArtifact): ArtifactWriter {
  const { id } = kept.info;
  /** Bytes written after the artifact was evicted: counted, not stored. */
  let droppedBytes = 0;
  let ended: { readonly producedBytes: number; readonly keptBytes: number } | undefined;
  store.add(kept);
  return {
    id,
    async write(bytes) {
      if (ended !== undefined) {
        throw new HaftError("STORE_CLOSED", `Did not write to the artifact "${id}": it has ended.`);
      }
      if (!store.push(kept, bytes)) droppedBytes += bytes.length;
    },
    async end() {
      ended ??= {
        producedBytes: kept.buffer.produced + droppedBytes,
        keptBytes: store.find(id) === kept ? keptBytes(kept.buffer) : 0,
      };
      return ended;
    },
    async discard() {
      ended ??= { producedBytes: 0, keptBytes: 0 };
      store.forget(kept);
    },
  };
}

/** Straight on from the head into the tail, but never across bytes that are missing between them. */
function partOf(buffer: HeadTailBuffer, from: number, length: number): ArtifactPart {
  const { produced: producedBytes } = buffer;
  const head = buffer.head();
  const tail = buffer.tail();
  const tailStart = producedBytes - tail.length;
  const fromHead = head.subarray(from, from + length);
  const isWhole = tailStart === head.length;
  const tailFrom = from < head.length && isWhole ? head.length : from;
  const wanted = length - (tailFrom - from);
  const fromTail =
    tailFrom >= tailStart && wanted > 0
      ? tail.subarray(tailFrom - tailStart, tailFrom - tailStart + wanted)
      : tail.subarray(0, 0);
  return {
    bytes: concatBytes([fromHead, fromTail]),
    keptBytes: keptBytes(buffer),
    producedBytes,
    ...(isWhole ? {} : { gap: [head.length, tailStart] as const }),
  };
}

function keptBytes(buffer: HeadTailBuffer): number {
  return buffer.produced - buffer.omittedBytes;
}

/** What a session has on this machine, with artifacts in memory. */
export function memoryLocalSession(artifacts: Artifacts): LocalSession {
  return { artifacts, hold() {}, touch() {}, isGone: () => false, async close() {}, async end() {} };
}
