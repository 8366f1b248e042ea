/** Copies the ripgrep of Haft's package to the remote machine. */
import { createReadStream } from "node:fs";
import { isSameKindOfMachine } from "../../../host/index.js";
import type { Fs } from "../../../kernel/index.js";

export interface StagingPlace {
  readonly fs: Fs;
  /** The remote directory for it: private, and deleted with the backend. */
  readonly directory: string;
}

/**
 * Copies about 6 MB. On Linux the program is linked statically, so that it needs nothing of the remote machine.
 *
 * @param print - Runs a command on the remote machine, and returns what it prints.
 * @returns its path, for `print`; undefined where the remote machine is of another kind, the package has no program for this one, or
 * the directory cannot take it.
 */
export async function stageRipgrep(
  { fs, directory }: StagingPlace,
  print: (command: string) => Promise<string>,
): Promise<string | undefined> {
  if (!isSameKindOfMachine(await print("uname -s -m"))) return undefined;
  const path = `${directory}/rg`;
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    await fs.replaceFrom(path, createReadStream(rgPath), "absent", { mode: 0o700 });
    return path;
  } catch {
    return undefined; // searches do without it
  }
}
