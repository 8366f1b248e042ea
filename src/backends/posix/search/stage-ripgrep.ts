/** Copies the ripgrep of Haft's package to the remote machine. */
import { createReadStream } from "node:fs";
import { arch, platform } from "node:os";
import type { Fs } from "../../../kernel/index.js";

/** What `uname -s` and `uname -m` print on the machines that the package's program of this machine runs on. */
const SYSTEMS: Readonly<Record<string, string>> = { linux: "Linux", darwin: "Darwin" };
const MACHINES: Readonly<Record<string, readonly string[]>> = { x64: ["x86_64", "amd64"], arm64: ["aarch64", "arm64"] };

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
  const [system, machine = ""] = (await print("uname -s -m")).trim().split(" ");
  if (system === undefined || system !== SYSTEMS[platform()] || MACHINES[arch()]?.includes(machine) !== true)
    return undefined;
  const path = `${directory}/rg`;
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    await fs.replaceFrom(path, createReadStream(rgPath), "absent", { mode: 0o700 });
    return path;
  } catch {
    return undefined; // searches do without it
  }
}
