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
 * What this directory is, such as "a home directory", if that must not be a workspace; undefined when it may. The root of the
 * file system, a home directory and the directories of the system are refused: a tool that may write there may write anywhere.
 *
 * @param path - Absolute, with its symlinks followed.
 * @param home - The home directory of the user.
 */
export function notAWorkspace(path: string, home: string): string | undefined {
  return kindOf(normalizePath(path), normalizePath(home));
}

function kindOf(directory: string, home: string): string | undefined {
  if (directory === "/") return "the root of the file system";
  if (directory === home || directory === "/root" || HOMES.includes(parentOf(directory))) return "a home directory";
  if (isWithin(directory, home)) return "a directory that contains home directories";
  if (SHARED.includes(directory) || SYSTEM.some((root) => isWithin(root, directory))) return "a system directory";
  return undefined;
}
