/** Writes a remote file: small data is sent with the request, large data is staged first. */
import { createHash } from "node:crypto";
import { newNonce } from "../../../host/index.js";
import { type Access, type Expect, FS_OPERATIONS, HaftError, type ReplaceResult } from "../../../kernel/index.js";
import { BLOCK_BYTES } from "../channel/bulk-channel.js";
import type { OperationDeadline } from "./deadline.js";
import { staleFault } from "./faults.js";
import type { FsGuard } from "./guard.js";
import { gather, openRemoteFile, readParts, readRemotePart, whole } from "./read.js";

interface ReplaceOptions {
  /** "create": the grant covers new files only. */
  readonly access: Extract<Access, "create" | "write">;
  /** Whether the remote side can compute SHA-256. */
  readonly canHash: boolean;
  /** Of a file that is created, in octal digits; "": as the system gives it. */
  readonly mode: string;
}

/** Staged blocks that are in flight at once. */
const AHEAD = 3;
/** How often the write is tried while other processes keep replacing the file. */
const MAX_TRIES = 10;

export async function replaceRemoteFile(
  guard: FsGuard,
  deadline: OperationDeadline,
  path: string,
  data: Uint8Array | AsyncIterable<Uint8Array>,
  expect: Expect,
  options: ReplaceOptions,
): Promise<ReplaceResult> {
  const content = await send(guard, deadline, path, data instanceof Uint8Array ? blocksOf(data) : inBlocks(data));
  const replacement = { ...content, path, access: options.access, mode: options.mode };
  try {
    if (options.canHash) return await replace(guard, deadline, replacement, expect);
    return await hashedHere(guard, deadline, replacement, expect);
  } finally {
    unstage(guard, deadline, content.staged);
  }
}

/** The new bytes: at most a block goes with the request, more is staged before. */
interface Content {
  readonly bytes: Uint8Array;
  /** The prefix of the names of the staged files; "" if there are none. */
  readonly staged: string;
  readonly sizeBytes: number;
  readonly after: string;
}

interface Replacement extends Content {
  readonly path: string;
  readonly access: ReplaceOptions["access"];
  readonly mode: string;
}

async function replace(
  guard: FsGuard,
  deadline: OperationDeadline,
  { path, bytes, staged, sizeBytes, after, access, mode }: Replacement,
  expect: Expect,
): Promise<ReplaceResult> {
  const nonce = newNonce();
  const temp = `.haft-${nonce}.tmp`;
  const [kind, value] = expectWords(expect);
  const isNewOnly = access === "create" ? "yes" : "no";
  const acting = guard.run(deadline, {
    fsOperation: FS_OPERATIONS.write,
    operation: "replace",
    touches: [{ path, access }],
    words: ([allowed = ""]) => [path, allowed, kind, value, temp, staged, isNewOnly, String(sizeBytes), mode],
    ...(staged === "" && bytes.length > 0 ? { data: bytes } : {}),
    changes: true,
    fault: (code, note) => (code === "stale" ? staleFault(note, path, { expected: value || kind }) : undefined),
  });
  const { words } = await acting.catch((thrown: unknown) => {
    throw withBackup(thrown, nonce);
  });
  const [, created, inPlace, before = "-"] = words;
  return {
    before: before === "-" ? null : before,
    after,
    created: created === "yes",
    inPlace: inPlace === "yes",
  };
}

/** Adds where the old bytes are when it is not known how a write ended that may have been in place. */
function withBackup(thrown: unknown, nonce: string): unknown {
  if (!HaftError.is(thrown) || thrown.details.began === undefined) return thrown;
  const { code, message, details } = thrown;
  const where = `If the file is half-written, its old bytes are beside it, in a file whose name ends in ".haft-backup-${nonce}".`;
  return new HaftError(code, `${message} ${where}`, { cause: thrown, details });
}

/**
 * Where the remote side cannot hash, the old bytes are read and hashed here, and only that version is replaced. With
 * "any" the write is tried again when another one came first.
 */
