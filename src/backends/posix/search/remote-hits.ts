/** Turns what a remote ripgrep found into hits. Their text is read from authorized files, many small ones at once. */

import {
  type SearchScope,
  type SearchSource,
  type SearchTally,
  type SkipReason,
  searchTree,
} from "../../../engines/search/index.js";
import {
  type Binding,
  covers,
  type GrepHit,
  type GrepQuery,
  HaftError,
  type SearchEnd,
} from "../../../kernel/index.js";
import { baseName, childPath, hasUtf8Bom, hasUtf16Bom, parentOf } from "../../../text/index.js";
import { FileHits, LineReader, type LineRecord, type OutputPlan } from "../../ripgrep/index.js";
import { BLOCK_BYTES } from "../channel/bulk-channel.js";
import type { OperationDeadline } from "../fs/deadline.js";
import { requireOfPath } from "../fs/faults.js";
import { gatherAll } from "../fs/gather.js";
import type { FsGuard } from "../fs/guard.js";
import { statFiles } from "../fs/listing.js";
import { closeFile, openRemoteFile, readRemotePart } from "../fs/read.js";
import type { RemoteSearchSource } from "./remote-search-source.js";

const NUL = 0;
/** Where ripgrep does not report the length of a line, or it is longer, our own engine searches the file. */
const MAX_LINE_BYTES = 64 * 1024;
/** Bytes around a line that are read with it: the byte before it and its line ending. */
const MARGIN_BYTES = 3;
/** Bytes between two lines that are read with them, because that is faster than another request. */
const GAP_BYTES = 16 * 1024;
const UNCOUNTED: ReadonlySet<SkipReason> = new Set(["binary", "large", "special"]);

/** A line that ripgrep reported, with the number of its bytes if that is known. */
interface FoundLine {
  readonly record: LineRecord;
  readonly bytes: number | undefined;
}

/** A file that ripgrep reported. */
export interface ReportedFile {
  readonly path: string;
  readonly lines: readonly FoundLine[];
  readonly matchedLines: number;
  /** Undefined if ripgrep did not report it. */
  readonly size?: number;
  /** ripgrep has found a NUL. */
  readonly isBinary: boolean;
}

interface RemoteHitsOptions {
  readonly query: GrepQuery;
  readonly plan: OutputPlan;
  readonly scope: SearchScope;
  readonly source: RemoteSearchSource;
  readonly bound: Binding;
  readonly guard: FsGuard;
  readonly deadline: OperationDeadline;
  readonly tally: SearchTally;
  /** Whether the root is one file. ripgrep then does not skip it if it is binary. */
  readonly isAlone: boolean;
  /** Matching lines of one file after which no more are needed. */
  enough(): number;
  /** Whether the file contains a NUL, found out on the remote machine; undefined if that fails. */
  hasNulThere(path: string): Promise<boolean | undefined>;
}

/** What is known of a file before its hits are made. */
interface Prepared {
  readonly size: number;
  /** All of it, if it is small. */
  readonly bytes?: Uint8Array;
}

export class RemoteHits {
  readonly #options: RemoteHitsOptions;
  readonly #reader = new LineReader();

  constructor(options: RemoteHitsOptions) {
    this.#options = options;
  }

