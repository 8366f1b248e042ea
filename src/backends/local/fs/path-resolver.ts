/** Resolves a path, authorizes its real path, and pins its directory until the operation has ended. */
import { type BigIntStats, lstatSync, readlinkSync } from "node:fs";
import { requireNoProcessSecret } from "../../../host/index.js";
import {
  type Access,
  type Binding,
  covers,
  type EntryKind,
  FS_OPERATIONS,
  type FsEntryInfo,
  type FsOperation,
  HaftError,
  MAX_SYMLINKS,
  type ResolvedPath,
  requireAuthorized,
  requireCovered,
  requireLive,
  requirePath,
  type SpecialFileKind,
} from "../../../kernel/index.js";
import { baseName, childPath, normalizePath, parentOf, walkMissing } from "../../../text/index.js";
import { localFsFault, symlinkLoop, systemCode } from "./faults.js";
import { type DirectoryAnchor, type GuardMode, openAnchor } from "./pinned-directory.js";

/** A name in a pinned directory, and the entry of that name. */
export interface PinnedPath {
  /** The requested path, for messages. */
  readonly asked: string;
  readonly anchor: DirectoryAnchor;
  /** The name in the directory; "" for the root directory. */
  readonly name: string;
  /** The real path. */
  readonly real: string;
  /** A path through the pinned directory, for system calls. */
  readonly path: string;
  /** The entry, symlinks not followed; undefined if it does not exist. */
  readonly info: BigIntStats | undefined;
}

export interface FindOptions {
  /** The operation, for messages. */
  readonly operation: FsOperation;
  readonly access: Access;
  /** The required access if the entry exists. Default: `access`. */
  readonly accessIfThere?: Access;
  /** Whether a symlink as the last component is followed. Default true. */
  readonly follow?: boolean;
}

/** Why file tools may not use a real path, as a clause with the next step; undefined if they may. See `Launcher.refusal`. */
export type Refusal = (real: string, access: Access) => string | undefined;

/** Resolves paths for one binding. */
export class PathResolver {
  readonly mode: GuardMode;
  readonly #binding: Binding | undefined;
  readonly #requireOpen: () => void;
  readonly #refusal: Refusal | undefined;
  #begun: { readonly directory: string; readonly name: string; readonly pinned: PinnedPath } | undefined;

  /** @param requireOpen - Throws once the backend is closed. */
  constructor(mode: GuardMode, binding: Binding | undefined, requireOpen: () => void = () => {}, refusal?: Refusal) {
    this.#refusal = refusal;
    this.mode = mode;
    this.#binding = binding;
    this.#requireOpen = requireOpen;
  }

