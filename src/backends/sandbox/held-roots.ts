/**
 * The directories that commands can change, held by descriptors from the opening of the sandbox on. A path in them is followed from the
 * descriptor, name by name and never through a symlink, so that no command chooses what is mounted, read or created for a later one.
 */
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { isWithin, systemCode } from "../../kernel/index.js";

// Missing in Node's constants. A descriptor of this kind needs no read permission.
const O_PATH = 0o10000000;
const ITSELF = O_PATH | constants.O_NOFOLLOW;
const MAX_READ_BYTES = 1024 * 1024;

export class HeldRoots {
  readonly #roots = new Map<string, number>();

  /** @param paths - Real paths of directories. @throws The system's error; Error if a path does not lead where it seems to. */
  constructor(paths: readonly string[]) {
    try {
      for (const path of new Set(paths)) {
        const descriptor = openSync(path, O_PATH | constants.O_DIRECTORY);
        this.#roots.set(path, descriptor);
        if (pathOf(descriptor) !== path) throw new Error(`"${path}" is a symlink or was moved`);
      }
    } catch (thrown) {
      this.close();
      throw thrown;
    }
  }

  has(path: string): boolean {
    return this.#rootOf(path) !== undefined;
  }

  /** The directories that are no longer where they were. */
  moved(): readonly string[] {
    return [...this.#roots].filter(([path, descriptor]) => pathOf(descriptor) !== path).map(([path]) => path);
  }

  /** What is at a path in a root: undefined if nothing is, or if a directory on the way is missing or a symlink. */
  info(path: string): Stats | undefined {
    return this.#use(path, ITSELF, (descriptor) => fstatSync(descriptor));
  }

  /**
   * A descriptor of the file or directory, for whoever closes it; undefined if there is none of these.
   * @throws The system's error, such as EMFILE.
   */
  open(path: string): number | undefined {
    const descriptor = this.#open(path, ITSELF);
    if (descriptor === undefined || isPlain(fstatSync(descriptor))) return descriptor;
    closeSync(descriptor);
    return undefined;
  }

  /** The text of a small file; undefined if there is none. */
  read(path: string): string | undefined {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    return this.#use(path, flags, smallText);
  }

  /**
   * Calls `use` with a path in /proc of the directory, which stays the same directory when that is renamed: to list, create and remove
   * what is in it. Undefined, without a call, if there is no such directory.
   */
  inside<T>(path: string, use: (here: string) => T): T | undefined {
    return this.#use(path, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW, (descriptor) => use(at(descriptor)));
  }

  /** Creates a directory, or with a text a file, in an existing directory. @throws The system's error, such as EEXIST. */
  create(path: string, text?: string): void {
    this.inside(dirname(path), (above) => {
      const place = above + path.slice(dirname(path).length);
      if (text === undefined) mkdirSync(place);
      else writeFileSync(place, text, { flag: "wx" });
    });
  }

  /** Removes an empty directory, or a file with this text. Anything else stays. */
  removeIfUnchanged(path: string, text: string | undefined): void {
    try {
      if (text !== undefined && this.read(path) !== text) return;
      this.inside(dirname(path), (above) => {
        const place = above + path.slice(dirname(path).length);
        if (text === undefined) rmdirSync(place);
        else unlinkSync(place);
      });
    } catch {
      // It is in use, gone, or a command has taken away the permissions.
    }
  }

  close(): void {
    for (const descriptor of this.#roots.values()) closeSync(descriptor);
    this.#roots.clear();
  }

  #rootOf(path: string): string | undefined {
    const containing = [...this.#roots.keys()].filter((root) => isWithin(root, path));
    return containing.sort((one, other) => other.length - one.length)[0];
  }

  #use<T>(path: string, flags: number, use: (descriptor: number) => T): T | undefined {
    const descriptor = this.#open(path, flags);
    if (descriptor === undefined) return undefined;
    try {
      return use(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  #open(path: string, flags: number): number | undefined {
    const root = this.#rootOf(path);
    if (root === undefined) return undefined;
    const names = path
      .slice(root.length)
      .split("/")
      .filter((name) => name !== "");
    let descriptor: number | undefined;
    try {
      // "." opens the root anew.
      for (const [index, name] of (names.length === 0 ? ["."] : names).entries()) {
        const above = descriptor;
        const isLast = index >= names.length - 1;
        const from = at(above ?? this.#roots.get(root)!);
        descriptor = openSync(`${from}/${name}`, isLast ? flags : ITSELF | constants.O_DIRECTORY);
        if (above !== undefined) closeSync(above);
      }
      return descriptor;
    } catch (thrown) {
      if (descriptor !== undefined) closeSync(descriptor);
      if (["ENOENT", "ENOTDIR", "ELOOP", "ENXIO"].includes(systemCode(thrown) ?? "")) return undefined;
      throw thrown;
    }
  }
}

/** Undefined for what is not a file, or a larger one than 1 MiB. */
export function smallText(descriptor: number): string | undefined {
  const info = fstatSync(descriptor);
  return info.isFile() && info.size <= MAX_READ_BYTES ? readFileSync(descriptor, "utf8") : undefined;
}

export const isPlain = (info: Stats | undefined): boolean => info?.isFile() === true || info?.isDirectory() === true;
const at = (descriptor: number): string => `/proc/self/fd/${descriptor}`;
const pathOf = (descriptor: number): string => readlinkSync(at(descriptor));
