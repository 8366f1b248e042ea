/** Outputs that did not fit an answer, kept in this process. */
import {
  type ArtifactInfo,
  type ArtifactPart,
  type Artifacts,
  artifactFault,
  BoundedSet,
  HaftError,
  type Ids,
} from "../../kernel/index.js";
import { concatBytes, HeadTailBuffer } from "../../text/index.js";

/** What artifacts in memory are made of, and how much they keep. */
export interface MemoryArtifactsOptions {
  readonly ids: Ids;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Bytes kept of the beginning and as many of the end of each. Default 1 MiB: memory is dearer than disk. */
  readonly partBytes?: number;
  /** Bytes that all of them may take; the oldest give way. Default 32 MiB. */
  readonly quotaBytes?: number;
}

/** Evicted artifacts that are still told from unknown ones. */
const MAX_EVICTED_IDS = 10_000;

interface Kept {
  readonly info: Omit<ArtifactInfo, "producedBytes" | "keptBytes">;
  readonly buffer: HeadTailBuffer;
}

/** The artifacts of one session, lost with the process. */
export function memoryArtifacts(options: MemoryArtifactsOptions): Artifacts {
  const { ids, now, partBytes = 1 << 20, quotaBytes = 32 << 20 } = options;
  const live = new Map<string, Kept>();
  const evicted = new BoundedSet<string>(MAX_EVICTED_IDS);
  let usedBytes = 0;

  const makeRoom = (newest: Kept): void => {
    for (const [id, kept] of live) {
      if (usedBytes <= quotaBytes) return;
      if (kept === newest) continue;
      usedBytes -= keptBytes(kept.buffer);
      live.delete(id);
      evicted.add(id);
    }
  };

  return {
    async create(about) {
      const id = ids.next("a");
      const kept = { info: { ...about, id, createdMs: now() }, buffer: new HeadTailBuffer(partBytes, partBytes) };
      live.set(id, kept);
      /** Bytes that came after the artifact had to give way: counted, not kept. */
      let lostBytes = 0;
      let ended: { readonly producedBytes: number; readonly keptBytes: number } | undefined;
      return {
        id,
        async write(bytes) {
          if (ended !== undefined) {
            throw new HaftError("STORE_CLOSED", `Did not write to the artifact "${id}": it has ended.`);
          }
          if (!live.has(id)) {
            lostBytes += bytes.length;
            return;
          }
          const before = keptBytes(kept.buffer);
          kept.buffer.push(bytes);
          usedBytes += keptBytes(kept.buffer) - before;
          makeRoom(kept);
        },
        async end() {
          ended ??= {
            producedBytes: kept.buffer.produced + lostBytes,
            keptBytes: live.has(id) ? keptBytes(kept.buffer) : 0,
          };
          return ended;
        },
        async discard() {
          ended ??= { producedBytes: 0, keptBytes: 0 };
          if (live.delete(id)) usedBytes -= keptBytes(kept.buffer);
          evicted.delete(id);
        },
      };
    },
    async read(id, offset, length) {
      const kept = live.get(id);
      if (kept === undefined) return evicted.has(id) ? "evicted" : "unknown";
      return partOf(kept.buffer, Math.max(0, offset), length);
    },
    async list() {
      return [...live.values()].map(({ info, buffer }) => ({
        ...info,
        producedBytes: buffer.produced,
        keptBytes: keptBytes(buffer),
      }));
    },
    async export(id, fs, path) {
      const kept = live.get(id);
      if (kept === undefined) throw artifactFault(id, evicted.has(id) ? "evicted" : "unknown");
      const bytes = concatBytes([kept.buffer.head(), kept.buffer.tail()]);
      await fs.replaceAtomic(path, bytes, "any");
      return { bytes: bytes.length };
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
  return buffer.produced - buffer.dropped;
}