  /**
   * Pins a name in a directory; symlinks in the directory's path are followed. The caller closes its anchor. Operations that
   * begin in the same tick share one lookup: to read a file, a tool requests its real path, its kind and
   * its bytes at once.
   */
  open(asked: string, directory: string, name: string): PinnedPath {
    const begun = this.#begun;
    if (begun?.directory === directory && begun.name === name)
      return { ...begun.pinned, asked, anchor: begun.pinned.anchor.share() };
    const pinned = pinPath(asked, openAnchor(directory, this.mode), name);
    pinned.anchor.share();
    const mine = { directory, name, pinned };
    this.#begun = mine;
    queueMicrotask(() => {
      if (this.#begun === mine) this.#begun = undefined;
      pinned.anchor.close();
    });
    return pinned;
  }

  /** @throws `CALL_REVOKED` or the reason that the call ended with; `BACKEND_UNAVAILABLE` once the backend is closed. */
  requireLive(): void {
    this.#requireOpen();
    if (this.#binding !== undefined) requireLive(this.#binding.call);
  }

  /** @throws `CALL_UNCLAIMED` if the grant does not cover the path as written. */
  requireCovered(path: string, access: Access): void {
    if (this.#binding !== undefined) requireCovered(this.#binding.grant, path, access);
  }

  /** Like `requireCovered`, for any access: a call with some access may also resolve the path. */
  requireAnyCovered(path: string): void {
    const grant = this.#binding?.grant;
    if (grant === undefined || (["read", "create", "delete"] as const).some((access) => covers(grant, path, access))) {
      return;
    }
    requireCovered(grant, path, "read");
  }

  /** @throws `CALL_UNCLAIMED` if the grant excepts something below the directory. */
  requireNothingExcepted(asked: string, real: string, access: Access): void {
    for (const path of this.#binding?.grant.except ?? []) {
      if (path.startsWith(`${asked}/`) || path.startsWith(`${real}/`)) this.requireCovered(path, access);
    }
  }

  /** @throws `FS_PERMISSION` for a path that commands of the backend cannot use so either. Names and sizes may be seen anywhere. */
  requireReach(operation: FsOperation, asked: string, real: string, access: Access): void {
    const why = operation === FS_OPERATIONS.stat ? undefined : this.#refusal?.(real, access);
    if (why === undefined) return;
    throw unreachable(operation, asked, real, why);
  }

  /**
   * What is not there is missing for commands too only where they see the same: otherwise the refusal says more.
   * @throws `FS_PERMISSION`
   */
  #requireSeen(operation: FsOperation, asked: string, access: Access): void {
    if (this.#refusal === undefined) return;
    const { real, missing } = resolveReal(asked, this);
    const why = this.#refusal(missing === "" ? real : childPath(real, missing), access);
    if (why !== undefined) throw unreachable(operation, asked, real, why);
  }

  /** @throws `POLICY_DENIED`, `POLICY_APPROVAL_REQUIRED` */
  async requireReal(asked: string, real: string, access: Access): Promise<void> {
    if (this.#binding === undefined || asked === real) return;
    await requireAuthorized(this.#binding.grant, this.#binding.call, asked, real, access);
    this.requireLive();
  }

  /**
   * Runs `use` on the resolved path while its directory is pinned. The requested path is checked as written before
   * any file access, then the real path is authorized.
   * @throws `CALL_UNCLAIMED`, `POLICY_DENIED`, `POLICY_APPROVAL_REQUIRED`, `FS_BAD_PATH`, `FS_LINK_LOOP`; `FS_NOT_FOUND`
   *   for a missing directory. A system error that `use` throws comes out as an `FS_*` fault.
   */
  async with<T>(path: string, options: FindOptions, use: (resolved: PinnedPath) => T | Promise<T>): Promise<T> {
    const { operation } = options;
    const [did] = operation;
    this.requireLive();
    requirePath(operation, path);
    this.requireCovered(path, options.access);
    let resolved: PinnedPath | undefined;
    try {
      resolved = this.open(path, parentOf(path), baseName(path));
      for (let symlinks = 0; options.follow !== false && resolved.info?.isSymbolicLink() === true; symlinks++) {
        if (symlinks === MAX_SYMLINKS) throw symlinkLoop(did, path);
        const next = this.#follow(resolved, readlinkSync(resolved.path));
        resolved.anchor.close();
        resolved = next;
      }
      requireNoProcessSecret(resolved.asked, resolved.real, did);
      const isThere = resolved.info !== undefined && options.accessIfThere !== undefined;
      if (isThere) this.requireCovered(path, options.accessIfThere!);
      const access = isThere ? options.accessIfThere! : options.access;
      await this.requireReal(path, resolved.real, access);
      this.requireReach(operation, path, resolved.real, access);
      return await use(resolved);
    } catch (thrown) {
      const fault = localFsFault(thrown, did, path);
      if (HaftError.is(fault, "FS_NOT_FOUND")) this.#requireSeen(operation, path, options.access);
      throw fault;
    } finally {
      resolved?.anchor.close();
    }
  }

  /** Resolves the target of a symlink relative to its directory. The system resolves all but the last name. */
  #follow(symlink: PinnedPath, target: string): PinnedPath {
    const slash = target.lastIndexOf("/");
    const name = target.slice(slash + 1);
    const from = target.startsWith("/") ? "" : `${symlink.anchor.at("")}/`;
    if (name !== "" && name !== "." && name !== "..") {
      const directory = slash === -1 ? symlink.anchor.at("") : from + target.slice(0, slash + 1);
      return pinPath(symlink.asked, openAnchor(directory, this.mode), name);
    }
    const directory = openAnchor(from + target, this.mode);
    directory.close();
    return pinPath(symlink.asked, openAnchor(parentOf(directory.real), this.mode), baseName(directory.real));
  }
}

function unreachable([did]: FsOperation, asked: string, real: string, why: string): HaftError {
  return new HaftError("FS_PERMISSION", `Did not ${did} "${asked}": ${why}`, {
    details: { path: asked, real, why, system: `EACCES: permission denied, open '${asked}'` },
  });
}

function pinPath(asked: string, anchor: DirectoryAnchor, name: string): PinnedPath {
  try {
    const path = anchor.at(name);
    const info = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return { asked, anchor, name, real: childPath(anchor.real, name), path, info };
  } catch (thrown) {
    anchor.close();
    throw thrown;
  }
}

/** Resolves a path, also through dangling symlinks. A loop is reported as a symlink. */
export function resolveReal(path: string, finder: PathResolver): ResolvedPath {
  return resolveStep(path, finder, { symlinks: 0 });
}

/**
 * @param path - Absolute; as it is written, since a `..` behind a symlink leaves the directory that the symlink leads to. The system
 *   walks all but the last name.
 */
function resolveStep(path: string, finder: PathResolver, met: { symlinks: number }): ResolvedPath {
  const { directory, name } = lastNameOf(path);
  const isDirectory = name === "" || name === "." || name === "..";
  let anchor: DirectoryAnchor;
  let pinned: PinnedPath | undefined;
  try {
    pinned = isDirectory ? undefined : finder.open(path, directory, name);
    anchor = pinned?.anchor ?? openAnchor(path, finder.mode);
  } catch (thrown) {
    const code = systemCode(thrown);
    if (code === "ELOOP") return { real: normalizePath(directory), missing: "", kind: "link" };
    if (code !== "ENOENT" || name === "") throw thrown;
    const above = resolveStep(directory, finder, met);
    if (above.kind !== "absent") return above;
    return { ...walkMissing(above.real, `${above.missing}/${name}`), kind: "absent" };
  }
  try {
    if (pinned === undefined) return { real: anchor.real, missing: "", kind: "directory" };
    const { real, info } = pinned;
    if (info === undefined) return { real: anchor.real, missing: name, kind: "absent" };
    if (!info.isSymbolicLink()) return { real, missing: "", kind: kindOf(info) };
    if (++met.symlinks > MAX_SYMLINKS) return { real, missing: "", kind: "link" };
    const target = readlinkSync(pinned.path);
    return resolveStep(target.startsWith("/") ? target : `${anchor.real}/${target}`, finder, met);
  } finally {
    anchor.close();
  }
}

/** The name is empty for the root alone. */
function lastNameOf(path: string): { readonly directory: string; readonly name: string } {
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  const slash = path.lastIndexOf("/", end - 1);
  return { directory: path.slice(0, slash) || "/", name: path.slice(slash + 1, end) };
}

export function kindOf(info: BigIntStats): EntryKind {
  if (info.isFile()) return "file";
  if (info.isDirectory()) return "directory";
  return info.isSymbolicLink() ? "link" : "other";
}

/** The kind of a special file for `FS_NOT_A_FILE`; undefined for a regular file. */
export function specialFileKindOf(info: BigIntStats): SpecialFileKind | undefined {
  if (info.isFile()) return undefined;
  if (info.isDirectory()) return "directory";
  if (info.isFIFO()) return "fifo";
  if (info.isSocket()) return "socket";
  return info.isSymbolicLink() ? "link" : "device";
}

/** Changes whenever identity, size or modification time change. Opaque. */
export function versionOf(info: BigIntStats): string {
  return `${info.dev}-${info.ino}-${info.size}-${info.ctimeNs}-${info.mtimeNs}`;
}

export function entryInfo(info: BigIntStats, target?: string): FsEntryInfo {
  const kind = kindOf(info);
  return {
    kind,
    size: kind === "file" ? Number(info.size) : 0,
    modifiedMs: Number(info.mtimeMs),
    mode: Number(info.mode) & 0o7777,
    version: versionOf(info),
    ...(target === undefined ? {} : { target }),
  };
}
