/** Which directories may be a workspace. */
import { isWithin } from "../kernel/index.js";
import { normalizePath, parentOf } from "../text/index.js";

/** Directories that hold other things than somebody's project: not themselves, but what is in them may be a workspace. */
const SHARED = [
  "/home",
  "/Users",
  "/media",
  "/mnt",
  "/opt",
  "/private",
  "/run",
  "/srv",
  "/tmp",
  "/usr",
  "/usr/local",
  "/usr/src",
  "/var",
  "/var/tmp",
  "/Volumes",
];

/** Directories of the system, with all that is in them. */
const SYSTEM = [
  "/bin",
  "/boot",
  "/dev",
  "/etc",
  "/lib",
  "/lib32",
  "/lib64",
  "/proc",
  "/sbin",
  "/sys",
  "/usr/bin",
  "/usr/include",
  "/usr/lib",
  "/usr/lib64",
  "/usr/libexec",
  "/usr/sbin",
  "/usr/share",
  "/Applications",
  "/Library",
  "/System",
  "/private/etc",
];

/** Directories whose children are the homes of users. */
const HOMES = ["/home", "/Users"];

/**
 * Why this directory must not be a workspace, as a sentence that ends with what to do; undefined when it may. The root of the
 * file system, a home directory and the directories of the system are refused: a tool that may write there may write anywhere.
 *
 * @param path - Absolute, with its symlinks followed.
 * @param home - The home directory of the user.
 */
export function workspaceProblem(path: string, home: string): string | undefined {
  const directory = normalizePath(path);
  const what = kindOf(directory, normalizePath(home));
  if (what === undefined) return undefined;
  return `Did not take "${directory}" as the workspace: it is ${what}. Start in a project directory, or pass \`--workspace DIR\`.`;
}

function kindOf(directory: string, home: string): string | undefined {
  if (directory === "/") return "the root of the file system";
  if (directory === home || directory === "/root" || HOMES.includes(parentOf(directory))) return "a home directory";
  if (isWithin(directory, home)) return "a directory that contains home directories";
  if (SHARED.includes(directory) || SYSTEM.some((root) => isWithin(root, directory))) return "a system directory";
  return undefined;
}
