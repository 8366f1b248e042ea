/** The file port over a bulk channel: one request per operation, and one more where a path resolves elsewhere. */
import {
  type Access,
  covers,
  decodeStrict,
  type Expect,
  FS_OPERATIONS,
  type Fs,
  type FsEntryInfo,
  type FsOperation,
  type Io,
  intoItself,
  type LinesPassed,
  maxChildren,
  maxReadBytes,
  type ReplaceResult,
  type ResolvedPath,
  requireCovered,
  requireLive,
  requirePath,
  sealPort,
  tooLarge,
} from "../../../kernel/index.js";
import { wholeNumber } from "../../../text/index.js";
import { BLOCK_BYTES } from "../channel/bulk-channel.js";
import type { Frame } from "../channel/frames.js";
import type { RemotePlace } from "../channel/remote-agent.js";
import { OperationDeadline } from "./deadline.js";
import type { FsGuard } from "./guard.js";
import { listDirectory, readStat } from "./listing.js";
import { closeFile, gather, openRemoteFile, readParts, readPastRemoteLines, readRemotePart, whole } from "./read.js";
import type { PlainFile, TogetherReader } from "./read-together.js";
import { replaceRemoteFile } from "./replace.js";
import type { TogetherResolver } from "./resolve-together.js";

export class PosixFs implements Fs {
  readonly #guard: FsGuard;
  readonly #place: RemotePlace;
  readonly #together: TogetherReader;
  readonly #resolver: TogetherResolver;

  constructor(guard: FsGuard, place: RemotePlace, together: TogetherReader, resolver: TogetherResolver) {
    this.#guard = guard;
    this.#place = place;
    this.#together = together;
    this.#resolver = resolver;
  }

  async readText(path: string, io?: Io): Promise<string> {
    return decodeStrict(await this.readBytes(path, io), path);
  }

