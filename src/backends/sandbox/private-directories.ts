/** The directories of one sandbox on this machine: what its commands find as `/tmp` and as their home directory. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { processStart } from "../../host/index.js";
import { HaftError, isWithin, messageOf } from "../../kernel/index.js";
import { gitSettings, quotedValue, settingsText, userSettingsFiles } from "./git-settings.js";
import type { PrivateDirectories } from "./layout.js";
import { runningMounts } from "./running-mounts.js";

const PREFIX = "haft-sandbox-";
/** What a killed host left is removed when it is older. */
const STALE_MS = 7 * 24 * 3_600_000;

/**
 * @param roots - What its commands may change.
 * @throws `CONFIG_INVALID` where they could move the private directories, `BACKEND_UNAVAILABLE` where those cannot be created.
 */
export function createPrivateDirectories(home: string, roots: readonly string[]): PrivateDirectories {
  let root: string | undefined;
  try {
    const above = directoryAbove(roots);
    removeStale(above);
    root = mkdtempSync(join(above, PREFIX));
    return filled(root, home, roots);
  } catch (thrown) {
    if (root !== undefined) removePrivateDirectories(root);
    if (HaftError.is(thrown)) throw thrown;
    throw new HaftError(
      "BACKEND_UNAVAILABLE",
      `Did not open "sandbox": its private directories cannot be created in the directory of temporary files, "${tmpdir()}" (${messageOf(thrown)}). Set TMPDIR to a directory where this user can create files.`,
      { details: { target: "sandbox" } },
    );
  }
}

function directoryAbove(roots: readonly string[]): string {
  const above = realpathSync(tmpdir());
  const around = roots.find((root) => isWithin(root, above));
  if (around !== undefined)
    throw new HaftError(
      "CONFIG_INVALID",
      `Did not open "sandbox": the directory of temporary files, "${above}", lies in "${around}", which commands may change. Set TMPDIR to a directory outside of it.`,
      { details: { target: "sandbox" } },
    );
  return above;
}

function filled(root: string, home: string, roots: readonly string[]): PrivateDirectories {
  const own = Object.freeze({
    root,
    tmp: join(root, "tmp"),
    home: join(root, "home"),
    scripts: join(root, "scripts"),
    net: join(root, "net"),
  });
  for (const path of [own.tmp, own.home, own.scripts, own.net]) mkdirSync(path, { mode: 0o700 });
  writeFileSync(join(root, "owner"), `${process.pid} ${processStart(process.pid)}\n${roots.join("\0")}\n`);
  const identity = gitIdentity(home);
  if (identity !== "") writeFileSync(join(own.home, ".gitconfig"), identity);
  return own;
}

/** What cannot be removed stays: a command may have left a directory of another user, or one that is in use. */
export function removePrivateDirectories(root: string): void {
  try {
    rmSync(root, { recursive: true, force: true });
  } catch {
    openDirectories(root);
    try {
      rmSync(root, { recursive: true, force: true });
    } catch {
      // What another user owns, or a mount is on, stays.
    }
  }
}

/** Directories without permissions cannot be emptied. Symlinks are not followed. */
function openDirectories(directory: string): void {
  try {
    chmodSync(directory, 0o700);
    for (const child of readdirSync(directory, { withFileTypes: true }))
      if (child.isDirectory()) openDirectories(join(directory, child.name));
  } catch {
    // Another user owns it, or it is gone: then the attempt to remove it fails as before.
  }
}

/** Whether another sandbox of this user that is open may change this directory. */
export function isUsedByAnother(directory: string, own: string): boolean {
  const others = readdirSync(dirname(own)).filter((name) => name.startsWith(PREFIX) && name !== basename(own));
  return others.some((name) => {
    try {
      const root = join(dirname(own), name);
      if (!isOwn(root)) return false;
      const [, roots = ""] = readFileSync(join(root, "owner"), "utf8").split("\n");
      return roots.split("\0").includes(directory) && isOpen(root);
    } catch {
      return false;
    }
  });
}

/** Whether this user created it: what others put there may be a pipe that is never written to. */
function isOwn(root: string): boolean {
  const info = lstatSync(root);
  return info.isDirectory() && info.uid === process.getuid?.();
}

/** Whether the process that created it runs. */
function isOpen(root: string): boolean {
  const [pid = 0, start] = (readFileSync(join(root, "owner"), "utf8").split("\n")[0] ?? "").split(" ").map(Number);
  return processStart(pid) === start;
}

function removeStale(above: string): void {
  for (const name of readdirSync(above).filter((one) => one.startsWith(PREFIX))) {
    const root = join(above, name);
    try {
      const isOld = isOwn(root) && Date.now() - lstatSync(root).mtimeMs > STALE_MS;
      const isUsed = () => isOpen(root) || runningMounts().some((places) => places.has(root));
      if (isOld && !isUsed()) removePrivateDirectories(root);
    } catch {
      // Not one of ours, or just removed.
    }
  }
}

/** The user's name and address for commits: the rest of the configuration may hold credentials and name programs. */
function gitIdentity(home: string): string {
  const found = new Map(userSettingsFiles(home).flatMap((file) => gitSettings(settingsText(file))));
  const lines = ["name", "email"].flatMap((name) => {
    const value = found.get(`user.${name}`);
    return value === undefined ? [] : [`\t${name} = ${quotedValue(value)}\n`];
  });
  return lines.length === 0 ? "" : `[user]\n${lines.join("")}`;
}
