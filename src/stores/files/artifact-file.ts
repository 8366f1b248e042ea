/** The bytes of one stored output: the first and the last ones, in two files. */
import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type ArtifactPart, HaftError } from "../../kernel/index.js";
import { type ArtifactRecord, recordPath } from "./artifact-record.js";
import { unwritable } from "./state-directory.js";

export const headPath = (directory: string, id: string): string => join(directory, `${id}.head`);
export const tailPath = (directory: string, id: string): string => join(directory, `${id}.tail`);

/**
 * Bytes that can be read of an artifact whose writer is another process or was killed. If the ring buffer of the last bytes may
 * have wrapped around, their order is unknown and only the first part counts.
 */
export function foundBytes(directory: string, { id, partBytes }: ArtifactRecord): number {
  const tail = sizeOf(tailPath(directory, id));
  return sizeOf(headPath(directory, id)) + (tail < partBytes ? tail : 0);
}

/** Bytes used on disk, readable or not. */
export function diskBytes(directory: string, id: string): number {
  return sizeOf(headPath(directory, id)) + sizeOf(tailPath(directory, id));
}

/** Bytes from the start that were written before a write failed. */
export function firstBytes(directory: string, { id, partBytes }: ArtifactRecord): number {
  return Math.min(partBytes, sizeOf(headPath(directory, id)));
}

/** When one of its files was last written to, in milliseconds since the epoch; 0 if it has none. */
export function touchedMs(directory: string, id: string): number {
  const paths = [recordPath(directory, id), headPath(directory, id), tailPath(directory, id)];
  return Math.max(...paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

/** Bytes kept of an output of `producedBytes` when each part keeps `partBytes`. */
export function storedPartOf(producedBytes: number, partBytes: number): number {
  return Math.min(producedBytes, 2 * partBytes);
}

/**
 * Writes the bytes of one output as they arrive. The first `partBytes` go to one file; the rest goes to a ring buffer of the same
 * size in another file, which always contains the last bytes.
 */
export class ArtifactFile {
  #producedBytes = 0;
  #last: Promise<void> = Promise.resolve();
  #head: FileHandle | undefined;
  #tail: FileHandle | undefined;
  #failure: unknown;
  #spare: ArrayBuffer | undefined;
  #isClosed = false;

  constructor(
    readonly directory: string,
    readonly id: string,
    readonly partBytes: number,
  ) {}

  get producedBytes(): number {
    return this.#producedBytes;
  }

  /** A write failed: later bytes are counted but not stored. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** One write after another, in the order of the calls. @throws `STORE_CLOSED` after `close`. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#isClosed)
      throw new HaftError("STORE_CLOSED", `Did not write to the artifact "${this.id}": it has ended.`);
    // The caller may reuse its buffer before this write starts.
    const own = this.#copyOf(bytes);
    this.#last = this.#last.then(async () => {
      await this.#append(own);
      this.#spare = own.buffer;
    });
    await this.#last;
    if (this.#failure !== undefined) throw unwritable(this.directory, this.#failure);
  }

  /** Waits for the writes so far. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#head?.close();
    await this.#tail?.close();
    this.#head = undefined;
    this.#tail = undefined;
  }

  /** In the buffer of a write that is done, where it is large enough: the blocks of a long output are of one size. */
  #copyOf(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare === undefined || spare.byteLength < bytes.length) return new Uint8Array(bytes);
    const own = new Uint8Array(spare, 0, bytes.length);
    own.set(bytes);
    return own;
  }

  /** Bytes after a failure are counted, not stored, so the count stays exact. */
  async #append(bytes: Uint8Array): Promise<void> {
    const at = this.#producedBytes;
    this.#producedBytes += bytes.length;
    if (this.#failure !== undefined) return;
    try {
      const headBytes = Math.max(0, this.partBytes - at);
      if (headBytes > 0) {
        this.#head ??= await open(headPath(this.directory, this.id), "w", 0o600);
        await writeAll(this.#head, bytes.subarray(0, headBytes), at);
      }
      if (bytes.length > headBytes)
        await this.#around(bytes.subarray(headBytes), Math.max(at, this.partBytes) - this.partBytes);
    } catch (error) {
      this.#failure = error;
    }
  }

  async #around(bytes: Uint8Array, at: number): Promise<void> {
    this.#tail ??= await open(tailPath(this.directory, this.id), "w", 0o600);
    const skipped = Math.max(0, bytes.length - this.partBytes);
    const rest = bytes.subarray(skipped);
    const place = (at + skipped) % this.partBytes;
    const first = Math.min(rest.length, this.partBytes - place);
    await writeAll(this.#tail, rest.subarray(0, first), place);
    if (first < rest.length) await writeAll(this.#tail, rest.subarray(first), 0);
  }
}

/** At most `length` kept bytes from `offset` of the produced stream. */
export async function readArtifactPart(
  directory: string,
  id: string,
  size: Pick<ArtifactRecord, "producedBytes" | "partBytes" | "onlyFirst">,
  offset: number,
  length: number,
): Promise<ArtifactPart> {
  const { producedBytes, partBytes, onlyFirst } = size;
  if (onlyFirst !== undefined) {
    const from = Math.max(0, Math.min(offset, onlyFirst));
    const bytes = await readAt(headPath(directory, id), from, Math.max(0, Math.min(length, onlyFirst - from)));
    return { bytes, keptBytes: onlyFirst, producedBytes, gap: [onlyFirst, producedBytes] };
  }
  const keptBytes = storedPartOf(producedBytes, partBytes);
  const gapEnd = partBytes + (producedBytes - keptBytes);
  const from = Math.max(0, Math.min(offset, producedBytes));
  const wanted = Math.max(0, Math.min(length, producedBytes - from));
  const pieces: Uint8Array[] = [];
  if (from < partBytes) pieces.push(await readAt(headPath(directory, id), from, Math.min(wanted, partBytes - from)));
  // Continue from the head into the tail only if no bytes are missing between them.
  const isWhole = gapEnd === partBytes;
  const tailFrom = from < partBytes && isWhole ? partBytes : from;
  const tailWanted = wanted - (tailFrom - from);
  if (tailFrom >= gapEnd && tailWanted > 0) {
    const place = (tailFrom - partBytes) % partBytes;
    const first = Math.min(tailWanted, partBytes - place);
    pieces.push(await readAt(tailPath(directory, id), place, first));
    if (tailWanted > first) pieces.push(await readAt(tailPath(directory, id), 0, tailWanted - first));
  }
  const bytes = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
  return { bytes, keptBytes, producedBytes, ...(isWhole ? {} : { gap: [partBytes, gapEnd] as const }) };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
  }
}

async function readAt(path: string, position: number, length: number): Promise<Uint8Array> {
  if (length === 0) return new Uint8Array(0);
  const handle = await open(path, "r");
  try {
    const bytes = new Uint8Array(length);
    let got = 0;
    while (got < length) {
      const { bytesRead } = await handle.read(bytes, got, length - got, position + got);
      if (bytesRead === 0)
        throw new HaftError("STORE_CONFLICT", `Could not read "${path}": the file is shorter than its record says.`);
      got += bytesRead;
    }
    return bytes;
  } finally {
    await handle.close();
  }
}
