import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isWithin } from "../../kernel/index.js";

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

/**
 * The first program of this name in an absolute directory of `path` outside the workspace. Under `npx`, PATH contains
 * `node_modules/.bin` of the workspace, and its programs must not run without a policy. The root directory as workspace excludes nothing.
 */
export function programOnPath(
  name: string,
  { path, workspace }: { readonly path: string; readonly workspace?: string | undefined },
): string | undefined {
  const directories = path.split(":").filter((one) => isAbsolute(one));
  return directories
    .map((directory) => join(directory, name))
    .find((file) => isProgram(file) && (workspace === undefined || workspace === "/" || !isInside(workspace, file)));
}

/** Whether the file or its target is inside the directory, symlinks followed. True if that cannot be determined. */
function isInside(directory: string, file: string): boolean {
  try {
    const real = realpathSync(directory);
    return [directory, real].some((one) => isWithin(one, file)) || isWithin(real, realpathSync(file));
  } catch {
    return true;
  }
}
