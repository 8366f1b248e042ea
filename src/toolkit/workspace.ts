/** Which folders may be a workspace. */
import { isWithin } from "../kernel/index.js";
import { normalizePath, parentOf } from "../text/index.js";

/** Folders that hold other things than somebody's project: not themselves, but what is in them may be a workspace. */
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

/** Folders of the system, with all that is in them. */
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

/** Folders whose children are the homes of people. */
const HOMES = ["/home", "/Users"];

/**
 * Why this folder must not be a workspace, as a sentence that ends with what to do; undefined when it may. The root of the
 * file system, a home folder and the folders of the system are refused: a tool that may write there may write anywhere.
 *
 * @param path - Absolute, with its links followed.
 * @param home - The home folder of the user.
 */
export function workspaceProblem(path: string, home: string): string | undefined {
  const folder = normalizePath(path);
  const what = kindOf(folder, normalizePath(home));
  if (what === undefined) return undefined;
  return `Did not take "${folder}" as the workspace: it is ${what}. Start in the folder of a project, or add \`--workspace DIR\` with that folder.`;
}

function kindOf(folder: string, home: string): string | undefined {
  if (folder === "/") return "the root of the file system";
  if (folder === home || folder === "/root" || HOMES.includes(parentOf(folder))) return "a home folder";
  if (isWithin(folder, home)) return "a folder that holds home folders";
  if (SHARED.includes(folder) || SYSTEM.some((root) => isWithin(root, folder))) return "a folder of the system";
  return undefined;
}
