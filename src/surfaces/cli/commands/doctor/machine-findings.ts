/** Checks Node.js, the operating system and optional programs. */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { isProgram, programOnPath } from "../../../../host/index.js";
import type { HostFindings } from "../../../../toolkit/index.js";
import { optionalPackages } from "../../../installed-package.js";
import type { DoctorFinding } from "./finding.js";

const OLDEST_NODE = [20, 19] as const;
const PROBE_TIMEOUT_MS = 5_000;

export function machineFindings(host: HostFindings): readonly DoctorFinding[] {
  return [
    node(process.versions.node),
    system(),
    shell(),
    ripgrep(host),
    git(),
    proc(host),
    sandbox(host),
    ...packages(),
  ];
}

function node(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const isNew = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  const found = `Node.js ${version} at ${process.execPath}`;
  if (isNew) return { id: "node", status: "ok", found };
  const next = `Install Node.js ${OLDEST_NODE.join(".")} or newer.`;
  return { id: "node", status: "stops", found, cost: "Haft needs a newer version.", next };
}

function system(): DoctorFinding {
  const found = `${process.platform} ${process.arch}`;
  if (process.platform === "linux") return { id: "system", status: "ok", found };
  return { id: "system", status: "limits", found, cost: "Haft is tested on Linux only. It should work here." };
}

function shell(): DoctorFinding {
  if (isProgram("/bin/sh")) return { id: "sh", status: "ok", found: "/bin/sh" };
  const cost = "Commands cannot run.";
  return { id: "sh", status: "stops", found: "no /bin/sh", cost, next: "Install a POSIX shell as /bin/sh." };
}

function ripgrep({ ripgrep: used }: HostFindings): DoctorFinding {
  if (used !== undefined) return { id: "rg", status: "ok", found: `${used.engine} at ${used.path}` };
  const path = onPath("rg");
  const version = path === undefined ? undefined : firstLine(path, ["--no-config", "--version"]);
  return {
    id: "rg",
    status: "limits",
    found: path === undefined ? "no ripgrep" : `${version ?? "a program"} at ${path}, too old to be used`,
    cost: "Searches run in JavaScript: same results, several times slower on large trees.",
    next: "Install the package @vscode/ripgrep beside Haft, or ripgrep 15 or newer on PATH.",
  };
}

function git(): DoctorFinding {
  const path = onPath("git");
  const version = path === undefined ? undefined : firstLine(path, ["--version"]);
  if (path !== undefined) return { id: "git", status: "ok", found: `${version ?? "git"} at ${path}` };
  const cost = "Commands that use git fail. Haft itself does not need it.";
  return { id: "git", status: "note", found: "no git on PATH", cost };
}

function proc({ guard }: HostFindings): DoctorFinding {
  if (guard === "pinned") return { id: "proc", status: "ok", found: "/proc, used to pin files between check and use" };
  return {
    id: "proc",
    status: "limits",
    found: "no /proc",
    cost: "Files cannot be pinned: another process can replace a file between check and use.",
  };
}

function sandbox({ sandbox: found }: HostFindings): DoctorFinding {
  if ("program" in found)
    return { id: "sandbox", status: "ok", found: `bubblewrap at ${found.program}, for --sandbox` };
  const [first = "", ...next] = found.problem.split(/(?<=\.) (?=[A-Z])/);
  const cost = "--sandbox does not start. Everything else works.";
  return { id: "sandbox", status: "note", found: first, cost, ...(next.length === 0 ? {} : { next: next.join(" ") }) };
}

/** The consequence of a missing optional package. */
const PACKAGE_COSTS: Readonly<Record<string, string>> = {
  sharp: "Images cannot be resized, so large ones are not shown.",
  unpdf: "PDF files cannot be read as text.",
};

function packages(): readonly DoctorFinding[] {
  const require = createRequire(import.meta.url);
  return optionalPackages().map((name): DoctorFinding => {
    try {
      require.resolve(name);
      return { id: name, status: "ok", found: `the package ${name}` };
    } catch (error) {
      // Installed, but without an entry for require().
      if ((error as NodeJS.ErrnoException).code === "ERR_PACKAGE_PATH_NOT_EXPORTED")
        return { id: name, status: "ok", found: `the package ${name}` };
      const cost = PACKAGE_COSTS[name] ?? "Features that need it fail.";
      return { id: name, status: "note", found: `no package ${name}`, cost, next: `npm install ${name}` };
    }
  });
}

/** Only a program that may be run: none of the workspace. */
const onPath = (name: string) => programOnPath(name, { path: process.env.PATH ?? "", workspace: process.cwd() });

function firstLine(path: string, args: readonly string[]): string | undefined {
  try {
    const stdio = ["ignore", "pipe", "ignore"] as const;
    return execFileSync(path, args, { timeout: PROBE_TIMEOUT_MS, encoding: "utf8", stdio: [...stdio] })
      .split("\n")[0]
      ?.trim();
  } catch {
    return undefined;
  }
}
