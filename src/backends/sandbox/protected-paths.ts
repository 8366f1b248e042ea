/** What in a workspace makes code run outside of the sandbox later, because git, an editor or an agent obeys it unasked. */
import { lstatSync, mkdirSync, readFileSync, rmSync, type Stats, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface GuardedPaths {
  /** Kept in their place; what is in them can be changed. */
  readonly pinned: readonly string[];
  /** Read-only. */
  readonly readOnly: readonly string[];
}

/** Settings of editors and agents, and hooks, at the root of a workspace. */
const OBEYED = [
  ...["haft.jsonc", ".mcp.json", ".envrc", ".husky", ".githooks", ".vscode", ".idea", ".zed", ".devcontainer"],
  ...[".claude", ".cursor", ".codex", ".gemini"],
];

/** In `.git`: git takes programs to run from each of these. */
const OBEYED_BY_GIT = ["config", "config.worktree", "hooks", "modules", "worktrees"];

/** Of all roots together. @returns As `protectedPaths`. */
export function protectedPathsOf(roots: readonly string[]): GuardedPaths | { readonly problem: string } {
  const all: GuardedPaths[] = [];
  for (const root of roots) {
    const paths = protectedPaths(root);
    if ("problem" in paths) return paths;
    all.push(paths);
  }
  return { pinned: all.flatMap(({ pinned }) => pinned), readOnly: all.flatMap(({ readOnly }) => readOnly) };
}

/** @returns Otherwise why they cannot be protected, as a clause with the next step. */
function protectedPaths(root: string): GuardedPaths | { readonly problem: string } {
  const readOnly = OBEYED.map((name) => join(root, name)).filter((path) => isPlain(infoOf(path)));
  const git = join(root, ".git");
  const info = infoOf(git);
  if (info === undefined) return { pinned: [], readOnly };
  if (info.isFile()) return { pinned: [], readOnly: [...readOnly, git, ...linkedRepository(git)] };
  if (!info.isDirectory()) return unprotectable(git);
  const hooks = join(git, "hooks");
  if (infoOf(hooks) === undefined) mkdirSync(hooks);
  const files = OBEYED_BY_GIT.map((name) => join(git, name)).filter((path) => infoOf(path) !== undefined);
  const odd = files.find((path) => !isPlain(infoOf(path)));
  if (odd !== undefined) return unprotectable(odd);
  const common = join(git, "commondir");
  if (infoOf(common) === undefined) writeFileSync(common, ITSELF, { flag: "wx" });
  if (!isPlain(infoOf(common)) || readFileSync(common, "utf8") !== ITSELF)
    return { problem: `git takes its configuration from where "${common}" says. Delete that file` };
  return { pinned: [git], readOnly: [...readOnly, ...files, common] };
}

/**
 * The file `.git/commondir` names the directory with the configuration of a repository, so that a command that could create it would
 * choose that configuration. Only what exists can be protected, and with this text the file has no effect.
 */
const ITSELF = ".\n";

/** Removes what `protectedPaths` has added. */
export function removeProtection(root: string): void {
  const common = join(root, ".git", "commondir");
  try {
    if (isPlain(infoOf(common)) && readFileSync(common, "utf8") === ITSELF) rmSync(common);
  } catch {
    // It stays, without effect.
  }
}

/** The repository of a linked worktree, if it names this `.git` too: it is as it was before the sandbox. */
function linkedRepository(file: string): readonly string[] {
  try {
    const directory = resolve(dirname(file), /^gitdir: (.*)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? "");
    if (readFileSync(join(directory, "gitdir"), "utf8").trim() !== file) return [];
    return [resolve(directory, readFileSync(join(directory, "commondir"), "utf8").trim())];
  } catch {
    return [];
  }
}

function unprotectable(path: string): { readonly problem: string } {
  return {
    problem: `"${path}" is a symlink or a special file, so that a command could replace it and have git run programs outside of the sandbox. Replace it with a directory or a file`,
  };
}

const infoOf = (path: string): Stats | undefined => lstatSync(path, { throwIfNoEntry: false });
const isPlain = (info: Stats | undefined): boolean => info?.isFile() === true || info?.isDirectory() === true;
