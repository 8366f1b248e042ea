/** Reads small files of one directory in one request. */
import { FS_OPERATIONS, HaftError } from "../../../kernel/index.js";
import { BLOCK_BYTES } from "../channel/bulk-channel.js";
import { split } from "../channel/remote-agent.js";
import type { OperationDeadline } from "./deadline.js";
import { readEntryLine } from "./entry-line.js";
import { remoteFsFault } from "./faults.js";
import type { FsGuard } from "./guard.js";

/** Files up to this size are transferred together, up to `MAX_GATHERED` files and one block. */
const SMALL_BYTES = 65_536;
const MAX_GATHERED = 100;

export const isSmall = (bytes: number): boolean => bytes <= SMALL_BYTES;

/** Whether a file of `bytes` fits into a request of so many files and bytes. */
export function fits(files: number, bytesBefore: number, bytes: number): boolean {
  return files < MAX_GATHERED && bytesBefore + bytes <= BLOCK_BYTES;
}

/**
 * The bytes of regular files by name; the caller has checked that the grant covers each of them. Undefined if they have to be read
 * one by one: one has changed meanwhile, is a symlink, or cannot be read.
 */
export async function gatherFiles(
  guard: FsGuard,
  deadline: OperationDeadline,
  directory: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const frame = await guard
    .run(deadline, {
      fsOperation: FS_OPERATIONS.read,
      operation: "gather",
      touches: [{ path: directory, access: "read" }],
      words: ([allowed = ""]) => [directory, allowed, ...names.map((name) => `./${name}`)],
      fault: (code) => (code === "changed" ? remoteFsFault("io", "", FS_OPERATIONS.read, directory) : undefined),
    })
    .catch((thrown: unknown) => {
      if (HaftError.is(thrown) && thrown.code.startsWith("FS_")) return undefined;
      throw thrown;
    });
  const YES = 121;
  if (frame === undefined || frame.bytes.at(-1) !== YES) return undefined;
  const linesSize = Number(frame.words[1]);
  const sizes = (split(frame.bytes, [linesSize])[0] ?? "").split("\n").map((line) => readEntryLine(line).size);
  const contents = new Map<string, Uint8Array>();
  let at = linesSize;
  for (const [index, name] of names.entries()) {
    const size = sizes[index] ?? 0;
    contents.set(name, frame.bytes.slice(at, at + size));
    at += size;
  }
  return contents;
}
