/** Reads small files below one directory in as few requests as possible. */
import { FS_OPERATIONS, type FsEntryInfo, HaftError } from "../../../kernel/index.js";
import { BLOCK_BYTES } from "../channel/bulk-channel.js";
import type { Frame } from "../channel/frames.js";
import type { OperationDeadline } from "./deadline.js";
import { readEntryLine } from "./entry-line.js";
import { requireOfPath } from "./faults.js";
import type { FsGuard } from "./guard.js";

/** Files up to this size are transferred together, up to `MAX_GATHERED` files and one block. */
const SMALL_BYTES = 65_536;
const MAX_GATHERED = 100;
/** The last byte of an answer whose files did not change: "y". */
const YES = 121;

/** Whether a file of so many bytes is read together with others. */
export const isSmall = (bytes: number): boolean => bytes <= SMALL_BYTES;

/** Whether a file of `bytes` fits into a request of so many files and bytes. */
export function fits(files: number, bytesBefore: number, bytes: number): boolean {
  return files < MAX_GATHERED && bytesBefore + bytes <= BLOCK_BYTES;
}

/** The words of the request: the directories on the way to the files come first, and are looked at like them. */
export function gatherWords(directory: string, allowed: string, names: readonly string[]): readonly string[] {
  const above = directoriesOf(names);
  return [directory, allowed, String(above.length), ...[...above, ...names].map((name) => `./${name}`)];
}

function directoriesOf(names: readonly string[]): readonly string[] {
  const directories = new Set<string>();
  for (const name of names)
    for (let end = name.indexOf("/"); end !== -1; end = name.indexOf("/", end + 1)) directories.add(name.slice(0, end));
  return [...directories];
}

/**
 * The bytes of the small regular files among those of `sizes` (in bytes), by their name or path below the directory; the caller has
 * checked that the grant covers each of them. What is left out has to be read alone: where one file has changed meanwhile, is a
 * symlink or cannot be read, that is its whole request.
 */
export async function gatherAll(
  guard: FsGuard,
  deadline: OperationDeadline,
  directory: string,
  sizes: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const read = new Map<string, Uint8Array>();
  const works = [...batchesOf(sizes)].map(async (names) => {
    for (const [name, bytes] of (await gatherFiles(guard, deadline, directory, names)) ?? []) read.set(name, bytes);
  });
  for (const settled of await Promise.allSettled(works))
    if (settled.status === "rejected") requireOfPath(settled.reason);
  return read;
}

/** One request. Undefined if its files have to be read alone. */
async function gatherFiles(
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
      words: ([allowed = ""]) => gatherWords(directory, allowed, names),
    })
    .catch((thrown: unknown) => {
      if (HaftError.is(thrown) && thrown.code.startsWith("FS_")) return undefined;
      throw thrown;
    });
  const contents = frame === undefined ? undefined : contentsOf(frame, names);
  return contents === undefined ? undefined : new Map([...contents].map(([name, { bytes }]) => [name, bytes]));
}

/** The files in the answer to "gather"; undefined if one has changed meanwhile. */
export function contentsOf(
  { words, bytes }: Frame,
  names: readonly string[],
): ReadonlyMap<string, { readonly info: FsEntryInfo; readonly bytes: Uint8Array }> | undefined {
  if (words[0] !== "gather" || bytes.at(-1) !== YES) return undefined;
  const linesSize = Number(words[1]);
  const lines = new TextDecoder().decode(bytes.subarray(0, linesSize)).split("\n").slice(directoriesOf(names).length);
  const contents = new Map<string, { readonly info: FsEntryInfo; readonly bytes: Uint8Array }>();
  let at = linesSize;
  for (const [index, name] of names.entries()) {
    const info = readEntryLine(lines[index] ?? "");
    contents.set(name, { info, bytes: bytes.slice(at, at + info.size) });
    at += info.size;
  }
  return contents;
}

/** The small files among them, in groups that fit into one request each. */
export function* batchesOf(sizes: ReadonlyMap<string, number>): Generator<readonly string[]> {
  let names: string[] = [];
  let bytes = 0;
  for (const [name, size] of sizes) {
    if (!isSmall(size)) continue;
    if (names.length > 0 && !fits(names.length, bytes, size)) {
      yield names;
      names = [];
      bytes = 0;
    }
    names.push(name);
    bytes += size;
  }
  if (names.length > 0) yield names;
}
