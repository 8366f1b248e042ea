/** Outputs that did not fit an answer, kept in this process. */
import { type ArtifactInfo, type Artifacts, HaftError, type Ids } from "../../kernel/index.js";

export interface MemoryArtifactsOptions {
  readonly ids: Ids;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Bytes kept of the beginning and as many of the end of each. Default 1 MiB: memory is dearer than disk. */
  readonly partBytes?: number;
  /** Bytes that all of them may take; the oldest give way. Default 32 MiB. */
  readonly quotaBytes?: number;
}

interface Kept {
  readonly info: Omit<ArtifactInfo, "producedBytes" | "keptBytes">;
  head: Uint8Array;
  tail: Uint8Array;
  producedBytes: number;
  isEvicted: boolean;
  isEnded: boolean;
}

/** The artifacts of one session, lost with the process. */
export function memoryArtifacts(options: MemoryArtifactsOptions): Artifacts {
  const { ids, now, partBytes = 1 << 20, quotaBytes = 32 << 20 } = options;
  const all = new Map<string, Kept>();

  const makeRoom = (newest: Kept): void => {
    let used = 0;
    for (const kept of all.values()) used += keptBytes(kept);
    for (const kept of all.values()) {
      if (used <= quotaBytes) return;
      if (kept === newest || kept.isEvicted) continue;
      used -= keptBytes(kept);
      kept.isEvicted = true;
      kept.head = kept.tail = new Uint8Array(0);
    }
  };

  return {
    async create(about) {
      const id = ids.next("a");
      const kept: Kept = {
        info: { ...about, id, createdMs: now() },
        head: new Uint8Array(0),
        tail: new Uint8Array(0),
        producedBytes: 0,
        isEvicted: false,
        isEnded: false,
      };
      all.set(id, kept);
      return {
        id,
        async write(bytes) {
          if (kept.isEnded) {
            throw new HaftError("STORE_CLOSED", `Did not write to the artifact "${id}": it has ended.`);
          }
          kept.producedBytes += bytes.length;
          if (kept.isEvicted) return;
          const room = partBytes - kept.head.length;
          if (room > 0) kept.head = joined(kept.head, bytes.subarray(0, room));
          const rest = bytes.subarray(Math.max(0, room));
          if (rest.length > 0) kept.tail = joined(kept.tail, rest).slice(-partBytes);
          makeRoom(kept);
        },
        async end() {
          kept.isEnded = true;
          return { producedBytes: kept.producedBytes, keptBytes: keptBytes(kept) };
        },
      };
    },
    async read(id, offset, length) {
      const kept = all.get(id);
      if (kept === undefined) return "unknown";
      if (kept.isEvicted) return "evicted";
      const { head, tail, producedBytes } = kept;
      const tailStart = producedBytes - tail.length;
      const from = Math.max(0, offset);
      const fromHead = head.slice(from, from + length);
      // Straight on from the head into the tail, but never across bytes that are missing between them.
      const isWhole = tailStart === head.length;
      const tailFrom = from < head.length && isWhole ? head.length : from;
      const wanted = length - (tailFrom - from);
      const fromTail =
        tailFrom >= tailStart && wanted > 0
          ? tail.slice(tailFrom - tailStart, tailFrom - tailStart + wanted)
          : tail.slice(0, 0);
      return {
        bytes: joined(fromHead, fromTail),
        keptBytes: keptBytes(kept),
        producedBytes,
        ...(isWhole ? {} : { gap: [head.length, tailStart] as const }),
      };
    },
    async list() {
      const kept = [...all.values()].filter((one) => !one.isEvicted);
      return kept.map((one) => ({ ...one.info, producedBytes: one.producedBytes, keptBytes: keptBytes(one) }));
    },
    async export(id, fs, path) {
      const kept = all.get(id);
      if (kept === undefined)
        throw new HaftError("ARTIFACT_UNKNOWN", `Did not export "${id}": this session has no such artifact.`, {
          details: { id },
        });
      if (kept.isEvicted)
        throw new HaftError(
          "ARTIFACT_EVICTED",
          `Did not export "${id}": it gave way to newer artifacts. Run the command again.`,
          { details: { id } },
        );
      const bytes = joined(kept.head, kept.tail);
      await fs.replaceAtomic(path, bytes, "any");
      return { bytes: bytes.length };
    },
  };
}

function keptBytes(kept: Kept): number {
  return kept.head.length + kept.tail.length;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return Uint8Array.from(second);
  if (second.length === 0) return first;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