  /** The hits of each file, in the same order. */
  async *hits(
    files: readonly ReportedFile[],
  ): AsyncGenerator<{ readonly path: string; readonly hits: readonly GrepHit[] }, void> {
    const text = files.filter(({ isBinary }) => !isBinary);
    for (let index = text.length; index < files.length; index++) this.#skip("binary");
    const prepared = await this.#prepare(text);
    for (const file of text) {
      if (this.#options.scope.signal.aborted) return;
      const hits = await this.#hitsOf(file, prepared.get(file.path));
      if (hits.length > 0) yield { path: file.path, hits };
    }
  }

  /**
   * Reads the small files whose sizes ripgrep has reported together, in whatever directories they are. The others, and those that were
   * refused, go directory by directory: each in one or two requests, and several at once.
   */
  async #prepare(files: readonly ReportedFile[]): Promise<ReadonlyMap<string, Prepared>> {
    const { bound, isAlone } = this.#options;
    const prepared = new Map<string, Prepared>();
    if (isAlone) {
      // The grant may cover the file alone, and not its directory. That it is a regular file was seen before.
      for (const { path } of files) prepared.set(path, await this.#prepareAlone(path));
      return prepared;
    }
    for (const [path, bytes] of await this.#readTogether(files)) prepared.set(path, { size: bytes.length, bytes });
    const byDirectory = new Map<string, ReportedFile[]>();
    for (const file of files) {
      if (prepared.has(file.path) || !covers(bound.grant, file.path, "read")) continue;
      const directory = parentOf(file.path);
      byDirectory.set(directory, [...(byDirectory.get(directory) ?? []), file]);
    }
    const works = [...byDirectory].map(async ([directory, found]) => {
      const sizes = await this.#sizesOf(directory, found);
      for (const [name, size] of sizes) prepared.set(childPath(directory, name), { size });
      if (!this.#needsBytes) return;
      const { guard, deadline } = this.#options;
      for (const [name, bytes] of await gatherAll(guard, deadline, directory, sizes))
        prepared.set(childPath(directory, name), { size: bytes.length, bytes });
    });
    // What could not be prepared is looked at alone, where the reason counts for one file.
    for (const settled of await Promise.allSettled(works))
      if (settled.status === "rejected") requireOfPath(settled.reason);
    return prepared;
  }

  async #readTogether(files: readonly ReportedFile[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const sizes = files.flatMap(({ path, size }) => (size === undefined ? [] : [[path, size] as const]));
    return this.#needsBytes ? this.#options.source.readTogether(new Map(sizes)) : new Map();
  }

  async #prepareAlone(path: string): Promise<Prepared> {
    const { guard, deadline } = this.#options;
    const count = this.#needsBytes ? BLOCK_BYTES : 1;
    const { bytes, size } = await readRemotePart(guard, deadline, { path }, 0, count);
    return bytes.length === size ? { size, bytes } : { size };
  }

  get #needsBytes(): boolean {
    const { plan, query } = this.#options;
    return plan.output !== "counts" || query.binary !== "any-nul";
  }

  /** The sizes of the regular files among them. */
  async #sizesOf(directory: string, found: readonly ReportedFile[]): Promise<ReadonlyMap<string, number>> {
    const known = found.flatMap(({ path, size }) => (size === undefined ? [] : [[baseName(path), size] as const]));
    if (known.length === found.length) return new Map(known);
    const { guard, deadline } = this.#options;
    const names = found.map(({ path }) => baseName(path));
    return statFiles(guard, deadline, directory, names);
  }

  async #hitsOf(file: ReportedFile, prepared: Prepared | undefined): Promise<readonly GrepHit[]> {
    const { plan, tally } = this.#options;
    try {
      if (prepared === undefined || plan.output === "files") return await this.#searchFile(file.path, prepared);
      return plan.output === "counts" ? await this.#counted(file, prepared) : await this.#inLines(file, prepared);
    } catch (thrown) {
      tally.failed(thrown, file.path);
      return [];
    }
  }

  async #counted({ path, matchedLines }: ReportedFile, { bytes }: Prepared): Promise<readonly GrepHit[]> {
    const { query, isAlone } = this.#options;
    const isJudgedHere = query.binary !== "any-nul";
    const isBinary = isJudgedHere ? await this.#startsBinary(path, bytes) : isAlone && (await this.#hasNul(path));
    if (isBinary) {
      this.#skip("binary");
      return [];
    }
    const hit: GrepHit = { kind: "hit", path, line: 0, bytes: new Uint8Array(), at: [] };
    return [query.mode === "count" ? { ...hit, count: matchedLines } : hit];
  }

  async #inLines(file: ReportedFile, prepared: Prepared): Promise<readonly GrepHit[]> {
    const { query, plan } = this.#options;
    const { path, lines } = file;
    if (lines.some(({ bytes }) => bytes === undefined || bytes > MAX_LINE_BYTES))
      return this.#searchFile(path, prepared);
    const content = prepared.bytes ?? (await this.#parts(path, lines));
    if (content === undefined) return this.#searchFile(path, prepared);
    const start = content instanceof Uint8Array ? content : content.start;
    // ripgrep counts offsets from behind a BOM, in the decoded text.
    if (hasUtf8Bom(start) || hasUtf16Bom(start)) return this.#searchFile(path, prepared);
    const found = new FileHits({ path, query, reader: this.#reader });
    this.#reader.open(content instanceof Uint8Array ? (...place) => copy(content, ...place) : content.readAt);
    for (const { record } of lines) if (!found.isForOwnEngine) found.take(record);
    if (found.isForOwnEngine) return this.#searchFile(path, prepared);
    if (found.matchedLines === 0) return [];
    // The part that ripgrep did not read may still contain a NUL.
    const isTruncated = plan.maxLines !== undefined && found.matchedLines >= plan.maxLines;
    const isBinary =
      query.binary !== "any-nul"
        ? await this.#startsBinary(path, prepared.bytes)
        : isTruncated && (prepared.bytes?.includes(NUL) ?? (await this.#hasNul(path)));
    if (!isBinary) return found.hits;
    this.#skip("binary");
    return [];
  }

  /** Reads the parts of a large file that hold the lines, and its start. Undefined if it changes meanwhile. */
  async #parts(path: string, lines: readonly FoundLine[]): Promise<FileParts | undefined> {
    const { guard, deadline } = this.#options;
    const file = openRemoteFile(path);
    try {
      const reads = windowsOf(lines).map(({ from, to }) => readRemotePart(guard, deadline, file, from, to - from));
      const parts = await Promise.all(reads);
      return parts.every(({ version }) => version === parts[0]?.version) ? new FileParts(parts) : undefined;
    } finally {
      closeFile(guard, file);
    }
  }

  /** Searches the file with our own engine. */
  async #searchFile(path: string, prepared: Prepared | undefined): Promise<readonly GrepHit[]> {
    const { query, scope, source, enough } = this.#options;
    const bytes = prepared?.bytes;
    const from = bytes === undefined ? source : inMemory(bytes);
    const hits: GrepHit[] = [];
    for await (const item of searchTree(from, { ...query, root: path, offset: 0, limit: enough() }, scope)) {
      if (item.kind === "hit") hits.push(item);
      else this.#add(item);
    }
    return scope.signal.aborted ? [] : hits;
  }

  async #startsBinary(path: string, bytes: Uint8Array | undefined): Promise<boolean> {
    const { query, guard, deadline } = this.#options;
    if (query.binary === "any-nul") return false;
    const { firstBytes } = query.binary;
    let at = 0;
    let start = bytes;
    while (at < firstBytes) {
      start ??= (await readRemotePart(guard, deadline, { path }, at, Math.min(BLOCK_BYTES, firstBytes - at))).bytes;
      if (at === 0 && hasUtf16Bom(start)) return false;
      if (start.subarray(0, firstBytes - at).includes(NUL)) return true;
      if (bytes !== undefined || start.length === 0) return false;
      at += start.length;
      start = undefined;
    }
    return false;
  }

  async #hasNul(path: string): Promise<boolean> {
    const has = await this.#options.hasNulThere(path);
    if (has === undefined)
      throw new HaftError("FS_IO", `Did not search "${path}": it could not be checked for a NUL.`, {
        details: { path },
      });
    return has;
  }

  /** Below a directory ripgrep skips most binary and large files without a report, so none of them are counted. */
  #skip(reason: SkipReason, path?: string): void {
    if (this.#options.isAlone || !UNCOUNTED.has(reason)) this.#options.tally.skip(reason, path);
  }

  #add({ skipped, unreadable = [] }: SearchEnd): void {
    for (const [reason, count] of Object.entries(skipped))
      for (let index = 0; index < count; index++) this.#skip(reason as SkipReason, unreadable[index]);
  }
}