  readBytes(path: string, io?: Io & { readonly maxBytes?: number }): Promise<Uint8Array> {
    const maxBytes = maxReadBytes(io);
    return this.#withDeadline(FS_OPERATIONS.read, path, io, (deadline) =>
      whole(deadline, path, async () => {
        const small = await this.#askTogether(deadline, path, true);
        if (small?.bytes !== undefined) {
          if (small.bytes.length > maxBytes) throw tooLarge(path, small.bytes.length, maxBytes);
          return small.bytes;
        }
        const file = openRemoteFile(path);
        const first = await readRemotePart(this.#guard, deadline, file, 0, Math.min(BLOCK_BYTES, maxBytes));
        if (first.size > maxBytes) {
          closeFile(this.#guard, file);
          throw tooLarge(path, first.size, maxBytes);
        }
        return gather(first, readParts(this.#guard, deadline, file, first.bytes.length, first), first.size);
      }),
    );
  }

  readRange(
    path: string,
    from: number,
    count: number,
    io?: Io,
  ): Promise<{ readonly bytes: Uint8Array; readonly size: number; readonly version: string }> {
    const offset = wholeNumber(from, { min: Number.MIN_SAFE_INTEGER });
    const length = wholeNumber(count);
    return this.#withDeadline(FS_OPERATIONS.read, path, io, (deadline) =>
      whole(deadline, path, async () => {
        const small = offset === 0 ? await this.#askTogether(deadline, path, true) : undefined;
        if (small?.bytes !== undefined) {
          const { bytes, info } = small;
          return { bytes: bytes.slice(0, length), size: bytes.length, version: info.version };
        }
        const file = length > BLOCK_BYTES ? openRemoteFile(path) : { path };
        const first = await readRemotePart(this.#guard, deadline, file, offset, Math.min(BLOCK_BYTES, length));
        const end = Math.min(first.size, first.from + length);
        const rest = readParts(this.#guard, deadline, file, first.from + first.bytes.length, { ...first, size: end });
        const bytes = await gather(first, rest, Math.max(0, end - first.from));
        return { bytes, size: first.size, version: first.version };
      }),
    );
  }

  readPastLines(
    path: string,
    from: number,
    newlines: number,
    length: number,
    io?: Io,
  ): Promise<LinesPassed | undefined> {
    const [offset, lines, count] = [from, newlines, length].map((one) => wholeNumber(one)) as [number, number, number];
    return this.#withDeadline(FS_OPERATIONS.read, path, io, (deadline) =>
      readPastRemoteLines(this.#guard, deadline, path, offset, lines, Math.min(BLOCK_BYTES, count)),
    );
  }

  async *openRead(path: string, io?: Io & { readonly offset?: number }): AsyncGenerator<Uint8Array, void> {
    const deadline = this.#deadline(FS_OPERATIONS.read, path, io);
    const file = openRemoteFile(path);
    const offset = wholeNumber(io?.offset ?? 0);
    let isOver = false;
    try {
      const first = await readRemotePart(this.#guard, deadline, file, offset, BLOCK_BYTES);
      if (first.bytes.length > 0) yield first.bytes;
      const start = first.from + first.bytes.length;
      for await (const part of readParts(this.#guard, deadline, file, start, first)) {
        yield part.bytes;
        deadline.check();
      }
      isOver = true;
    } finally {
      deadline.release();
      if (!isOver) closeFile(this.#guard, file);
    }
  }

  async writeFile(path: string, data: string | Uint8Array, io?: Io): Promise<void> {
    await this.replaceAtomic(path, typeof data === "string" ? Buffer.from(data) : data, "any", io);
  }

  replaceAtomic(
    path: string,
    data: Uint8Array,
    expect: Expect,
    io?: Io & { readonly mode?: number },
  ): Promise<ReplaceResult> {
    // The caller may change its buffer while this runs.
    return this.#replace(path, Uint8Array.from(data), expect, io);
  }

  async replaceFrom(
    path: string,
    chunks: AsyncIterable<Uint8Array>,
    expect: Exclude<Expect, "any">,
    io?: Io & { readonly mode?: number },
  ): Promise<ReplaceResult> {
    // The bytes are moved before the path is judged.
    requirePath(FS_OPERATIONS.write, path);
    const grant = this.#guard.bound?.grant;
    if (grant !== undefined) requireCovered(grant, path, this.#isNewOnly(path) ? "create" : "write");
    return this.#replace(path, chunks, expect, io);
  }

  #replace(
    path: string,
    data: Uint8Array | AsyncIterable<Uint8Array>,
    expect: Expect,
    io: (Io & { readonly mode?: number }) | undefined,
  ): Promise<ReplaceResult> {
    return this.#withDeadline(FS_OPERATIONS.write, path, io, (deadline) =>
      replaceRemoteFile(this.#guard, deadline, path, data, expect, {
        access: this.#isNewOnly(path) ? "create" : "write",
        canHash: this.#place.facts.has("sha256sum"),
        mode: io?.mode === undefined ? "" : (io.mode & 0o777).toString(8),
      }),
    );
  }

  stat(path: string, io?: Io): Promise<FsEntryInfo> {
    return this.#withDeadline(FS_OPERATIONS.stat, path, io, async (deadline) => {
      const plain = await this.#askTogether(deadline, path, false);
      if (plain !== undefined) return plain.info;
      const frame = await this.#guard.run(deadline, {
        fsOperation: FS_OPERATIONS.stat,
        operation: "stat",
        touches: [{ path, access: "read" }],
        words: ([allowed = ""]) => [path, allowed],
      });
      return readStat(frame, (real) => this.#guard.reaches(path, real));
    });
  }

  readDir(path: string, io?: Io & { readonly limit?: number }): ReturnType<Fs["readDir"]> {
    const limit = maxChildren(io);
    return this.#withDeadline(FS_OPERATIONS.list, path, io, (deadline) =>
      listDirectory(this.#guard, deadline, path, limit),
    );
  }

  async mkdir(path: string, recursive: boolean, io?: Io): Promise<void> {
    await this.#change(io, FS_OPERATIONS.mkdir, "mkdir", path, "create", (allowed) => [
      path,
      allowed,
      parseYesNo(recursive),
    ]);
  }

