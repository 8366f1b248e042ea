import { baseName, parentOf } from "../../text/index.js";
import { isWithin } from "../claims.js";
import { IGNORE_FILES } from "./ignore-stack.js";

/**
 * The folders from the workspace down to the root of a search, without the root. Ignore rules that stand there hold for the
 * search and are not told by it: a source may list these folders and read these files although no claim covers them.
 */
export class FoldersAbove {
  readonly #workspace: string | undefined;
  readonly #root: string;

  constructor(workspace: string | undefined, root: string) {
    this.#workspace = workspace;
    this.#root = root;
  }

  has(folder: string): boolean {
    const workspace = this.#workspace;
    return (
      workspace !== undefined && folder !== this.#root && isWithin(workspace, folder) && isWithin(folder, this.#root)
    );
  }

  /** Whether a path is an ignore file in one of them. */
  hasRules(path: string): boolean {
    return (IGNORE_FILES as readonly string[]).includes(baseName(path)) && this.has(parentOf(path));
  }
}