/** Parts of a large file. A read elsewhere finds nothing, as if the file had become shorter. */
class FileParts {
  readonly #parts: readonly { readonly bytes: Uint8Array; readonly from: number }[];

  constructor(parts: readonly { readonly bytes: Uint8Array; readonly from: number }[]) {
    this.#parts = parts;
  }

  get start(): Uint8Array {
    return this.#parts[0]?.bytes ?? new Uint8Array();
  }

  readonly readAt = (buffer: Uint8Array, at: number, length: number, position: number): number => {
    const part = this.#parts.find(({ bytes, from }) => from <= position && position < from + bytes.length);
    return part === undefined ? 0 : copy(part.bytes, buffer, at, length, position - part.from);
  };
}

/** Ranges of a file that contain its first bytes and the lines, few and at most one block each. */
function windowsOf(lines: readonly FoundLine[]): readonly { readonly from: number; readonly to: number }[] {
  const windows = [{ from: 0, to: 4 }];
  for (const { record, bytes = 0 } of lines) {
    const from = Math.max(0, record.data.absolute_offset - 1);
    const to = record.data.absolute_offset + bytes + MARGIN_BYTES;
    const last = windows.at(-1)!;
    if (to - last.from <= BLOCK_BYTES && from - last.to <= GAP_BYTES) last.to = Math.max(last.to, to);
    else windows.push({ from, to });
  }
  return windows;
}

function inMemory(bytes: Uint8Array): SearchSource {
  return {
    stat: async () => ({ kind: "file", size: bytes.length }),
    readDir: async () => [],
    async *openRead() {
      yield bytes;
    },
  };
}

function copy(bytes: Uint8Array, buffer: Uint8Array, at: number, length: number, position: number): number {
  const part = bytes.subarray(position, position + length);
  buffer.set(part, at);
  return part.length;
}
