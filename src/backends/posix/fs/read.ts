/** Reads a remote file in blocks. */
import { randomBytes } from "node:crypto";
import { type Access, FS_OPERATIONS, HaftError, type LinesPassed } from "../../../kernel/index.js";
import { BLOCK_BYTES } from "../channel/bulk-channel.js";
import type { Frame } from "../channel/frames.js";
import type { OperationDeadline } from "./deadline.js";
import { readEntryLine } from "./entry-line.js";
import { remoteFsFault } from "./faults.js";
import type { FsGuard } from "./guard.js";

interface FilePart {
  readonly bytes: Uint8Array;
  /** Where the bytes begin in the file. */
  readonly from: number;
  /** Of the whole file, when it was opened. */
  readonly size: number;
  readonly version: string;
}

/** Blocks that are requested ahead, to hide latency. */
const AHEAD = 3;
/** Digits at the end of a response: how many of its bytes belong to the file, which may be shorter than its reported size. */
const COUNT_DIGITS = 10;
/** Replaces the digits when the system failed to read the file. */
const UNREADABLE = "unreadable";
/** How often a file is read that other processes keep replacing. */
const MAX_TRIES = 10;

/** A file to read as a whole or in parts. */
interface RemoteFile {
  readonly path: string;
  /** The access that the grant must cover; a write also reads what it replaces. Default "read". */
  readonly access?: Access;
  /** An id under which the remote side keeps the file open for the next part. */
  readonly stream?: string;
}

/** Prepares to read a file in parts. Call `closeFile` if you do not read it to its end. */
export function openRemoteFile(path: string, access: Access = "read"): RemoteFile {
  return { path, access, stream: randomBytes(6).toString("hex") };
}

/** Lets the remote side close the file. */
export function closeFile(guard: FsGuard, { stream }: RemoteFile): void {
  if (stream !== undefined) guard.bulk.request("shut", [stream]).catch(() => {});
}

/** Up to `count` bytes, at most one block, from `offset`; a negative offset counts from the end. */
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
  return partOf(frame, path, offset, count);
}

/**
 * Skips `newlines` line feeds on the remote machine, then reads up to `count` bytes, at most one block; see `Fs.readPastLines`.
 * Undefined if the programs of that machine cannot.
 */
export async function readPastRemoteLines(
  guard: FsGuard,
  deadline: OperationDeadline,
  path: string,
  offset: number,
  newlines: number,
  count: number,
): Promise<LinesPassed | undefined> {
  const frame = await guard.run(deadline, {
    fsOperation: FS_OPERATIONS.read,
    operation: "lines",
    touches: [{ path, access: "read" }],
    words: ([allowed = ""]) => [path, allowed, String(offset), String(newlines), String(count)],
  });
  if (frame.words[0] === "unable") return undefined;
  const part = partOf(frame, path, Number(frame.words[2]), count);
  const [passed, blockBytes] = [Number(frame.words[4]), Number(frame.words[5])];
  const marks: { offset: number; newlines: number }[] = [];
  let before = 0;
  for (const [index, counted] of (frame.words[6] ?? "").split(":").slice(1).entries()) {
    before += Number(counted);
    marks.push({ offset: Math.min(part.size, offset + (index + 1) * blockBytes), newlines: before });
  }
  return { ...part, newlines: passed, marks };
}

/** The part of the file in an answer. `offset` is the requested one; a negative one counts from the end. */
function partOf(frame: Frame, path: string, offset: number, count: number): FilePart {
  const [, size, from, lineSize] = frame.words.slice(0, 4).map(Number) as [number, number, number, number];
  const { version } = readEntryLine(new TextDecoder().decode(frame.bytes.subarray(0, lineSize)));
  // A remote `dd` that only counts in blocks starts before the requested offset.
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
      // Awaited later; until then a rejection must not count as unhandled.
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

/** Concatenates the first part and the others. */
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

/** Reads again when the file was replaced between two blocks, so that bytes of two files are never mixed. */
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

/** The part of a version that identifies the file. */
function identityOf(version: string): string {
  return version.slice(0, version.indexOf(" "));
}
