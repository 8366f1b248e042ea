/** Replaces a file so that readers see either all old or all new bytes. */
import { createHash } from "node:crypto";
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  writeSync,
} from "node:fs";
import {
  DEFAULT_MAX_READ_BYTES,
  type Expect,
  FS_OPERATIONS,
  HaftError,
  messageOf,
  notAFile,
  type ReplaceResult,
  staleFile,
} from "../../../kernel/index.js";
import type { CopyAttributes } from "./attributes.js";
import type { Deadline } from "./deadline.js";
import { systemCode } from "./faults.js";
import { type Backup, type Backups, restoreCommand } from "./in-place-backup.js";
import { type PinnedPath, specialFileKindOf, versionOf } from "./path-resolver.js";
import { chunksOf, openFile } from "./read.js";
import { discard, flush, flushDirectory, removeName, type TempFiles, writeAll, writeFrom } from "./write.js";

/** Error codes of file systems without hard links. A hard link never replaces an existing name, a rename does. */
const HARD_LINK_UNSUPPORTED = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

const [WRITE] = FS_OPERATIONS.write;

export interface ReplaceTools {
  readonly temps: TempFiles;
  readonly copyAttributes: CopyAttributes;
  readonly backups: Backups;
}

/** The new bytes as they are given: chunks are written to the temporary file one after the other. */
type NewBytes = Uint8Array | AsyncIterable<Uint8Array>;

/** All new bytes, in memory or in the temporary file. */
interface Content {
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
  /** At least one byte from `at` on, at most to `end`. */
  readonly part: (at: number, end: number) => Uint8Array;
}

/** Bytes that are copied at once from the temporary file to the file that is overwritten in place. */
const COPY_BYTES = 1024 * 1024;

/** The name of the new file was taken meanwhile, so the path must be resolved and authorized again. */
export class ConcurrentlyCreated extends Error {}

/** The step of `replaceAtomic` that writes, at an authorized path. */
export async function replaceAt(
  resolved: PinnedPath,
  data: NewBytes,
  expect: Expect,
  tools: ReplaceTools,
  deadline: Deadline,
  newMode?: number,
): Promise<ReplaceResult> {
  const old = resolved.info;
  if (old !== undefined && expect === "absent") throw stale(resolved, "present", "absent", "present");
  if (old !== undefined && specialFileKindOf(old) !== undefined)
    throw notAFile(WRITE, resolved.asked, specialFileKindOf(old)!);
  if (old === undefined && typeof expect === "object") throw stale(resolved, "gone", expect, "absent");
  tools.temps.sweep(resolved.anchor);
  if (old === undefined) {
    const after = await create(resolved, data, expect, tools.temps, deadline, newMode);
    return { before: null, after, created: true, inPlace: false };
  }
  if (typeof expect === "object" && "version" in expect) requireVersion(resolved, old, expect.version);
  accessSync(resolved.path, constants.W_OK);
  const replaced =
    old.nlink > 1n && data instanceof Uint8Array
      ? await writeInPlace(resolved, contentOf(data), expect, tools, deadline)
      : await renameOver(resolved, old, { data, expect }, tools, deadline);
  return { ...replaced, created: false };
}

type Replaced = Omit<ReplaceResult, "created">;

/** @returns The SHA-256 of the new bytes. */
async function create(
  resolved: PinnedPath,
  data: NewBytes,
  expect: Expect,
  temps: TempFiles,
  deadline: Deadline,
  mode: number | undefined,
): Promise<string> {
  const temp = temps.create(resolved.anchor, mode === undefined ? 0o666 : 0o600);
  let isOpen = true;
  try {
    if (mode !== undefined) fchmodSync(temp.descriptor, mode & 0o777);
    const { sha256 } = await writeNew(temp.descriptor, data, deadline);
    deadline.check();
    try {
      linkSync(temp.path, resolved.path);
    } catch (thrown) {
      const code = systemCode(thrown) ?? "";
      if (code === "EEXIST")
        throw expect === "any" ? new ConcurrentlyCreated() : stale(resolved, "present", expect, "present");
      if (!HARD_LINK_UNSUPPORTED.has(code) || lstatSync(resolved.path, { throwIfNoEntry: false }) !== undefined)
        throw thrown;
      renameSync(temp.path, resolved.path);
    }
    removeName(temp.path);
    closeSync(temp.descriptor);
    isOpen = false;
    await flushDirectory(resolved.anchor.at(""));
    return sha256;
  } finally {
    if (isOpen) discard(temp.descriptor, temp.path);
  }
}

