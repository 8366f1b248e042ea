/** This machine, with commands in a sandbox of bubblewrap: they see the workspace, the system's programs and little else. */
import { closeSync, openSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { homeDirectory, TAG_NAME } from "../../host/index.js";
import { HaftError, isWithin } from "../../kernel/index.js";
import { createLocalBackend, type Launcher, type LocalBackend, type LocalBackendOptions } from "../local/index.js";
import { boundaryOf } from "./boundary.js";
import { commandArguments, findBubblewrap, sandboxArguments } from "./bubblewrap.js";
import { layoutOf } from "./layout.js";
import { argumentsFile } from "./arguments-file.js";
import { createPrivateDirectories, removePrivateDirectories } from "./private-directories.js";
import { type ProtectedPaths, protectedPaths, removeProtection } from "./protected-paths.js";

export interface SandboxOptions extends Omit<LocalBackendOptions, "launcher" | "name" | "passEnv"> {
  /** Files and directories beside the workspace that commands may read; absolute. */
  readonly readable?: readonly string[];
  /** Directories beside the workspace that commands may change; absolute. */
  readonly writable?: readonly string[];
}

/** Variables that lead to sockets and credentials of the user's session. */
const OF_THE_SESSION = /^(?:DBUS_|SSH_|GPG_|XAUTHORITY$|DISPLAY$|WAYLAND_|XDG_RUNTIME_DIR$|XDG_SESSION)/;

/**
 * Commands start in namespaces of their own without a network, and see: the workspace, which they may change but for what git and
 * editors obey; the system's programs; a private home directory and `/tmp`. File tools reach what commands reach.
 *
 * @throws `BACKEND_UNAVAILABLE` where bubblewrap does not work, `CONFIG_INVALID` for a workspace that cannot be confined.
 */
export async function createSandboxBackend(options: SandboxOptions = {}): Promise<LocalBackend> {
  const home = options.home ?? homeDirectory();
  const workspace = realOf(options.cwd ?? process.cwd());
  const writable = (options.writable ?? []).map(realOf);
  const readable = (options.readable ?? []).map(realOf);
  for (const root of [workspace, ...writable]) requireConfinable(root, home);
  const bubblewrap = await findBubblewrap(workspace);
  if ("problem" in bubblewrap) throw notOpened(bubblewrap.problem);
  const own = createPrivateDirectories(home);
  const roots = [workspace, ...writable];
  const guarded = protectedIn(roots);
  if ("problem" in guarded) {
    removePrivateDirectories(own.root);
    throw notOpened(`${guarded.problem}.`);
  }
  const mounts = layoutOf({
    workspace,
    home,
    own,
    path: options.env?.PATH ?? process.env.PATH ?? "",
    readable,
    writable,
    stateDir: options.stateDir,
  });
  const fixed = sandboxArguments(bubblewrap, mounts);
  const boundary = boundaryOf(mounts, own, () => protectedIn(roots));
  const inherited = inheritedDescriptors();
  const launcher: Launcher = {
    flags: { sandbox: true, signals: false },
    scripts: own.scripts,
    refusal: boundary.refusal,
    wrap(argv, { cwd, env }) {
      const hidden = boundary.refusal(cwd, "read");
      if (hidden !== undefined) return { problem: `the directory "${cwd}" cannot be used: ${hidden}` };
      const paths = protectedIn(roots);
      if ("problem" in paths) return paths;
      const variables = Object.entries(env).filter(([name]) => !OF_THE_SESSION.test(name));
      const inside = { ...Object.fromEntries(variables), TMPDIR: own.tmp, ...(home === "/" ? { HOME: own.home } : {}) };
      const file = argumentsFile([...fixed, ...commandArguments(paths, { cwd, env: inside })]);
      const nothing = inherited.length === 0 ? undefined : openSync("/dev/null", "r");
      const descriptors: (number | "ignore")[] = [file];
      // What this process was started with, and Node.js does not close, becomes /dev/null.
      for (const descriptor of inherited) {
        while (descriptors.length + 3 < descriptor) descriptors.push("ignore");
        descriptors[descriptor - 3] = descriptor === 3 ? file : nothing!;
      }
      return {
        argv: [bubblewrap.program, "--args", "3", "--", ...argv],
        env: { PATH: "/usr/bin:/bin", [TAG_NAME]: env[TAG_NAME] ?? "" },
        descriptors,
        dispose() {
          closeSync(file);
          if (nothing !== undefined) closeSync(nothing);
        },
      };
    },
  };
  const backend = createLocalBackend({ ...options, cwd: options.cwd ?? workspace, home, launcher, name: "sandbox" });
  let closing: ReturnType<LocalBackend["close"]> | undefined;
  return {
    ...backend,
    close(io) {
      closing ??= backend.root.shell.jobs().then(
        (jobs) => closeAll(jobs.some(({ lifetime, status }) => lifetime === "keep" && status === "running")),
        () => closeAll(false),
      );
      async function closeAll(isUsed: boolean) {
        const closed = await backend.close(io);
        if (!isUsed) removePrivateDirectories(own.root);
        if (!isUsed) for (const root of roots) removeProtection(root);
        return closed;
      }
      return closing;
    },
  };
}

function protectedIn(roots: readonly string[]): ProtectedPaths | { readonly problem: string } {
  const all: ProtectedPaths[] = [];
  for (const root of roots) {
    const paths = protectedPaths(root);
    if ("problem" in paths) return paths;
    all.push(paths);
  }
  return { pinned: all.flatMap(({ pinned }) => pinned), readOnly: all.flatMap(({ readOnly }) => readOnly) };
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
function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    throw notOpened(`"${path}" does not exist. Create it, or remove it from the configuration.`);
  }
}

const CLOSES_ON_EXEC = 0o2000000;

/** Descriptors of this process that its children would inherit. */
function inheritedDescriptors(): readonly number[] {
  const all = readdirSync("/proc/self/fd").map(Number).sort((one, other) => one - other);
  return all.filter((descriptor) => {
    try {
      const info = readFileSync(join("/proc/self/fdinfo", String(descriptor)), "latin1");
      const flags = Number.parseInt(/flags:\s+(\d+)/.exec(info)?.[1] ?? "0", 8);
      return descriptor > 2 && (flags & CLOSES_ON_EXEC) === 0;
    } catch {
      // The descriptor of the listing itself.
      return false;
    }
  });
}
