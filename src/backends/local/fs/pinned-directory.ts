/** A directory held fast: what is done through it happens in that directory, whatever its path leads to meanwhile. */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from "node:fs";

/** "pinned": by descriptor. "checked": by real path, where the system shows no descriptors; a swap can win there. */
export type GuardMode = "pinned" | "checked";

/** A held directory, wherever it is. */
export interface PinnedDirectoryHandle {
  /** A path that the system takes for a child of this directory; for "" the directory itself. */
  at(name: string): string;
  /** What the directory takes by itself: it grows with the number of its entries. */
  sizeBytes(): number;
  close(): void;
}

export interface DirectoryAnchor extends PinnedDirectoryHandle {
  /** Where the directory really is. */
  readonly real: string;
  /** The same directory for one more user, who closes it too. */
  share(): DirectoryAnchor;
}

// Node does not name it: a descriptor that only stands for the directory, so no read permission is needed.
const O_PATH = 0o10000000;
const DIRECTORY_FLAGS = O_PATH | constants.O_DIRECTORY;

/** What this system can do. */
export function guardMode(): GuardMode {
  return process.platform === "linux" && existsSync("/proc/self/fd") ? "pinned" : "checked";
}

/**
 * Holds the directory that `path` leads to, symlinks followed. `path` may be one that `Anchor.at` gave.
 * @throws The system's error: ENOENT, ENOTDIR, EACCES, ELOOP.
 */
export function openAnchor(path: string, mode: GuardMode): DirectoryAnchor {
  return mode === "pinned" ? new PathDirectory(path, DIRECTORY_FLAGS) : new CheckedDirectory(path);
}

/** As `openAnchor`, but a symlink at the end is no directory. @throws ENOTDIR for it. */
export function openAnchorItself(path: string, mode: GuardMode): DirectoryAnchor {
  if (mode === "pinned") return new PathDirectory(path, DIRECTORY_FLAGS | constants.O_NOFOLLOW);
  if (lstatSync(path).isDirectory()) return new CheckedDirectory(path);
  throw systemError("ENOTDIR", "not a directory");
}

/** As `openAnchorItself`, for a directory that is looked into by way of a held one: where it is need not be asked. */
export function openDirectoryIn(above: PinnedDirectoryHandle, name: string, mode: GuardMode): PinnedDirectoryHandle {
  if (mode === "pinned") return new PinnedDirectory(above.at(name), DIRECTORY_FLAGS | constants.O_NOFOLLOW);
  return openAnchorItself(above.at(name), mode);
}

class PinnedDirectory implements PinnedDirectoryHandle {
  protected readonly descriptor: number;
  protected readonly base: string;
  #users = 1;

  constructor(path: string, flags: number) {
    this.descriptor = openSync(path, flags);
    this.base = `/proc/self/fd/${this.descriptor}`;
  }

  at(name: string): string {
    return name === "" ? `${this.base}/.` : `${this.base}/${name}`;
  }

  sizeBytes(): number {
    return fstatSync(this.descriptor).size;
  }

  share(): this {
    this.#users += 1;
    return this;
  }

  close(): void {
    this.#users -= 1;
    if (this.#users === 0) closeSync(this.descriptor);
  }
}

class PathDirectory extends PinnedDirectory implements DirectoryAnchor {
  readonly real: string;

  constructor(path: string, flags: number) {
    super(path, flags);
    try {
      this.real = this.#place();
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }

  /** The kernel marks the place of a directory that was removed; nothing can be made in it any more. */
  #place(): string {
    const real = readlinkSync(this.base);
    if (real.endsWith(" (deleted)") && fstatSync(this.descriptor).nlink === 0) {
      throw systemError("ENOENT", "no such file or directory");
    }
    return real;
  }
}

class CheckedDirectory implements DirectoryAnchor {
  readonly real: string;

  constructor(path: string) {
    this.real = realpathSync.native(path);
    if (statSync(this.real).isDirectory()) return;
    throw systemError("ENOTDIR", "not a directory");
  }

  at(name: string): string {
    if (name === "") return this.real;
    return this.real === "/" ? `/${name}` : `${this.real}/${name}`;
  }

  sizeBytes(): number {
    return statSync(this.real).size;
  }

  share(): this {
    return this;
  }

  close(): void {}
}

function systemError(code: string, text: string): Error {
  return Object.assign(new Error(`${code}: ${text}, open`), { code, syscall: "open" });
}
