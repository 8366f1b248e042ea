/** What Haft needs of the machine. */
import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import type { HostFindings } from "../../../toolkit/index.js";
import { optionalPackages } from "../installed-package.js";
import type { DoctorFinding } from "./finding.js";

/** The oldest Node that Haft is written for. */
const OLDEST_NODE = [20, 19] as const;
/** Milliseconds that a program has to tell its version. */
const PROBE_MS = 5_000;

export function machineFindings(host: HostFindings): readonly DoctorFinding[] {
  return [node(process.versions.node), system(), shell(), ripgrep(host), git(), proc(host), ...packages()];
}

function node(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const found = `Node.js ${version} at ${process.execPath}`;
  if (isNew) return { id: "node", status: "ok", found };
  const next = `Install Node.js ${OLDEST_NODE.join(".")} or newer.`;
  return { id: "node", status: "stops", found, cost: "Haft is written for a newer one.", next };
}

function system(): DoctorFinding {
  const found = `${process.platform} ${process.arch}`;
  if (process.platform === "linux") return { id: "system", status: "ok", found };
  return { id: "system", status: "limits", found, cost: "Haft is tested on Linux only; here it ought to work." };
}

function shell(): DoctorFinding {
  if (isProgram("/bin/sh")) return { id: "sh", status: "ok", found: "/bin/sh" };
  const cost = "No command can be run.";
  return { id: "sh", status: "stops", found: "there is no /bin/sh", cost, next: "Install a POSIX shell as /bin/sh." };
}

function ripgrep({ ripgrep: used }: HostFindings): DoctorFinding {
  if (used !== undefined) return { id: "rg", status: "ok", found: `${used.engine} at ${used.path}` };
  const path = onPath("rg");
  const version = path === undefined ? undefined : firstLine(path, ["--no-config", "--version"]);
  return {
    id: "rg",
    status: "limits",
    found: path === undefined ? "no ripgrep" : `${version ?? "a program"} at ${path}, which is too old and is not used`,
    cost: "Searches run in JavaScript: as right, and several times slower on large trees.",
    next: "Install the package @vscode/ripgrep beside Haft, or ripgrep 15 or newer on PATH.",
  };
}

function git(): DoctorFinding {
  const path = onPath("git");
  const version = path === undefined ? undefined : firstLine(path, ["--version"]);
  if (path !== undefined) return { id: "git", status: "ok", found: `${version ?? "git"} at ${path}` };
  const cost = "Commands that use git fail. No tool of Haft needs it.";
  return { id: "git", status: "note", found: "no git on PATH", cost };
}

function proc({ guard }: HostFindings): DoctorFinding {
  if (guard === "pinned")
    return { id: "proc", status: "ok", found: "/proc, by which files are held while they are used" };
  return {
    id: "proc",
    status: "limits",
    found: "no /proc",
    cost: "A file is checked before it is used and not held: another process can exchange it in between.",
  };
}

/** What is lost without a package; whichever the manifest names besides is told by its name alone. */
const COSTS: Readonly<Record<string, string>> = {
  sharp: "Images are not made smaller, so that large ones are not shown.",
  unpdf: "PDF files are not read as text.",
};

function packages(): readonly DoctorFinding[] {
  const require = createRequire(import.meta.url);
  return optionalPackages().map((name): DoctorFinding => {
    try {
      require.resolve(name);
      return { id: name, status: "ok", found: `the package ${name}` };
    } catch (error) {
      // A package without an entry for require is there all the same.
      if ((error as NodeJS.ErrnoException).code === "ERR_PACKAGE_PATH_NOT_EXPORTED")
        return { id: name, status: "ok", found: `the package ${name}` };
      const cost = COSTS[name] ?? "What needs it says so.";
      return { id: name, status: "note", found: `no package ${name}`, cost, next: `npm install ${name}` };
    }
  });
}

/** The first program of this name in an absolute folder of PATH. */
export function onPath(name: string): string | undefined {
  const directories = (process.env.PATH ?? "").split(":").filter((directory) => isAbsolute(directory));
  return directories.map((directory) => join(directory, name)).find(isProgram);
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return existsSync(path) && statSync(path).isFile();
  } catch {
    return false;
  }
}

function firstLine(path: string, args: readonly string[]): string | undefined {
  try {
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync(path, args, { timeout: PROBE_MS, encoding: "utf8", stdio: [...stdio] })
      .split("\n")[0]
      ?.trim();
  } catch {
    return undefined;
  }
}