async function hashedHere(
  guard: FsGuard,
  deadline: OperationDeadline,
  replacement: Replacement,
  expect: Expect,
): Promise<ReplaceResult> {
  const { path, access } = replacement;
  if (expect === "absent") return replace(guard, deadline, replacement, expect);
  for (let tries = 1; ; tries += 1) {
    const old = await oldBytes(guard, deadline, path, access);
    const before = old === undefined ? null : sha256(old.bytes);
    if (typeof expect === "object" && "sha256" in expect && before !== expect.sha256.toLowerCase()) {
      throw staleFault(before ?? "absent", path, { expected: expect.sha256 });
    }
    const isVersion = typeof expect === "object" && "version" in expect;
    const exactly: Expect = isVersion ? expect : old === undefined ? "absent" : { version: old.version };
    try {
      return { ...(await replace(guard, deadline, replacement, exactly)), before };
    } catch (thrown) {
      if (expect !== "any" || !HaftError.is(thrown, "FS_STALE") || tries === MAX_TRIES) throw thrown;
    }
  }
}

/** The file that the write will replace, symlinks followed; undefined when there is none. */
async function oldBytes(
  guard: FsGuard,
  deadline: OperationDeadline,
  path: string,
  access: Access,
): Promise<{ readonly bytes: Uint8Array; readonly version: string } | undefined> {
  try {
    return await whole(deadline, path, async () => {
      const file = openRemoteFile(path, access);
      const first = await readRemotePart(guard, deadline, file, 0, BLOCK_BYTES);
      const rest = readParts(guard, deadline, file, first.bytes.length, first);
      return { bytes: await gather(first, rest, first.size), version: first.version };
    });
  } catch (thrown) {
    if (HaftError.is(thrown, "FS_NOT_FOUND")) return undefined;
    throw thrown;
  }
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function expectWords(expect: Expect): readonly [string, string] {
  if (typeof expect === "string") return [expect, ""];
  return "sha256" in expect ? ["sha256", expect.sha256.toLowerCase()] : ["version", expect.version];
}

/** Takes the new bytes, and writes them to files of the remote spool directory unless they are a single block. */
async function send(
  guard: FsGuard,
  deadline: OperationDeadline,
  path: string,
  blocks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<Content> {
  const hash = createHash("sha256");
  const underWay: Promise<void>[] = [];
  let [staged, sizeBytes, count] = ["", 0, 0];
  let first: Uint8Array | undefined;
  const stage = async (block: Uint8Array): Promise<void> => {
    if (underWay.length === AHEAD) await underWay.shift();
    // One file per block: blocks may be sent over several channels, in any order.
    const part = stagePart(guard, deadline, path, `${staged}.${String(count++).padStart(6, "0")}`, block);
    part.catch(() => {});
    underWay.push(part);
  };
  try {
    for await (const block of blocks) {
      deadline.check();
      hash.update(block);
      sizeBytes += block.length;
      if (staged === "" && first === undefined) {
        first = block;
        continue;
      }
      if (staged === "") staged = `stage-${newNonce()}`;
      if (first !== undefined) await stage(first);
      first = undefined;
      await stage(block);
    }
    await Promise.all(underWay);
  } catch (thrown) {
    unstage(guard, deadline, staged);
    throw thrown;
  }
  return { bytes: first ?? new Uint8Array(), staged, sizeBytes, after: hash.digest("hex") };
}

/** Deletes the staged files, once no request that was stopped can still write or read one: each may be on another channel. */
function unstage(guard: FsGuard, deadline: OperationDeadline, staged: string): void {
  if (staged === "") return;
  void deadline.settled().then(() => guard.bulk.request("unstage", [staged]).catch(() => {}));
}

function* blocksOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) yield bytes.subarray(at, at + BLOCK_BYTES);
}

/** Copies of the chunks in whole blocks: several are in flight while the next chunk is requested. */
async function* inBlocks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let block = new Uint8Array(BLOCK_BYTES);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + BLOCK_BYTES - filled);
      block.set(part, filled);
      at += part.length;
      filled += part.length;
      if (filled < BLOCK_BYTES) continue;
      yield block;
      block = new Uint8Array(BLOCK_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}

/** `path` is that of the file; `part` is the name of a file in the spool directory. */
async function stagePart(
  guard: FsGuard,
  deadline: OperationDeadline,
  path: string,
  part: string,
  data: Uint8Array,
): Promise<void> {
  const request = guard.bulk.request("stage", [part], { data, signal: deadline.signal });
  const { words, bytes } = await deadline.race(request);
  if (words[0] === "staged") return;
  const spool = new TextDecoder().decode(bytes);
  const why = `there is no space left in "${spool}" on the target, where its bytes are collected. Nothing was changed; free some space in that directory`;
  throw new HaftError("FS_NO_SPACE", `Did not ${FS_OPERATIONS.write[0]} "${path}": ${why}.`, {
    details: { path, why },
  });
}
