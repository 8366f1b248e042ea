/** Bubblewrap (`bwrap`): where it is, its arguments, and why it does not work here. */
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { killAfter, programOnPath, systemProgram } from "../../host/index.js";
import type { Mount } from "./layout.js";

export interface Bubblewrap {
  readonly program: string;
  /** Whether it can forbid further user namespaces (0.8 and newer), which `unshare -U` and other sandboxes in it would need. */
  readonly disablesUserNamespaces: boolean;
}

/** Namespaces and privileges. Every command starts with them. */
function confinement({ disablesUserNamespaces }: Bubblewrap): readonly string[] {
  return [
    "--unshare-user",
    ...(disablesUserNamespaces ? ["--disable-userns"] : []),
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup-try"],
    // A terminal of the host could be typed into.
    ...["--new-session", "--cap-drop", "ALL"],
  ];
}

/** The arguments of one command, up to the program. The command also inherits the environment of bwrap. */
export function sandboxArguments(
  bubblewrap: Bubblewrap,
  mounts: readonly OpenedMount[],
  start: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): readonly string[] {
  return [
    ...confinement(bubblewrap),
    ...["--proc", "/proc", "--dev", "/dev"],
    ...settingsOfTheSystem(),
    ...mounts.flatMap(mountArguments),
    ...["--remount-ro", "/", "--chdir", start.cwd, "--unsetenv", "PATH"],
    ...Object.entries(start.env).flatMap(([name, value]) => ["--setenv", name, value]),
  ];
}

/**
 * Root may write files of the kernel without any capability, such as /proc/sys/vm/drop_caches. All of /proc is read-only for it, which is
 * one mount instead of seven.
 */
function settingsOfTheSystem(): readonly string[] {
  return process.getuid?.() === 0 ? ["--remount-ro", "/proc"] : [];
}

export interface OpenedMount extends Mount {
  /** The number of the descriptor that bwrap has of its source: of everything that lies where commands can change names. */
  readonly descriptor: number | undefined;
}

function mountArguments({ how, path, source, descriptor }: OpenedMount): readonly string[] {
  if (how === "empty") return ["--tmpfs", path];
  if (how === "symlink") return ["--symlink", source, path];
  const bind = how === "read" || how === "guarded" ? "--ro-bind" : "--bind";
  if (descriptor !== undefined) return [`${bind}-fd`, String(descriptor), path];
  return [how === "read" ? `${bind}-try` : bind, source, path];
}

/** @returns `problem` says why commands cannot run in it here, with what to do, as sentences. */
export async function findBubblewrap(workspace: string): Promise<Bubblewrap | { readonly problem: string }> {
  if (process.platform !== "linux") return { problem: `bubblewrap needs Linux. ${OTHERWISE}` };
  const program = systemProgram("bwrap") ?? programOnPath("bwrap", { path: process.env.PATH ?? "", workspace });
  if (program === undefined)
    return {
      problem: `the program bwrap is not installed. Install bubblewrap (\`apt install bubblewrap\`, \`dnf install bubblewrap\`). ${OTHERWISE}`,
    };
  for (const disablesUserNamespaces of [true, false]) {
    const bubblewrap = { program, disablesUserNamespaces };
    const all = ["--ro-bind", "/", "/", "--ro-bind-fd", "3", "/usr"];
    const everything = [...all, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"];
    const failure = await failureOf(program, [...confinement(bubblewrap), ...everything, "--", "/bin/sh", "-c", ":"]);
    if (failure === undefined) return bubblewrap;
    if (disablesUserNamespaces && /unknown option/i.test(failure)) continue;
    if (/unknown option.*bind-fd/i.test(failure))
      return {
        problem: `this bwrap is too old: it has no option --bind-fd, which came with the fix of CVE-2024-42472. Update bubblewrap. ${OTHERWISE}`,
      };
    return { problem: `${whyNot(failure)} ${OTHERWISE}` };
  }
  return { problem: OTHERWISE };
}

const OTHERWISE = 'Without bubblewrap, use a container: "image:IMAGE". Nothing runs outside of the sandbox instead.';
const PROBE_MS = 10_000;

/** What the program prints if it fails; undefined if it does not. */
function failureOf(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const system = openSync("/usr", "r");
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe", system], env: {}, cwd: "/" });
    closeSync(system);
    let text = "";
    child.stderr?.setEncoding("utf8").on("data", (more: string) => {
      text = (text + more).slice(0, 2_000);
    });
    child.once("error", (error) => resolve(error.message));
    child.once("close", (code) => resolve(code === 0 ? undefined : text.trim() || `it ended with status ${code}`));
    killAfter(child, PROBE_MS);
  });
}

function whyNot(failure: string): string {
  const said = `${failure.split("\n")[0]}`.replace(/\.$/, "");
  const container = existsSync("/.dockerenv") || existsSync("/run/.containerenv");
  const found = SETTINGS.find(([path, wrong]) => wrong(settingOf(path)));
  if (found !== undefined)
    return `this system does not allow user namespaces (${said}). An administrator can allow them: \`sysctl -w ${found[2]}\`.`;
  if (container)
    return `this process runs in a container that does not allow it (${said}). Start that container with \`--security-opt seccomp=unconfined --security-opt systempaths=unconfined\`, or let it be the boundary and use the target "local".`;
  return `bwrap failed: ${said}.`;
}

/** Settings of the kernel that forbid user namespaces: file, whether its value does, what to set. */
const SETTINGS: readonly (readonly [string, (value: string) => boolean, string])[] = [
  ["/proc/sys/kernel/unprivileged_userns_clone", (value) => value === "0", "kernel.unprivileged_userns_clone=1"],
  ["/proc/sys/user/max_user_namespaces", (value) => value === "0", "user.max_user_namespaces=15000"],
  [
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    (value) => value === "1",
    "kernel.apparmor_restrict_unprivileged_userns=0",
  ],
];

function settingOf(path: string): string {
  try {
    return readFileSync(path, "latin1").trim();
  } catch {
    return "";
  }
}
