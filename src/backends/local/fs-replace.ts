/** Replacing a file so that readers see all old or all new bytes. */
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
  renameSync,
  writeSync,
} from "node:fs";
import {
  DEFAULT_MAX_READ_BYTES,
  DOING,
  type Expect,
  HaftError,
  messageOf,
  notAFile,
  type ReplaceResult,
  staleFile,
} from "../../kernel/index.js";
import type { CopyAttributes } from "./fs-attributes.js";
import { type Patience, systemCode } from "./fs-faults.js";
import { openFile, readAt } from "./fs-read.js";
import { oddKindOf, type Spot, versionOf } from "./fs-spot.js";
import { discard, flush, flushDirectory, removeName, type TempFiles, WRITE_STEP_BYTES, writeAll } from "./fs-write.js";
import { type Backup, type Backups, restoreCommand } from "./in-place-backup.js";

/** A link, not a rename, so that whoever came first wins; where a file system has no links the file is made directly. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

const [WRITE] = DOING.writing;

export interface ReplaceTools {
  readonly temps: TempFiles;
  readonly copyAttributes: CopyAttributes;
  readonly backups: Backups;
}

/** What a file that is there is replaced with. */
interface Write {
  readonly data: Uint8Array;
  /** SHA-256 of it, hex. */
  readonly after: string;
  readonly expect: Expect;
}

/** Something took the name of a file to be made, so the place has to be found and judged anew. */
export class CameMeanwhile extends Error {}

/** The step of `replaceAtomic` that acts, at a place that has been judged. */
export async function replaceAt(
  spot: Spot,
  data: Uint8Array,
  expect: Expect,
  tools: ReplaceTools,
  patience: Patience,
): Promise<ReplaceResult> {
  const old = spot.info;
  if (old !== undefined && expect === "absent") throw stale(spot, "present", "absent", "present");
  if (old !== undefined && oddKindOf(old) !== undefined) throw notAFile(WRITE, spot.asked, oddKindOf(old)!);
  if (old === undefined && typeof expect === "object") throw stale(spot, "gone", expect, "absent");
  tools.temps.sweep(spot.anchor);
  const after = sha256(data);
  if (old === undefined) {
    await create(spot, data, expect, tools.temps, patience);
    return { before: null, after, created: true, inPlace: false };
  }
  if (typeof expect === "object" && "version" in expect) requireVersion(spot, old, expect.version);
  accessSync(spot.path, constants.W_OK);
  const write = { data, after, expect };
  const { before, inPlace } =
    old.nlink > 1n
      ? await writeInPlace(spot, write, tools, patience)
      : await renameOver(spot, old, write, tools, patience);
  return { before, after, created: false, inPlace };
}

async function create(
  spot: Spot,
  data: Uint8Array,
  expect: Expect,
  temps: TempFiles,
  patience: Patience,
): Promise<void> {
  const temp = temps.create(spot.anchor, 0o666);
  let isOpen = true;
  try {
    await writeAll(temp.descriptor, data, patience);
    patience.check();
    try {
      linkSync(temp.path, spot.path);
    } catch (thrown) {
      const code = systemCode(thrown) ?? "";
      if (code === "EEXIST") throw expect === "any" ? new CameMeanwhile() : stale(spot, "present", expect, "present");
      if (!NO_LINKS.has(code) || lstatSync(spot.path, { throwIfNoEntry: false }) !== undefined) throw thrown;
      renameSync(temp.path, spot.path);
    }
    removeName(temp.path);
    closeSync(temp.descriptor);
    isOpen = false;
    await flushDirectory(spot.anchor.at(""));
  } finally {
    if (isOpen) discard(temp.descriptor, temp.path);
  }
}

async function renameOver(
  spot: Spot,
  old: BigIntStats,
  write: Write,
  tools: ReplaceTools,
  patience: Patience,
): Promise<{ readonly before: string | null; readonly inPlace: boolean }> {
  const { data, expect } = write;
  let temp: ReturnType<TempFiles["create"]>;
  try {
    temp = tools.temps.create(spot.anchor, 0o600);
  } catch (thrown) {
    // The file may be written, its folder may not.
    if (systemCode(thrown) !== "EACCES" && systemCode(thrown) !== "EPERM") throw thrown;
    return writeInPlace(spot, write, tools, patience);
  }
  let isOpen = true;
  try {
    const source = openFile(spot, WRITE);
    let before: string | null;
    try {
      const [isKept] = await allOrFirstFault([
        keepOwner(temp.descriptor, old)
          ? tools.copyAttributes(source.descriptor, temp.descriptor)
          : Promise.resolve(false),
        writeAll(temp.descriptor, data, patience),
      ]);
      if (!isKept) {
        discard(temp.descriptor, temp.path);
        isOpen = false;
        return await writeInPlace(spot, write, tools, patience);
      }
      before = await hashOf(source.descriptor, source.info, patience);
      judge(spot, expect, before, source.info);
    } finally {
      closeSync(source.descriptor);
    }
    keepSetId(temp.descriptor, old);
    // From here to the rename nothing waits: only another process could still come in between.
    requireVersion(spot, source.info, versionOf(requireThere(spot, expect)));
    patience.check();
    renameSync(temp.path, spot.path);
    closeSync(temp.descriptor);
    isOpen = false;
    await flushDirectory(spot.anchor.at(""));
    return { before, inPlace: false };
  } finally {
    if (isOpen) discard(temp.descriptor, temp.path);
  }
}

/**
 * Overwrites the bytes where they stand. A reader may see a part of them, and a crash may leave one: the old bytes are kept
 * until the new ones are on the disk.
 */
