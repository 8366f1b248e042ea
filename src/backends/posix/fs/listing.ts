/** Parses what the remote side reports about one entry or about the children of a directory. */
import { isUtf8 } from "node:buffer";
import { FS_OPERATIONS, type Fs, type FsChild, type FsEntryInfo, UNNAMEABLE } from "../../../kernel/index.js";
import type { Frame } from "../channel/frames.js";
import { split } from "../channel/frames.js";
import type { OperationDeadline } from "./deadline.js";
import { readEntryLine } from "./entry-line.js";
import type { FsGuard } from "./guard.js";

/** A listing is requested again when a child was removed meanwhile. */
const MAX_TRIES = 5;
/** Names in one request. */
const NAMES_AT_ONCE = 1_000;

const NONE: ReadonlySet<string> = new Set();

/** A followed symlink: its text, its real path or "", and the line about that path or "". */
interface FollowedEntry {
  readonly target: string;
  readonly end: string;
  readonly line: string;
}

/** Parses the response to "stat". `reaches`: whether the target of a symlink may be reported. */
export function readStat(frame: Frame, reaches: (real: string) => boolean): FsEntryInfo {
  const [, ...sizes] = frame.words;
  const [line = "", target = "", end = "", last = ""] = split(frame.bytes, sizes.map(Number));
  return withSymlinkTarget(readEntryLine(line), target === "" ? undefined : { target, end, line: last }, reaches);
}

/** The children of a directory in code-unit order, at most `limit`, and whether there are more. */
export async function listDirectory(
  guard: FsGuard,
  deadline: OperationDeadline,
  path: string,
  limit: number,
): ReturnType<Fs["readDir"]> {
  const reaches = (real: string): boolean => guard.reaches(path, real);
  for (let tries = 1; ; tries += 1) {
    const all = readListing(await ask(guard, deadline, path, "list", [String(limit), "yes", ""]));
    if (all.names.length === 0) return { children: [], more: false };
    if (all.total > limit) {
      const chosen = [...all.names].sort(byCodeUnits).slice(0, limit);
      const children = await some(guard, deadline, path, chosen, "yes");
      const odd = chosen.filter((name) => all.unnameable.has(name)).map((name) => ({ name, ...UNNAMEABLE }));
      return { children: [...children.map((child) => toChild(child, reaches)), ...odd].sort(byName), more: true };
    }
    if (all.lines.length === all.names.length || tries === MAX_TRIES) {
      return {
        children: all
          .children(true)
          .map((child) =>
            all.unnameable.has(child.name) ? { name: child.name, ...UNNAMEABLE } : toChild(child, reaches),
          )
          .sort(byName),
        more: false,
      };
    }
  }
}

/** A child by its own kind, symlinks not followed. */
export interface DirectoryListing {
  readonly name: string;
  readonly kind: FsEntryInfo["kind"];
  readonly size: number;
  /** Whether it may contain the requested literal; true when none was requested. */
  readonly mayContain: boolean;
}

/**
 * All children of a directory, in any order.
 * @param literal - Bytes that the remote side looks for in each file, without a newline; "" for none.
 */
export async function listWithStats(
  guard: FsGuard,
  deadline: OperationDeadline,
  path: string,
  literal: string,
): Promise<DirectoryListing[]> {
  for (let tries = 1; ; tries += 1) {
    const words = [String(Number.MAX_SAFE_INTEGER), "no", literal];
    const all = readListing(await ask(guard, deadline, path, "list", words));
    const isWhole = all.lines.length === all.names.length || all.names.length === 0;
    if (!isWhole && tries < MAX_TRIES) continue;
    const reported = isWhole ? all.children(false) : await some(guard, deadline, path, all.names, "no");
    const holding = literal === "" || !isWhole ? undefined : new Set(namesOf(all.tails));
    return reported.map(({ name, line }) => {
      const { kind, size } = readEntryLine(line);
      return { name, kind, size, mayContain: all.unnameable.has(name) || (holding?.has(name) ?? true) };
    });
  }
}

interface ListedEntry {
  readonly name: string;
  readonly line: string;
  readonly isFollowed: FollowedEntry | undefined;
}

async function some(
  guard: FsGuard,
  deadline: OperationDeadline,
  path: string,
  names: readonly string[],
  symlinks: "yes" | "no",
): Promise<ListedEntry[]> {
  const reported: ListedEntry[] = [];
  for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
    const part = names.slice(at, at + NAMES_AT_ONCE);
    const listing = readListing(
      await ask(guard, deadline, path, "infos", [symlinks, ...part.map((name) => `./${name}`)]),
    );
    if (listing.lines.length === listing.names.length) reported.push(...listing.children(symlinks === "yes"));
    else if (part.length > 1)
      for (const name of part) reported.push(...(await some(guard, deadline, path, [name], symlinks)));
  }
  return reported;
}