async function renameOver(
  resolved: PinnedPath,
  old: BigIntStats,
  { data, expect }: { readonly data: NewBytes; readonly expect: Expect },
  tools: ReplaceTools,
  deadline: Deadline,
): Promise<Replaced> {
  let temp: ReturnType<TempFiles["create"]>;
  try {
    temp = tools.temps.create(resolved.anchor, 0o600);
  } catch (thrown) {
    // The file is writable, its directory is not.
    const isDenied = systemCode(thrown) === "EACCES" || systemCode(thrown) === "EPERM";
    if (!isDenied || !(data instanceof Uint8Array)) throw thrown;
    return writeInPlace(resolved, contentOf(data), expect, tools, deadline);
  }
  let isOpen = true;
  try {
    const source = openFile(resolved, WRITE);
    let before: string | null;
    let content: Content;
    try {
      const [isKept, written] = await allOrFirstFault([
        old.nlink === 1n && preserveOwner(temp.descriptor, old)
          ? tools.copyAttributes(source.descriptor, temp.descriptor)
          : Promise.resolve(false),
        writeNew(temp.descriptor, data, deadline),
      ]);
      content = written;
      if (!isKept) {
        if (data instanceof Uint8Array) {
          discard(temp.descriptor, temp.path);
          isOpen = false;
        }
        return await writeInPlace(resolved, content, expect, tools, deadline);
      }
      before = await hashOf(source.descriptor, source.info, deadline);
      requireExpected(resolved, expect, before, source.info);
    } finally {
      closeSync(source.descriptor);
    }
    preserveSetIdBits(temp.descriptor, old);
    // No await from here to the rename: only another process could still interfere.
    requireVersion(resolved, source.info, versionOf(requireExists(resolved, expect)));
    deadline.check();
    renameSync(temp.path, resolved.path);
    closeSync(temp.descriptor);
    isOpen = false;
    await flushDirectory(resolved.anchor.at(""));
    return { before, after: content.sha256, inPlace: false };
  } finally {
    if (isOpen) discard(temp.descriptor, temp.path);
  }
}

/**
 * Overwrites the bytes in place. Readers may see a part of them, and so may a crash leave one: the old bytes are stored
 * until the new ones are on the disk.
 */
async function writeInPlace(
  resolved: PinnedPath,
  content: Content,
  expect: Expect,
  tools: ReplaceTools,
  deadline: Deadline,
): Promise<Replaced> {
  const source = openFile(resolved, WRITE);
  try {
    const before = await hashOf(source.descriptor, source.info, deadline);
    requireExpected(resolved, expect, before, source.info);
    const { size: bytes, sha256 } = content;
    const backup = await tools.backups.create(resolved, source, { bytes, sha256 }, deadline);
    await overwrite(resolved, source.info, content, backup, deadline);
    return { before, after: sha256, inPlace: true };
  } finally {
    closeSync(source.descriptor);
  }
}

/** Removes the backup, unless the file is left half-written. */
async function overwrite(
  resolved: PinnedPath,
  old: BigIntStats,
  content: Content,
  backup: Backup,
  deadline: Deadline,
): Promise<void> {
  let isHalfWritten = false;
  try {
    const descriptor = openSync(resolved.path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const info = fstatSync(descriptor, { bigint: true });
      if (specialFileKindOf(info) !== undefined) throw notAFile(WRITE, resolved.asked, specialFileKindOf(info)!);
      requireVersion(resolved, old, versionOf(info));
      deadline.check();
      // Once begun it is not cancelled half-way.
      isHalfWritten = true;
      const undone = grow(descriptor, content, Number(info.size));
      isHalfWritten = undone === undefined;
      if (undone !== undefined) throw undone;
      copyPart(descriptor, content, 0, Math.min(content.size, Number(info.size)));
      ftruncateSync(descriptor, content.size);
      preserveSetIdBits(descriptor, old);
      await flush(descriptor);
      isHalfWritten = false;
    } finally {
      closeSync(descriptor);
    }
  } catch (thrown) {
    throw isHalfWritten ? halfWritten(resolved, backup, thrown) : thrown;
  } finally {
    if (!isHalfWritten) backup.remove();
  }
}

/**
 * Writes the part beyond the old end first: if the disk is full the old bytes are unchanged.
 * @returns Why nothing was written; undefined when it was.
 */
function grow(descriptor: number, content: Content, oldSize: number): unknown {
  try {
    copyPart(descriptor, content, oldSize, content.size);
    return undefined;
  } catch (thrown) {
    ftruncateSync(descriptor, oldSize);
    return thrown;
  }
}