  async rm(
    path: string,
    options: { readonly recursive: boolean; readonly ignoreMissing: boolean },
    io?: Io,
  ): Promise<void> {
    const { recursive, ignoreMissing } = options;
    await this.#change(io, FS_OPERATIONS.remove, "rm", path, "delete", (allowed) => [
      path,
      allowed,
      parseYesNo(recursive),
      parseYesNo(ignoreMissing),
      parseYesNo(this.#guard.coversTree({ path, access: "delete" })),
    ]);
  }

  async rename(from: string, to: string, { replace }: { readonly replace: boolean }, io?: Io): Promise<void> {
    const source = { path: from, access: "delete" } as const;
    this.#guard.requireNothingExcepted(to, replace ? "write" : "create");
    await this.#withDeadline(FS_OPERATIONS.rename, from, io, (deadline) =>
      this.#guard.run(deadline, {
        fsOperation: FS_OPERATIONS.rename,
        operation: "rename",
        touches: [source, { path: to, access: replace ? "write" : "create" }],
        words: ([one = "", two = ""]) => [
          from,
          one,
          to,
          two,
          parseYesNo(replace),
          parseYesNo(this.#guard.coversTree(source)),
        ],
        changes: true,
        fault: (code) => (code === "inside" ? intoItself(FS_OPERATIONS.rename[0], from, to) : undefined),
      }),
    );
  }

  async exists(path: string, io?: Io): Promise<boolean> {
    try {
      const { words } = await this.#withDeadline(FS_OPERATIONS.stat, path, io, (deadline) =>
        this.#guard.run(deadline, {
          fsOperation: FS_OPERATIONS.stat,
          operation: "exists",
          touches: [{ path, access: "read" }],
          words: ([allowed = ""]) => [path, allowed],
        }),
      );
      return words[0] === "yes";
    } catch {
      return false;
    }
  }

  resolve(asked: readonly string[], io?: Io): Promise<ResolvedPath[]> {
    const paths = [...asked];
    return this.#withDeadline(FS_OPERATIONS.resolve, paths[0] ?? "/", io, async (deadline) => {
      if (paths.length === 0) return [];
      const touches = paths.map((path) => ({ path, access: "read" }) as const);
      this.#guard.requireTouches(FS_OPERATIONS.resolve, touches);
      const [path = ""] = paths;
      // A file that is read together with others has no symlink in its path: that is its real path.
      const plain = paths.length === 1 ? await this.#together.join(deadline, path) : undefined;
      if (plain?.info.kind === "file") return [{ real: path, missing: "", kind: "file" }];
      return this.#resolver.resolve(deadline, paths);
    });
  }

  /** Undefined unless it is a small file that others of its directory are read with; see {@link TogetherReader}. */
  async #askTogether(deadline: OperationDeadline, path: string, needsBytes: boolean): Promise<PlainFile | undefined> {
    const { bound } = this.#guard;
    const isCovered = bound === undefined || covers(bound.grant, path, "read");
    if (!isCovered || !this.#place.facts.has("stat") || !this.#place.facts.has("fullblock")) return undefined;
    const file = await this.#together.ask(deadline, path, needsBytes);
    if (bound !== undefined) requireLive(bound.call);
    return file;
  }

  /** Whether the grant covers creating a file at the path, but not changing one. */
  #isNewOnly(path: string): boolean {
    const grant = this.#guard.bound?.grant;
    return grant !== undefined && !covers(grant, path, "write") && covers(grant, path, "create");
  }

  #change(
    io: Io | undefined,
    fsOperation: FsOperation,
    operation: string,
    path: string,
    access: Access,
    words: (allowed: string) => readonly string[],
  ): Promise<Frame> {
    return this.#withDeadline(fsOperation, path, io, (deadline) =>
      this.#guard.run(deadline, {
        fsOperation,
        operation,
        touches: [{ path, access }],
        words: ([allowed = ""]) => words(allowed),
        changes: true,
      }),
    );
  }

  async #withDeadline<T>(
    fsOperation: FsOperation,
    path: string,
    io: Io | undefined,
    work: (deadline: OperationDeadline) => Promise<T>,
  ): Promise<T> {
    const deadline = this.#deadline(fsOperation, path, io);
    try {
      return await work(deadline);
    } finally {
      deadline.release();
    }
  }

  #deadline(fsOperation: FsOperation, path: string, io: Io | undefined): OperationDeadline {
    return new OperationDeadline(fsOperation, path, io, this.#guard.bound?.call, this.#guard.callEnds);
  }
}

sealPort(PosixFs);

function parseYesNo(value: boolean): "yes" | "no" {
  return value ? "yes" : "no";
}
