/** A pinned directory: operations through it work in that directory, even when its path is changed meanwhile. */
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

/** "pinned": by descriptor. "checked": by real path, on systems without /proc/self/fd; there a race is possible. */
export type GuardMode = "pinned" | "checked";

/** A pinned directory. */
export interface PinnedDirectoryHandle {
  /** A path to a child of this directory, for system calls; "" for the directory itself. */
  at(name: string): string;
  /** The size of the directory file, which grows with the number of entries. */
  sizeBytes(): number;
  close(): void;
}

export interface DirectoryAnchor extends PinnedDirectoryHandle {
  /** The real path. */
  readonly real: string;
  /** Adds a user, who also calls `close`. */
  share(): DirectoryAnchor;
}

// Missing in Node's constants. A descriptor of this kind needs no read permission.
const O_PATH = 0o10000000;
const DIRECTORY_FLAGS = O_PATH | constants.O_DIRECTORY;

/** The guard mode of this system. */
export function guardMode(): GuardMode {
  return process.platform === "linux" && existsSync("/proc/self/fd") ? "pinned" : "checked";
}

/**
 * Pins a directory; symlinks are followed. `path` may come from `at`.
 * @throws The system's error: ENOENT, ENOTDIR, EACCES, ELOOP.
 */
export function openAnchor(path: string, mode: GuardMode): DirectoryAnchor {
  return mode === "pinned" ? new PathDirectory(path, DIRECTORY_FLAGS) : new CheckedDirectory(path);
}

/** Like `openAnchor`, but does not follow a symlink as the last component. @throws ENOTDIR for it. */
export function openAnchorItself(path: string, mode: GuardMode): DirectoryAnchor {
  if (mode === "pinned") return new PathDirectory(path, DIRECTORY_FLAGS | constants.O_NOFOLLOW);
  if (lstatSync(path).isDirectory()) return new CheckedDirectory(path);
  throw systemError("ENOTDIR", "not a directory");
}

/** Like `openAnchorItself`, for a child of a pinned directory; its real path is not determined. */
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

  /** Linux appends " (deleted)" to the path of a removed directory. */
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
