/** The file port of a call that records each change in the undo log of the host. */
import { baseName, countChangedLines, parentOf } from "../text/index.js";
import type { BoundCall } from "./backend.js";
import type { Access, Grant } from "./claims.js";
import { callSafely, HaftError } from "./errors.js";
import { type Expect, type Fs, type FsEntryInfo, type Io, type ReplaceResult, withMissingPart } from "./fs.js";
import { requireAuthorized, requireCovered } from "./guard.js";
import { sealPort } from "./seal-port.js";
import type { Digest } from "./services.js";
import type { CallRecorder, Change, ChangeEnd, OldEntry } from "./undo-log.js";

/** What a port records with. */
export interface FsRecording {
  readonly recorder: CallRecorder;
  readonly maxFileBytes: number;
  /** Unguarded: the call may write what it may not read. It reads only what the grant lets the call change. */
  readonly root: Fs;
  readonly grant: Grant;
  readonly call: BoundCall;
  readonly digest: Digest;
  /** Called for a change that cannot be undone, with a sentence. */
  lost(sentence: string): void;
}

/** Entries of a directory over which its deletion is not recorded. */
const MAX_ENTRIES = 10_000;

/** Bytes of a text whose changed lines are counted. */
const MAX_COUNTED_BYTES = 256 * 1024;

/** After these the file may be neither as it was nor as it was to be. */
const UNKNOWN_STATE: readonly string[] = [
  "FS_IO",
  "CALL_CANCELLED",
  "CALL_TIMEOUT",
  "CALL_REVOKED",
  "BACKEND_UNAVAILABLE",
];

/** What is at a path; `bytes` of a file that is short enough to count its changed lines. */
interface Old {
  readonly entry: OldEntry;
  readonly bytes?: Uint8Array;
}

export class RecordedFs implements Fs {
  readonly #fs: Fs;
  readonly #recording: FsRecording;

  constructor(fs: Fs, recording: FsRecording) {
    this.#fs = fs;
    this.#recording = recording;
  }

  readText(...given: Parameters<Fs["readText"]>) {
    return this.#fs.readText(...given);
  }
  readBytes(...given: Parameters<Fs["readBytes"]>) {
    return this.#fs.readBytes(...given);
  }
  readRange(...given: Parameters<Fs["readRange"]>) {
    return this.#fs.readRange(...given);
  }
  openRead(...given: Parameters<Fs["openRead"]>) {
    return this.#fs.openRead(...given);
  }
  async readPastLines(...given: Parameters<NonNullable<Fs["readPastLines"]>>) {
    return this.#fs.readPastLines?.(...given);
  }
  stat(...given: Parameters<Fs["stat"]>) {
    return this.#fs.stat(...given);
  }
  readDir(...given: Parameters<Fs["readDir"]>) {
    return this.#fs.readDir(...given);
  }
  exists(...given: Parameters<Fs["exists"]>) {
    return this.#fs.exists(...given);
  }
  resolve(...given: Parameters<Fs["resolve"]>) {
    return this.#fs.resolve(...given);
  }

  async writeFile(path: string, data: string | Uint8Array, io?: Io): Promise<void> {
    await this.replaceAtomic(path, typeof data === "string" ? new TextEncoder().encode(data) : data, "any", io);
  }