async function writeInPlace(
  spot: Spot,
  { data, after, expect }: Write,
  tools: ReplaceTools,
  patience: Patience,
): Promise<{ readonly before: string | null; readonly inPlace: true }> {
  const source = openFile(spot, WRITE);
  try {
    const before = await hashOf(source.descriptor, source.info, patience);
    judge(spot, expect, before, source.info);
    const backup = await tools.backups.keep(spot, source, { bytes: data.length, sha256: after }, patience);
    await overwrite(spot, source.info, data, backup, patience);
    return { before, inPlace: true };
  } finally {
    closeSync(source.descriptor);
  }
}

/** Removes the backup, unless the file is left half-written. */
async function overwrite(
  spot: Spot,
  old: BigIntStats,
  data: Uint8Array,
  backup: Backup,
  patience: Patience,
): Promise<void> {
  let isHalfWritten = false;
  try {
    const descriptor = openSync(spot.path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const info = fstatSync(descriptor, { bigint: true });
      if (oddKindOf(info) !== undefined) throw notAFile(WRITE, spot.asked, oddKindOf(info)!);
      requireVersion(spot, old, versionOf(info));
      patience.check();
      // Once begun it is not given up half-way.
      isHalfWritten = true;
      const undone = grow(descriptor, data, Number(info.size));
      isHalfWritten = undone === undefined;
      if (undone !== undefined) throw undone;
      const inside = data.subarray(0, Number(info.size));
      for (let at = 0; at < inside.length; ) at += writeSync(descriptor, inside, at, undefined, at);
      ftruncateSync(descriptor, data.length);
      keepSetId(descriptor, old);
      await flush(descriptor);
      isHalfWritten = false;
    } finally {
      closeSync(descriptor);
    }
  } catch (thrown) {
    throw isHalfWritten ? halfWritten(spot, backup, thrown) : thrown;
  } finally {
    if (!isHalfWritten) backup.remove();
  }
}

/**
 * What goes beyond the old end comes first: a disk that has no room for it leaves the old bytes as they are.
 * @returns Why nothing was written; undefined when it was.
 */
function grow(descriptor: number, data: Uint8Array, oldSize: number): unknown {
  try {
    for (let at = oldSize; at < data.length; ) at += writeSync(descriptor, data, at, undefined, at);
    return undefined;
  } catch (thrown) {
    ftruncateSync(descriptor, oldSize);
    return thrown;
  }
}

/** All of it is in `system` too: what shows a fault may show only that. */
function halfWritten(spot: Spot, backup: Backup, cause: unknown): HaftError {
  const state = `it holds neither its old bytes nor the new ones whole, because of: ${messageOf(cause)}`;
  const next = `The old bytes are kept in "${backup.path}". Restore them with: ${restoreCommand(backup.path, spot.real)}`;
  return new HaftError("FS_IO", `Did not ${WRITE} all of "${spot.asked}": ${state}. ${next}`, {
    cause,
    details: { path: spot.asked, system: `${state}. ${next}` },
  });
}

/** As `Promise.all`, but settles only when all have: what still runs uses a descriptor that is closed afterwards. */
async function allOrFirstFault<T extends readonly Promise<unknown>[]>(
  work: T,
): Promise<{ [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(work);
  return (await Promise.all(work)) as { [K in keyof T]: Awaited<T[K]> };
}

function judge(spot: Spot, expect: Expect, before: string | null, info: BigIntStats): void {
  if (typeof expect !== "object") return;
  if ("version" in expect) requireVersion(spot, info, expect.version);
  else if (expect.sha256.toLowerCase() !== before) {
    throw stale(spot, "changed", expect, before);
  }
}

function requireVersion(spot: Spot, info: BigIntStats, version: string): void {
  if (versionOf(info) !== version) throw stale(spot, "changed", version, versionOf(info));
}

function requireThere(spot: Spot, expect: Expect): BigIntStats {
  const now = lstatSync(spot.path, { bigint: true, throwIfNoEntry: false });
  if (now === undefined) throw stale(spot, "gone", expect, "absent");
  return now;
}

function stale(spot: Spot, why: Parameters<typeof staleFile>[1], expected: unknown, found: unknown): HaftError {
  return staleFile(spot.asked, why, { expected, found });
}

/** Gives the new file mode, owner and group of the old one. False when the system does not allow that. */
function keepOwner(descriptor: number, old: BigIntStats): boolean {
  const made = fstatSync(descriptor, { bigint: true });
  try {
    if (made.uid !== old.uid || made.gid !== old.gid) fchownSync(descriptor, Number(old.uid), Number(old.gid));
    // After the owner: changing that takes the set-id bits away.
    fchmodSync(descriptor, Number(old.mode) & 0o7777);
    return true;
  } catch (thrown) {
    if (systemCode(thrown) !== "EPERM") throw thrown;
    return false;
  }
}

/** Gives back the set-id bits: for anybody but the superuser a write takes them away. A file of somebody else's stays without. */
function keepSetId(descriptor: number, old: BigIntStats): void {
  const mode = Number(old.mode) & 0o7777;
  if ((mode & 0o6000) === 0) return;
  try {
    fchmodSync(descriptor, mode);
  } catch (thrown) {
    if (systemCode(thrown) !== "EPERM") throw thrown;
  }
}

/** Hashes what a file holds; null over the size that is read as a whole. */
async function hashOf(descriptor: number, info: BigIntStats, patience: Patience): Promise<string | null> {
  const size = Number(info.size);
  if (size > DEFAULT_MAX_READ_BYTES) return null;
  const hash = createHash("sha256");
  for (let at = 0; at < size; ) {
    const part = await readAt(descriptor, at, Math.min(WRITE_STEP_BYTES, size - at), patience);
    if (part.length === 0) break;
    hash.update(part);
    at += part.length;
  }
  return hash.digest("hex");
}

function sha256(data: Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}
