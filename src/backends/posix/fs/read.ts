/** Bytes of a far file, block by block. */
import { randomBytes } from "node:crypto";
import { type Access, FS_OPERATIONS, HaftError } from "../../../kernel/index.js";
import { BLOCK_BYTES } from "../channel/bulk-channel.js";
import type { OperationDeadline } from "./deadline.js";
import { readEntryLine } from "./entry-line.js";
import { remoteFsFault } from "./faults.js";
import type { FsGuard } from "./guard.js";

export interface FilePart {
  readonly bytes: Uint8Array;
  /** Where the bytes begin in the file. */
  readonly from: number;
  /** Of the whole file, when it was opened. */
  readonly size: number;
  readonly version: string;
}

/** Blocks that are asked for ahead of the one that is awaited, so that the distance costs nothing. */
const AHEAD = 3;
/** Digits at the end of an answer: how many of its bytes are the file's; a file may hold less than it tells. */
const COUNT_DIGITS = 10;
/** What stands there instead of the digits where the system could not read them. */
const UNREADABLE = "unreadable";
/** Times that a file is read which others keep replacing. */
const MAX_TRIES = 10;

/** A file that is read in one go or in parts. */
export interface RemoteFile {
  readonly path: string;
  /** What the grant must cover: a write may look at what it replaces. Default "read". */
  readonly access?: Access;
  /** A name of this reading: the far side keeps the file open for its next part. */
  readonly stream?: string;
}

/** A file whose parts are asked for one after the other. To be closed with `closeFile` if it is not read to its end. */
export function openRemoteFile(path: string, access: Access = "read"): RemoteFile {
  return { path, access, stream: randomBytes(6).toString("hex") };
}

/** Tells the far side that no more parts will be asked for. */
export function closeFile(guard: FsGuard, { stream }: RemoteFile): void {
  if (stream !== undefined) guard.bulk.request("shut", [stream]).catch(() => {});
}

/** Up to `count` bytes, at most a block, from `offset`; a negative one counts from the end. */
export async function readRemotePart(
  guard: FsGuard,
  deadline: OperationDeadline,
  file: RemoteFile,
  offset: number,
  count: number,
): Promise<FilePart> {
  const { path, access = "read", stream = "" } = file;
  const frame = await guard.run(deadline, {
    fsOperation: access === "read" ? FS_OPERATIONS.read : FS_OPERATIONS.write,
    operation: "read",
    touches: [{ path, access }],
    words: ([allowed = ""]) => [path, allowed, String(offset), String(count), stream],
  });
  const [, size, from, lineSize] = frame.words.map(Number) as [number, number, number, number];
  const { version } = readEntryLine(new TextDecoder().decode(frame.bytes.subarray(0, lineSize)));
  // Where the far side counts in blocks only, it starts before what was asked for.
  const requestedBytes = offset < 0 ? Math.max(0, size + offset) : offset;
  const skip = Math.max(0, Math.min(requestedBytes, size) - from);
  const countText = new TextDecoder().decode(frame.bytes.subarray(-COUNT_DIGITS));
  if (countText === UNREADABLE) throw remoteFsFault("io", "the system failed to read it", FS_OPERATIONS.read, path);
  const real = Number(countText);
  const start = lineSize + Math.min(skip, real);
  const end = Math.min(start + count, lineSize + real);
  return { bytes: frame.bytes.slice(start, Math.max(start, end)), from: from + skip, size, version };
}

/**
 * The bytes from `start` to the end that the file had when `first` was read, in blocks, several of them under way at once. Ends early where the file has
 * become shorter. @throws `FS_STALE` when another file has taken the place meanwhile.
 */
export async function* readParts(
  guard: FsGuard,
  deadline: OperationDeadline,
  file: RemoteFile,
  start: number,
  first: Pick<FilePart, "size" | "version">,
): AsyncGenerator<FilePart, void> {
  const end = first.size;
  const ahead: Promise<FilePart>[] = [];
  let next = start;
  for (let at = start; at < end; ) {
    while (next < end && ahead.length < AHEAD) {
      const part = readRemotePart(guard, deadline, file, next, Math.min(BLOCK_BYTES, end - next));
      // Met when its turn comes; until then a failure is not unhandled.
      part.catch(() => {});
      ahead.push(part);
      next += BLOCK_BYTES;
    }
    const part = await (ahead.shift() as Promise<FilePart>);
    if (identityOf(part.version) !== identityOf(first.version))
      throw remoteFsFault("changed", "", FS_OPERATIONS.read, file.path);
    if (part.bytes.length > 0) yield part;
    if (part.bytes.length < Math.min(BLOCK_BYTES, end - at)) return;
    at += part.bytes.length;
  }
}

/** Puts the first part and the others together. */
export async function gather(first: FilePart, rest: AsyncIterable<FilePart>, size: number): Promise<Uint8Array> {
  if (first.bytes.length >= size) return first.bytes;
  const bytes = new Uint8Array(size);
  bytes.set(first.bytes);
  let at = first.bytes.length;
  for await (const part of rest) {
    bytes.set(part.bytes, at);
    at += part.bytes.length;
  }
  return at === size ? bytes : bytes.slice(0, at);
}

/** Reads again when the file was replaced between two blocks: the bytes of two files are never mixed. */
export async function whole<T>(deadline: OperationDeadline, path: string, read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (thrown) {
      if (!HaftError.is(thrown, "FS_STALE") || thrown.details.path !== path || tries === MAX_TRIES) throw thrown;
      deadline.check();
    }
  }
}

/** A version begins with what tells one file from another. */
function identityOf(version: string): string {
  return version.slice(0, version.indexOf(" "));
}