  async replaceAtomic(
    path: string,
    data: Uint8Array,
    expect: Expect,
    io?: Io & { readonly mode?: number },
  ): Promise<ReplaceResult> {
    const found = await this.#inspect(() => this.#oldFile(path, expect, io));
    const before = found?.old?.entry;
    return this.#recorded(
      path,
      found && {
        kind: "write",
        path: found.real,
        ...(before === undefined ? {} : { before }),
        after: await this.#recording.digest(data),
      },
      () => this.#fs.replaceAtomic(path, data, expect, io),
      async (done) => ({ after: done.after, ...lostOfWrite(before, done), ...linesOf(found?.old?.bytes, data) }),
    );
  }

  /** What is to be written is not known before: if the process is killed while it ends, the change cannot be undone. */
  async replaceFrom(...given: Parameters<Fs["replaceFrom"]>): Promise<ReplaceResult> {
    const [path, , expect, io] = given;
    const found = await this.#inspect(() => this.#oldFile(path, expect, io));
    const before = found?.old?.entry;
    return this.#recorded(
      path,
      found && { kind: "write", path: found.real, ...(before === undefined ? {} : { before }) },
      () => this.#fs.replaceFrom(...given),
      async (done) => ({ after: done.after, ...lostOfWrite(before, done) }),
    );
  }

  async mkdir(path: string, recursive: boolean, io?: Io): Promise<void> {
    const paths = await this.#inspect(() => this.#missing(path, io));
    const change: Change | undefined = paths && { kind: "mkdir", paths };
    const make = () => this.#fs.mkdir(path, recursive, io);
    await (paths?.length === 0 ? make() : this.#recorded(path, change, make));
  }

  async rm(
    path: string,
    options: { readonly recursive: boolean; readonly ignoreMissing: boolean },
    io?: Io,
  ): Promise<void> {
    const { recursive, ignoreMissing } = options;
    const own = { recursive: recursive === true, ignoreMissing: ignoreMissing === true };
    const old = await this.#inspect(() => this.#oldTree(path, own.recursive, io));
    const remove = () => this.#fs.rm(path, own, io);
    if (old === "absent") return remove();
    await this.#recorded(path, old?.change, remove, async () => old?.end ?? {});
    if (old?.partly !== undefined) callSafely(() => this.#recording.lost(old.partly!));
  }

  async rename(from: string, to: string, options: { readonly replace: boolean }, io?: Io): Promise<void> {
    const own = { replace: options.replace === true };
    const change = await this.#inspect(() => this.#oldNames(from, to, own.replace, io));
    await this.#recorded(
      to,
      change,
      () => this.#fs.rename(from, to, own, io),
      async () => {
        // Two names of one file both stay.
        const isSame = change?.replaced !== undefined && (await this.#recording.root.exists(change.from));
        return isSame ? { failed: true } : { ...lostBytes(change?.replaced) };
      },
    );
  }

  /** Makes the change between two entries of the log. What cannot be recorded is made all the same, and reported. */
  async #recorded<T>(
    path: string,
    change: Change | undefined,
    make: () => Promise<T>,
    endOf: (done: T) => Promise<ChangeEnd> = async () => ({}),
  ): Promise<T> {
    const { recorder } = this.#recording;
    const begun = change && (await recorder.begin(change).catch(() => undefined));
    const end = (known: ChangeEnd) => (begun === undefined ? undefined : recorder.end(begun, known).catch(() => {}));
    let done: T;
    try {
      done = await make();
    } catch (thrown) {
      if (!HaftError.is(thrown) || !UNKNOWN_STATE.includes(thrown.code)) await end({ failed: true });
      throw thrown;
    }
    const known: ChangeEnd = await endOf(done).catch(() => ({}));
    await end(known);
    const lost = begun === undefined ? "it could not be written to the undo log" : known.lost;
    if (lost !== undefined)
      callSafely(() => this.#recording.lost(`The change of "${path}" cannot be undone: ${lost}.`));
    return done;
  }

  /** Undefined where it fails: the operation itself then reports why, or it cannot be undone. */
  async #inspect<T>(read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch {
      return undefined;
    }
  }

  #io(io: Io | undefined): Io {
    const { signal } = this.#recording.call;
    return { signal: io?.signal === undefined ? signal : AbortSignal.any([io.signal, signal]) };
  }

  /** `old`: absent where there is no file yet. */
  async #oldFile(
    path: string,
    expect: Expect,
    io: Io | undefined,
  ): Promise<{ readonly real: string; readonly old?: Old }> {
    const { grant, call, root } = this.#recording;
    const access = expect === "absent" ? "create" : "write";
    requireCovered(grant, path, access);
    const [found] = await root.resolve([path], this.#io(io));
    const real = withMissingPart(found!);
    await requireAuthorized(grant, call, path, real, access);
    if (expect === "absent" || found!.kind === "absent") return { real };
    return { real, old: await this.#old(real, await root.stat(real, this.#io(io)), io) };
  }

  /** The directories that `mkdir` would create, the outermost first. */
  async #missing(path: string, io: Io | undefined): Promise<readonly string[]> {
    const { grant, root } = this.#recording;
    requireCovered(grant, path, "create");
    const [{ real, missing } = { real: "", missing: "" }] = await root.resolve([path], this.#io(io));
    const names = missing === "" ? [] : missing.split("/");
    return names.map((_, index) => withMissingPart({ real, missing: names.slice(0, index + 1).join("/") }));
  }

  /** The entry of a directory, itself not resolved. */
  async #entry(
    path: string,
    access: Access,
    io: Io | undefined,
  ): Promise<{ readonly real: string; readonly info: FsEntryInfo | undefined }> {
    const { grant, call, root } = this.#recording;
    requireCovered(grant, path, access);
    const [parent] = await root.resolve([parentOf(path)], this.#io(io));
    const above = withMissingPart(parent!);
    const real = `${above === "/" ? "" : above}/${baseName(path)}`;
    await requireAuthorized(grant, call, path, real, access);
    const info = await root.stat(real, this.#io(io)).catch((thrown: unknown) => {
      if (HaftError.is(thrown, "FS_NOT_FOUND")) return undefined;
      throw thrown;
    });
    return { real, info };
  }

  async #oldTree(
    path: string,
    recursive: boolean,
    io: Io | undefined,
  ): Promise<"absent" | { readonly change: Change; readonly end: ChangeEnd; readonly partly?: string }> {
    const { real, info } = await this.#entry(path, "delete", io);
    if (info === undefined) return "absent";
    const entries: (OldEntry & { path: string })[] = [];
    let removed = 0;
    const pending: { path: string; info: FsEntryInfo }[] = [{ path: real, info }];
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      const { bytes, entry } = await this.#old(next.path, next.info, io);
      entries.push({ ...entry, path: next.path });
      removed += linesOf(bytes, new Uint8Array()).removed ?? 0;
      if (entry.kind !== "directory" || !recursive) continue;
      const { children, more } = await this.#recording.root.readDir(next.path, { ...this.#io(io), limit: MAX_ENTRIES });
      if (more || entries.length + pending.length + children.length > MAX_ENTRIES)
        return {
          change: { kind: "remove", path: real, entries: [] },
          end: { lost: `it has more than ${MAX_ENTRIES} entries` },
        };
      for (const { name, ...child } of children) pending.push({ path: `${next.path}/${name}`, info: child });
    }
    const change: Change = { kind: "remove", path: real, entries };
    const lost = entries.find((entry) => lostBytes(entry).lost !== undefined);
    if (lost === undefined) return { change, end: { removed } };
    const { lost: why } = lostBytes(lost);
    if (entries.length === 1) return { change, end: { removed, ...lostBytes(lost) } };
    return {
      change,
      end: { removed },
      partly: `Undoing the change of "${path}" does not restore "${lost.path}": ${why}.`,
    };
  }

  /** Stores the bytes of a file. */
  async #old(path: string, info: FsEntryInfo, io: Io | undefined): Promise<Old> {
    const { recorder, root, maxFileBytes } = this.#recording;
    const { mode, target, kind, size } = info;
    if (target !== undefined) return { entry: { kind: "link", target } };
    if (kind === "directory") return { entry: { kind, mode } };
    if (kind !== "file") return { entry: { kind: "other" } };
    const known = { kind, size, mode };
    if (size > maxFileBytes) return { entry: known };
    // A large file is copied in chunks: its bytes are needed for nothing else.
    const bytes =
      size > MAX_COUNTED_BYTES ? undefined : await root.readBytes(path, { ...this.#io(io), maxBytes: maxFileBytes });
    const chunks = bytes === undefined ? root.openRead(path, { ...this.#io(io), isScan: true }) : [bytes];
    const stored = await recorder.keep(chunks, bytes?.length ?? size);
    return { entry: { ...known, ...stored }, ...(bytes === undefined ? {} : { bytes }) };
  }

  async #oldNames(
    from: string,
    to: string,
    replace: boolean,
    io: Io | undefined,
  ): Promise<Extract<Change, { kind: "rename" }>> {
    const { root, maxFileBytes, digest } = this.#recording;
    const source = await this.#entry(from, "delete", io);
    const destination = await this.#entry(to, replace ? "write" : "create", io);
    const { target, kind, size = 0, modifiedMs = 0 } = source.info ?? {};
    const isFile = kind === "file" && target === undefined;
    const moved = {
      kind: target === undefined ? (kind ?? "other") : "link",
      size: isFile ? size : 0,
      modifiedMs,
      ...(isFile && size <= maxFileBytes
        ? { sha256: await digest(await root.readBytes(source.real, { ...this.#io(io), maxBytes: maxFileBytes })) }
        : {}),
    };
    const replaced =
      destination.info === undefined || !replace
        ? {}
        : { replaced: (await this.#old(destination.real, destination.info, io)).entry };
    return { kind: "rename", from: source.real, to: destination.real, moved, ...replaced };
  }
}

sealPort(RecordedFs);

/** Why a write cannot be undone. */
function lostOfWrite(before: OldEntry | undefined, done: ReplaceResult): { readonly lost?: string } {
  if (done.created) return before === undefined ? {} : { lost: "the file was deleted and created again meanwhile" };
  if (before?.kind !== "file") return { lost: "another program created the file meanwhile" };
  if (before.sha256 === undefined) return lostBytes(before);
  return done.before === null || done.before === before.sha256
    ? {}
    : { lost: "another program changed the file meanwhile" };
}

function lostBytes(old: OldEntry | undefined): { readonly lost?: string } {
  if (old?.kind !== "file" || old.content !== undefined) return {};
  return { lost: `its ${old.size} old bytes are more than the undo log stores` };
}

/** The lines that differ, where both are text of a size that is quickly compared. */
function linesOf(
  before: Uint8Array | undefined,
  after: Uint8Array,
): { readonly added?: number; readonly removed?: number } {
  const [old, next] = [before ?? new Uint8Array(), after].map(textOf);
  if (old === undefined || next === undefined) return {};
  return countChangedLines(old, next);
}

function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.length > MAX_COUNTED_BYTES || bytes.includes(0)) return undefined;
  return new TextDecoder().decode(bytes);
}
