import type { Fs, LinesPassed } from "../../kernel/index.js";
import type { TextForm } from "../../text/index.js";

/** Bytes that lines are read from: a file, or the stored part of an artifact. Offsets count from its start. */
export interface LineSource {
  readonly size: number;
  /** The first bytes, if they were read already. */
  readonly head?: Uint8Array;
  /** All bytes, if they are in memory. */
  readonly whole?: Uint8Array;
  range(offset: number, length: number): Promise<Uint8Array>;
  /** From `offset` on. In a scan a chunk is valid until the second one after it is requested. */
  chunks(offset: number, isScan: boolean): AsyncIterable<Uint8Array>;
  /** See `Fs.readPastLines`. */
  pastLines?(offset: number, newlines: number, length: number): Promise<LinesPassed | undefined>;
}

export function fileSource(fs: Fs, path: string, size: number, head: Uint8Array): LineSource {
  return {
    size,
    head,
    range: async (offset, length) => (await fs.readRange(path, offset, length)).bytes,
    chunks: (offset, isScan) => fs.openRead(path, { offset, isScan }),
    pastLines: async (offset, newlines, length) => fs.readPastLines?.(path, offset, newlines, length),
  };
}

export function memorySource(bytes: Uint8Array): LineSource {
  return {
    size: bytes.length,
    whole: bytes,
    range: async (offset, length) => bytes.subarray(offset, offset + length),
    chunks: async function* (offset) {
      if (offset < bytes.length) yield bytes.subarray(offset);
    },
  };
}

/** How lines end in an encoding: everywhere by the byte 10, in UTF-16 by a unit of two bytes. */
export interface LineTerminators {
  readonly unitBytes: 1 | 2;
  readonly bigEndian: boolean;
}

export function lineTerminatorsOf(form: Pick<TextForm, "encoding">): LineTerminators {
  return { unitBytes: form.encoding.startsWith("utf-16") ? 2 : 1, bigEndian: form.encoding === "utf-16be" };
}

/** Where the next line feed begins, from `from` on, a unit start; -1 when there is none. */
export function nextNewline(bytes: Uint8Array, from: number, ends: LineTerminators): number {
  if (ends.unitBytes === 1) return bytes.indexOf(10, from);
  const low = ends.bigEndian ? 1 : 0;
  for (let at = bytes.indexOf(10, from); at !== -1; at = bytes.indexOf(10, at + 1)) {
    const start = at - low;
    if (start >= from && (start - from) % 2 === 0 && bytes[start + 1 - low] === 0) return start;
  }
  return -1;
}

/** Reads one chunk ahead, for scans. */
export async function* readAhead(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const reading = chunks[Symbol.asyncIterator]();
  let next = reading.next();
  try {
    for (let step = await next; !step.done; step = await next) {
      next = reading.next();
      // The error is thrown when it is awaited; a scan that ends before does not need it.
      next.catch(() => {});
      yield step.value;
    }
  } finally {
    await reading.return?.();
  }
}

/** The same bytes in chunks that end between units. */
export async function* wholeUnits(chunks: AsyncIterable<Uint8Array>, unitBytes: 1 | 2): AsyncIterable<Uint8Array> {
  let odd: number | undefined;
  for await (const chunk of chunks) {
    if (unitBytes === 1) {
      yield chunk;
      continue;
    }
    const joined: Uint8Array = odd === undefined ? chunk : Uint8Array.from([odd, ...chunk.subarray(0, 1)]);
    const rest = odd === undefined ? chunk.subarray(0, 0) : chunk.subarray(1);
    odd = undefined;
    for (const part of [joined, rest]) {
      const even = part.length - (part.length % 2);
      if (even > 0) yield part.subarray(0, even);
      if (even < part.length) odd = part[even];
    }
  }
  if (odd !== undefined) yield Uint8Array.of(odd);
}
