/** What commands in the sandbox see of this machine's files: a list of mounts, outer directories first. */
import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { isWithin } from "../../kernel/index.js";
import type { GuardedPaths } from "./protected-paths.js";

export interface Mount {
  /** Where it is in the sandbox. */
  readonly path: string;
  /**
   * "read", "write": the file or directory `source` of this machine. "private": the same, where `source` is a directory of the sandbox
   * that takes the place of another. "guarded": "read" in a directory that is "write". "empty": an empty directory, new for each command.
   * "symlink": `source` is its target.
   */
  readonly how: "read" | "write" | "private" | "guarded" | "empty" | "symlink";
  readonly source: string;
  /** It is left out from when its source is gone. Without it no command starts otherwise. */
  readonly optional?: boolean;
}

export interface LayoutOptions {
  /** Absolute real paths. */
  readonly workspace: string;
  readonly home: string;
  /** The private directory of the sandbox on this machine; see `PrivateDirectories`. */
  readonly own: PrivateDirectories;
  /** The PATH of commands. */
  readonly path: string;
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  readonly guarded: GuardedPaths;
  readonly stateDir: string | undefined;
}

/** Directories of one sandbox, under the same paths inside and outside. */
export interface PrivateDirectories {
  readonly root: string;
  /** `TMPDIR`, and `/tmp` inside. */
  readonly tmp: string;
  /** The home directory inside. */
  readonly home: string;
  /** Files with long commands, which commands cannot change. */
  readonly scripts: string;
  /** The socket of the proxy. */
  readonly net: string;
}

/** What programs need of the system. It is not writable inside. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu"];

/** Files of the system that root alone may read. Commands of root would read them too. */
const SECRETS_OF_ROOT = [
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d", "/etc/ssh"],
  ...["/etc/ssl/private", "/etc/wireguard", "/etc/NetworkManager", "/etc/kubernetes", "/etc/krb5.keytab"],
];

/** Where version managers and package managers install programs below the home directory; no caches, and no credentials. */
const TOOLCHAINS = [
  ...[".local/bin", ".local/lib", ".local/share/pnpm", ".local/share/uv", ".local/share/fnm", ".local/share/mise"],
  ...[".nvm", ".volta", ".asdf", ".pyenv", ".rbenv", ".rustup", ".cargo/bin", ".bun/bin", ".deno/bin", "go/bin"],
  ...[".sdkman/candidates"],
];

/** Creates what does not exist yet of the places where the mounts go in the private directories. */
export function layoutOf(options: LayoutOptions): readonly Mount[] {
  const { workspace, home, own, stateDir, writable, readable, guarded } = options;
  const mounts = new Map<string, Mount>();
  const add = (how: Mount["how"], path: string, source = path, optional = how === "read") => {
    if (!mounts.has(path)) mounts.set(path, { how, path, source, optional });
  };
  add("write", workspace);
  for (const path of writable) add("write", path);
  // Each mount takes bwrap about 0.1 ms a command, as it reads the list of all mounts after each.
  add("read", own.root);
  for (const path of [own.tmp, own.home]) add("write", path);
  for (const path of guarded.readOnly) add("guarded", path);
  for (const path of guarded.whileThere) add("guarded", path, path, true);
  add("private", "/tmp", own.tmp);
  if (home !== "/") add("private", home, own.home);
  for (const path of ["/var/tmp", "/run"]) add("empty", path);
  for (const path of SYSTEM) {
    const info = lstatSync(path, { throwIfNoEntry: false });
    if (info?.isSymbolicLink()) add("symlink", path, readlinkSync(path));
    else if (info !== undefined) add("read", path);
  }
  for (const path of process.getuid?.() === 0 ? SECRETS_OF_ROOT : []) {
    const info = lstatSync(path, { throwIfNoEntry: false });
    if (info?.isDirectory()) add("empty", path);
    else if (info?.isFile()) add("read", path, "/dev/null");
  }
  const isSeen = (path: string) =>
    [...mounts.values()].some((one) => one.path === one.source && isWithin(one.path, path));
  for (const path of [...readable, ...guarded.repositories]) add("read", path);
  // A whole toolchain first: directories of PATH in it are seen then.
  for (const path of [...TOOLCHAINS.map((name) => join(home, name)), ...programDirectories(options.path, home)]) {
    const real = realDirectory(path);
    // What contains the home directory would show its secrets.
    if (real === undefined || isWithin(real, home) || isSeen(real)) continue;
    add("read", path, real);
    if (path !== real) add("read", real);
  }
  if (stateDir !== undefined && isSeen(stateDir)) {
    mkdirSync(stateDir, { recursive: true });
    add("empty", realpathSync.native(stateDir));
  }
  const all = [...mounts.values()];
  return [...all, ...pinned(all)].sort((one, other) => depthOf(one.path) - depthOf(other.path));
}

/**
 * The directories between one that commands can change and what is mounted below it become mounts themselves: a mount cannot be renamed
 * or replaced by a symlink, through which a later command would have its mounts elsewhere.
 */
function pinned(mounts: readonly Mount[]): Mount[] {
  const taken = new Set(mounts.map(({ path }) => path));
  const pins: Mount[] = [];
  for (const mount of mounts) {
    // A more closely enclosing mount has its own directories.
    const base = mounts
      .filter(({ path }) => path !== mount.path && isWithin(path, mount.path))
      .reduce<Mount | undefined>((best, one) => (best && best.path.length > one.path.length ? best : one), undefined);
    if (base?.how !== "private" && base?.how !== "write") continue;
    if (base.how === "private") createPlace(join(base.source, mount.path.slice(base.path.length)), mount.source);
    for (let path = dirname(mount.path); path !== base.path; path = dirname(path)) {
      if (taken.has(path)) continue;
      taken.add(path);
      pins.push({ how: base.how, path, source: join(base.source, path.slice(base.path.length)) });
    }
  }
  return pins;
}

/** Where something is mounted in a private directory, which no command has used yet. */
function createPlace(place: string, source: string): void {
  const isFile = existsSync(source) && !statSync(source).isDirectory();
  mkdirSync(isFile ? dirname(place) : place, { recursive: true });
  if (isFile && !existsSync(place)) writeFileSync(place, "");
}

/** Directories of PATH and, where programs lie in `…/node-20/bin`, what they need beside it. */
function programDirectories(path: string, home: string): readonly string[] {
  const bins = [...path.split(":"), dirname(process.execPath)].filter((one) => isAbsolute(one) && one !== "/");
  return bins.flatMap((bin) => {
    const above = dirname(bin);
    const isInstallation = bin.endsWith("/bin") && above !== "/" && existsSync(join(above, "lib"));
    return isInstallation && !above.endsWith("/.local") && !isWithin(above, home) ? [above] : [bin];
  });
}

function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

const depthOf = (path: string): number => path.split("/").filter((part) => part !== "").length;

/** The mount that a path is in. */
export function mountAt(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.findLast((one) => isWithin(one.path, path));
}