/** Not interrupted by other calls: each wait would leave the file half-written for longer. */
function copyPart(descriptor: number, content: Content, from: number, end: number): void {
  for (let at = from; at < end; ) {
    const bytes = content.part(at, end);
    for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done, undefined, at + done);
    at += bytes.length;
  }
}

/** All of it is in `system` too, because some callers show only that. */
function halfWritten(resolved: PinnedPath, backup: Backup, cause: unknown): HaftError {
  const state = `it contains neither the complete old bytes nor the complete new ones: ${messageOf(cause)}`;
  const next = `The old bytes are stored in "${backup.path}". Restore them with: ${restoreCommand(backup.path, resolved.real)}`;
  return new HaftError("FS_IO", `Did not ${WRITE} all of "${resolved.asked}": ${state}. ${next}`, {
    cause,
    details: { path: resolved.asked, system: `${state}. ${next}` },
  });
}

/** Like `Promise.all`, but settles after all promises have: they use a descriptor that is closed afterwards. */
async function allOrFirstFault<const T extends readonly Promise<unknown>[]>(
  work: T,
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as { [K in keyof T]: Awaited<T[K]> };
}

function requireExpected(resolved: PinnedPath, expect: Expect, before: string | null, info: BigIntStats): void {
  if (typeof expect !== "object") return;
  if ("version" in expect) requireVersion(resolved, info, expect.version);
  else if (expect.sha256.toLowerCase() !== before) {
    throw stale(resolved, "changed", expect, before);
  }
}

function requireVersion(resolved: PinnedPath, info: BigIntStats, version: string): void {
  if (versionOf(info) !== version) throw stale(resolved, "changed", version, versionOf(info));
}

function requireExists(resolved: PinnedPath, expect: Expect): BigIntStats {
  const now = lstatSync(resolved.path, { bigint: true, throwIfNoEntry: false });
  if (now === undefined) throw stale(resolved, "gone", expect, "absent");
  return now;
}

function stale(
  resolved: PinnedPath,
  why: Parameters<typeof staleFile>[1],
  expected: unknown,
  found: unknown,
): HaftError {
  return staleFile(resolved.asked, why, { expected, found });
}

/** Copies mode, owner and group of the old file. False when the system does not permit it. */
function preserveOwner(descriptor: number, old: BigIntStats): boolean {
  const made = fstatSync(descriptor, { bigint: true });
  try {
    if (made.uid !== old.uid || made.gid !== old.gid) fchownSync(descriptor, Number(old.uid), Number(old.gid));
    // After chown, which clears the set-id bits.
    fchmodSync(descriptor, Number(old.mode) & 0o7777);
    return true;
  } catch (thrown) {
    if (systemCode(thrown) !== "EPERM") throw thrown;
    return false;
  }
}

/** Restores the set-id bits, which a write clears unless root does it. Not possible for files of other users. */
function preserveSetIdBits(descriptor: number, old: BigIntStats): void {
  const mode = Number(old.mode) & 0o7777;
  if ((mode & 0o6000) === 0) return;
  try {
    fchmodSync(descriptor, mode);
  } catch (thrown) {
    if (systemCode(thrown) !== "EPERM") throw thrown;
  }
}

/** Hashes a file; null for a file over the read limit. */
async function hashOf(descriptor: number, info: BigIntStats, deadline: Deadline): Promise<string | null> {
  if (Number(info.size) > DEFAULT_MAX_READ_BYTES) return null;
  const hash = createHash("sha256");
  for await (const chunk of chunksOf({ descriptor, info }, 0, deadline, true)) hash.update(chunk);
  return hash.digest("hex");
}

/** Writes the new bytes to the temporary file and flushes it. */
async function writeNew(descriptor: number, data: NewBytes, deadline: Deadline): Promise<Content> {
  if (data instanceof Uint8Array) {
    await writeAll(descriptor, data, deadline);
    return contentOf(data);
  }
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of data) {
    hash.update(chunk);
    await writeFrom(descriptor, chunk, size, deadline);
    size += chunk.length;
  }
  deadline.check();
  await flush(descriptor);
  const part = (at: number, end: number) => {
    const bytes = new Uint8Array(Math.min(COPY_BYTES, end - at));
    const count = readSync(descriptor, bytes, 0, bytes.length, at);
    if (count === 0) throw new Error("the temporary file was truncated");
    return bytes.subarray(0, count);
  };
  return { size, sha256: hash.digest("hex"), part };
}

function contentOf(data: Uint8Array): Content {
  return {
    size: data.length,
    sha256: createHash("sha256").update(data).digest("hex"),
    part: (at, end) => data.subarray(at, end),
  };
}
