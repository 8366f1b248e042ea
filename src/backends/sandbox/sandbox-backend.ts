/** This machine, with commands in a sandbox of bubblewrap: they see the workspace, the system's programs and little else. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { homeDirectory } from "../../host/index.js";
import { HaftError, type HostGuard, type Io, isWithin, messageOf } from "../../kernel/index.js";
import { createLocalBackend, type LocalBackend, type LocalBackendOptions } from "../local/index.js";
import { ArgumentsFile } from "./arguments-file.js";
import { findBubblewrap } from "./bubblewrap.js";
import { HeldRoots } from "./held-roots.js";
import { layoutOf } from "./layout.js";
import { createPrivateDirectories, isUsedByAnother, removePrivateDirectories } from "./private-directories.js";
import { type GuardedPaths, guardedPathsOf } from "./protected-paths.js";
import { startProxy } from "./proxy.js";
import { runningMounts } from "./running-mounts.js";
import { sandboxLauncher } from "./sandbox-launcher.js";

export interface SandboxOptions extends Omit<LocalBackendOptions, "launcher" | "name" | "passEnv"> {
  /** Files and directories beside the workspace that commands may read; absolute. */
  readonly readable?: readonly string[];
  /** Directories beside the workspace that commands may change; absolute. */
  readonly writable?: readonly string[];
  /** Where commands may connect to, with HTTP through a proxy. Absent: they have no network. */
  readonly hosts?: HostGuard;
}

/**
 * Commands start in namespaces of their own without a network, and see: the workspace, which they may change but for what git and
 * editors obey; the system's programs; a private home directory and `/tmp`. File tools reach what commands reach.
 *
 * @throws `BACKEND_UNAVAILABLE` where bubblewrap does not work, `CONFIG_INVALID` for a workspace that cannot be confined.
 */
export async function createSandboxBackend(options: SandboxOptions = {}): Promise<LocalBackend> {
  const home = realOf(options.home ?? homeDirectory());
  const workspace = realOf(options.cwd ?? process.cwd());
  const writable = (options.writable ?? []).map(realOf);
  const readable = (options.readable ?? []).map(realOf);
  const roots = [workspace, ...writable];
  for (const root of roots) requireConfinable(root, home);
  const bubblewrap = await findBubblewrap(workspace);
  if ("problem" in bubblewrap) throw notOpened(bubblewrap.problem);
  const own = createPrivateDirectories(home, roots);
  const file = new ArgumentsFile();
  let held: HeldRoots | undefined;
  let proxy: Awaited<ReturnType<typeof startProxy>> | undefined;
  let placeholders: GuardedPaths["placeholders"] = new Map();
  const release = () => {
    proxy?.close();
    held?.close();
    file.close();
  };
  const remove = (mounts: ReturnType<typeof runningMounts>) => {
    const shared = roots.filter((root) => isUsedByAnother(root, own.root));
    // Where another command has a mount, the system would take that away with the file.
    const isNeeded = (path: string) =>
      mounts.some((places) => places.has(path)) || shared.some((root) => isWithin(root, path));
    for (const [placeholder, text] of [...placeholders].reverse())
      if (!isNeeded(placeholder)) held?.removeIfUnchanged(placeholder, text);
    release();
    removePrivateDirectories(own.root);
  };
  try {
    held = heldRoots([...roots, own.tmp, own.home]);
    const guarded = guardedPathsOf(roots, home, held);
    placeholders = guarded.placeholders;
    if (guarded.problem !== undefined) throw notOpened(`${guarded.problem}.`);
    const path = options.env?.PATH ?? process.env.PATH ?? "";
    const mounts = layoutOf({ workspace, home, own, path, readable, writable, guarded, stateDir: options.stateDir });
    if (options.hosts !== undefined) proxy = await startProxy(join(own.net, "proxy"), options.hosts);
    const launcher = sandboxLauncher({ bubblewrap, mounts, own, held, file, home, hasProxy: proxy !== undefined });
    const backend = createLocalBackend({ ...options, cwd: options.cwd ?? workspace, home, launcher, name: "sandbox" });
    const close = async (io?: Io) => {
      // Both begin at once: no job starts in between, and a closed backend lists none.
      const [jobs, closed] = await Promise.all([backend.root.shell.jobs().catch(() => []), backend.close(io)]);
      const running = runningMounts();
      // Jobs that continue need them; one that has just started has no mount yet.
      const isKept = jobs.some((job) => job.lifetime === "keep" && job.status === "running" && job.adopted !== "host");
      if (isKept || running.some((places) => places.has(own.root))) release();
      else remove(running);
      return closed;
    };
    let closing: ReturnType<typeof close> | undefined;
    return {
      ...backend,
      privatePaths: mounts
        .filter(({ how }) => how === "private")
        .flatMap(({ path, source }) => (path === home ? [source] : [path, source])),
      close(io) {
        closing ??= close(io);
        return closing;
      },
    };
  } catch (thrown) {
    remove(runningMounts());
    throw HaftError.is(thrown) ? thrown : notOpened(`${messageOf(thrown)}.`);
  }
}

/** @throws `CONFIG_INVALID` where a writable directory would hold what a sandbox is to keep from commands. */
function requireConfinable(root: string, home: string): void {
  const kept = [home, "/usr", "/etc", "/bin", "/tmp", "/var/tmp", "/run", "/dev", "/proc", "/sys"];
  const lost = kept.find((path) => root === path || (path !== home && isWithin(root, path)));
  const isHomes = root !== home && isWithin(root, home) && ["/", "/home", "/root", "/Users"].includes(root);
  if (lost === undefined && !isHomes) return;
  throw new HaftError(
    "CONFIG_INVALID",
    `Did not open "sandbox": commands may change "${root}", which ${lost === root ? "is" : "contains"} ${lost === home || isHomes ? "the home directory" : `"${lost}"`}. Use a directory of one project.`,
    { details: { target: "sandbox" } },
  );
}

function notOpened(problem: string): HaftError {
  return new HaftError("BACKEND_UNAVAILABLE", `Did not open "sandbox": ${problem}`, { details: { target: "sandbox" } });
}

/** @throws `BACKEND_UNAVAILABLE` */
function heldRoots(paths: readonly string[]): HeldRoots {
  try {
    return new HeldRoots(paths);
  } catch (thrown) {
    throw notOpened(`a directory that commands may change cannot be opened: ${messageOf(thrown)}.`);
  }
}

/** @throws `BACKEND_UNAVAILABLE` */
function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    throw notOpened(`"${path}" does not exist. Create it, or remove it from the configuration.`);
  }
}
