import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";

/** PATH is not searched: under `npx` its first directory belongs to the workspace, whose code must not run without a policy. */
const SYSTEM_DIRECTORIES = ["/usr/bin", "/bin"];

/** The absolute path of a program of the operating system; undefined if it is not installed. */
export function systemProgram(name: string): string | undefined {
  return SYSTEM_DIRECTORIES.map((directory) => join(directory, name)).find(isProgram);
}

/** Whether a path leads to an executable file. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