function ask(
  guard: FsGuard,
  deadline: OperationDeadline,
  path: string,
  operation: "list" | "infos",
  words: readonly string[],
): Promise<Frame> {
  return guard.run(deadline, {
    fsOperation: FS_OPERATIONS.list,
    operation,
    touches: [{ path, access: "read" }],
    words: ([allowed = ""]) => [path, allowed, ...words],
  });
}

function readListing(frame: Frame) {
  const [, total = "0", namesSize = "0", linesSize = "0"] = frame.words;
  const tailsAt = Number(namesSize) + Number(linesSize);
  const [, lines = ""] = split(frame.bytes.subarray(0, tailsAt), [Number(namesSize), Number(linesSize)]);
  const joined = frame.bytes.subarray(0, Number(namesSize));
  const tails = frame.bytes.subarray(tailsAt);
  const names = namesOf(joined);
  const perName = lines === "" ? [] : lines.split("\n");
  return {
    total: Number(total),
    names,
    /** Names that are not valid UTF-8. */
    unnameable: isUtf8(joined) ? NONE : new Set(names.filter((name) => name.includes("\uFFFD"))),
    lines: perName,
    tails,
    /** Without `symlinks` the last part of the response is not about symlinks. */
    children(symlinks: boolean): ListedEntry[] {
      const leds = symlinks ? readTails(tails) : new Map<string, FollowedEntry>();
      return names.flatMap((name, index) => {
        const line = perName[index];
        return line === undefined ? [] : [{ name, line, isFollowed: leds.get(name) }];
      });
    },
  };
}

/** The names in "./a/./b/". */
function namesOf(joined: Uint8Array): string[] {
  return new TextDecoder("utf-8", { ignoreBOM: true })
    .decode(joined)
    .split("/")
    .filter((_, index) => index % 2 === 1);
}

/** For each symlink: "./NAME/A B C", a newline, and A, B and C bytes of target, real path and line. */
function readTails(tails: Uint8Array): Map<string, FollowedEntry> {
  const leds = new Map<string, FollowedEntry>();
  const bytes = Buffer.from(tails.buffer, tails.byteOffset, tails.length);
  for (let at = 0; at < bytes.length; ) {
    const slash = bytes.indexOf("/", at + 2);
    const end = bytes.indexOf("\n", slash);
    const name = bytes.toString("utf8", at + 2, slash);
    const sizes = bytes
      .toString("latin1", slash + 1, end)
      .split(" ")
      .map(Number);
    const whole = sizes.reduce((sum, size) => sum + size, 0);
    const [target = "", real = "", line = ""] = split(bytes.subarray(end + 1, end + 1 + whole), sizes);
    leds.set(name, { target, end: real, line });
    at = end + 1 + whole;
  }
  return leds;
}

function toChild({ name, line, isFollowed: led }: ListedEntry, reaches: (real: string) => boolean): FsChild {
  return { name, ...withSymlinkTarget(readEntryLine(line), led, reaches) };
}

/** Adds what a symlink leads to, if the grant covers that. */
function withSymlinkTarget(
  own: FsEntryInfo,
  led: FollowedEntry | undefined,
  reaches: (real: string) => boolean,
): FsEntryInfo {
  if (own.kind !== "link" || led === undefined) return own;
  const { target, end, line } = led;
  if (line === "" || !reaches(end)) return { ...own, size: 0, target };
  const last = readEntryLine(line);
  return last.kind === "link" ? { ...own, size: 0, target } : { ...last, target };
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : 1;
}

function byName(one: FsChild, other: FsChild): number {
  return byCodeUnits(one.name, other.name);
}

/** The entries in the answer to "infos", none of them followed; fewer than requested if one is missing or cannot be named. */
export function plainEntries(frame: Frame): ReadonlyMap<string, FsEntryInfo> {
  const listing = readListing(frame);
  const isWhole = listing.lines.length === listing.names.length && listing.unnameable.size === 0;
  const entries = isWhole ? listing.children(false) : [];
  return new Map(entries.map(({ name, line }) => [name, readEntryLine(line)]));
}

/** The sizes of the regular files among the names, in one request for up to a thousand of them. */
export async function statFiles(
  guard: FsGuard,
  deadline: OperationDeadline,
  path: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const { name, line } of await some(guard, deadline, path, names, "no")) {
    const { kind, size } = readEntryLine(line);
    if (kind === "file") sizes.set(name, size);
  }
  return sizes;
}
