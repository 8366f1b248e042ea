/** The files of a target as they will be after the steps planned so far, without changing any. */
import { type Digest, type Fs, HaftError, isWithin } from "../../kernel/index.js";
import { parentOf } from "../../text/index.js";

/** What is, or will be, at a path. */
export type Prospect =
  | { readonly kind: "absent" | "link" | "other" }
  | { readonly kind: "directory"; readonly isNew: boolean }
  | {
      readonly kind: "file";
      readonly size: number;
      /** Of a file as it is now; undefined for one that will be written. */
      readonly modifiedMs?: number;
      sha256(): Promise<string>;
      bytes(): Promise<Uint8Array>;
    };

export const ABSENT: Prospect = { kind: "absent" };

export class ProspectiveFiles {
  readonly #fs: Fs;
  readonly #digest: Digest;
  /** Planned entries by their path. */
  readonly #planned = new Map<string, Prospect>();
  /** Where planned moves bring what is now at another path. */
  readonly #moved = new Map<string, string>();

  constructor(fs: Fs, digest: Digest) {
    this.#fs = fs;
    this.#digest = digest;
  }

  async at(path: string): Promise<Prospect> {
    for (let above = path; ; above = parentOf(above)) {
      const planned = this.#planned.get(above);
      if (above === path && planned !== undefined) return planned;
      // What is created or removed has no other contents than those that are planned.
      if (planned !== undefined && !(planned.kind === "directory" && !planned.isNew)) return ABSENT;
      const now = this.#moved.get(above);
      if (now !== undefined) return this.#now(now + path.slice(above.length));
      if (above === "/") return this.#now(path);
    }
  }

  put(path: string, prospect: Prospect): void {
    this.#planned.set(path, prospect);
  }

  move(from: string, to: string): void {
    const now = this.#nowOf(from);
    const planned = this.#planned.get(from);
    for (const map of [this.#planned, this.#moved] as readonly Map<string, unknown>[])
      for (const [path, value] of [...map])
        if (isWithin(from, path)) {
          map.delete(path);
          map.set(to + path.slice(from.length), value);
        }
    if (planned === undefined) {
      this.#planned.delete(to);
      this.#moved.set(to, now);
    }
    this.#planned.set(from, ABSENT);
  }

  /** Whether a directory will have no entries. */
  async isEmpty(path: string): Promise<boolean> {
    const planned = this.#planned.get(path);
    for (const [child, { kind }] of this.#planned)
      if (kind !== "absent" && child !== path && parentOf(child) === path) return false;
    for (const child of this.#moved.keys())
      if (parentOf(child) === path && (await this.at(child)).kind !== "absent") return false;
    if (planned?.kind === "directory" && planned.isNew) return true;
    const { children, more } = await this.#fs.readDir(this.#nowOf(path));
    if (more) return false;
    for (const { name } of children) if ((await this.at(`${path}/${name}`)).kind !== "absent") return false;
    return true;
  }

  /** Where what will be at the path is now. */
  #nowOf(path: string): string {
    for (let above = path; above !== "/"; above = parentOf(above)) {
      const now = this.#moved.get(above);
      if (now !== undefined) return now + path.slice(above.length);
    }
    return path;
  }

  async #now(path: string): Promise<Prospect> {
    const info = await this.#fs.stat(path).catch((thrown: unknown) => {
      if (HaftError.is(thrown, "FS_NOT_FOUND") || HaftError.is(thrown, "FS_NOT_A_DIRECTORY")) return undefined;
      throw thrown;
    });
    if (info === undefined) return ABSENT;
    if (info.target !== undefined) return { kind: "link" };
    if (info.kind === "directory") return { kind: "directory", isNew: false };
    if (info.kind !== "file") return { kind: "other" };
    const bytes = () => this.#fs.readBytes(path);
    const { size, modifiedMs } = info;
    return { kind: "file", size, modifiedMs, bytes, sha256: async () => this.#digest(await bytes()) };
  }
}
