import type { HeldFolder } from "../fs-anchor.js";

interface Entered {
  readonly path: string;
  readonly folder: HeldFolder;
}

/**
 * The folders from the root of a walk down to the one that was listed last, each of them held: the next is entered through
 * the one above it, so that no part of its path is looked up again and no link that was put in its way is walked through.
 */
export class HeldFolders {
  readonly #entered: Entered[] = [];
  #isClosed = false;

  /** The held folder above a path; undefined where it is none of those. What the walk has left is let go. */
  above(path: string): HeldFolder | undefined {
    const parent = path.slice(0, path.lastIndexOf("/")) || "/";
    if (!this.#entered.some((one) => one.path === parent)) return undefined;
    while (this.#entered.at(-1)!.path !== parent) this.#entered.pop()!.folder.close();
    return this.#entered.at(-1)!.folder;
  }

  /** Keeps a folder until the walk has left it, or all are let go. */
  hold(path: string, folder: HeldFolder): void {
    if (this.#isClosed) folder.close();
    else this.#entered.push({ path, folder });
  }

  close(): void {
    this.#isClosed = true;
    for (const { folder } of this.#entered.splice(0)) folder.close();
  }
}
