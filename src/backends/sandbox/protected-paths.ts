/** What in a workspace makes code run outside of the sandbox later, because git, an editor or an agent obeys it unasked. */
import { existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isWithin } from "../../kernel/index.js";
import { type HeldRoots, isPlain } from "./held-roots.js";

/** Determined once, when the sandbox opens: what commands create later is theirs, and is never mounted. */
export interface GuardedPaths {
  /** Read-only, and needed: without them no command starts. */
  readonly readOnly: readonly string[];
  /** Read-only as long as they exist. */
  readonly whileThere: readonly string[];
  /** The repository of a linked worktree, outside of the workspace. */
  readonly repositories: readonly string[];
  /** What is removed at the end if it is empty or has this text still. */
  readonly placeholders: ReadonlyMap<string, string | undefined>;
}

/** At the root of a workspace: settings of editors and agents, hooks, and files that name programs for package managers. */
const OBEYED = [
  ...["haft.jsonc", ".mcp.json", ".envrc", ".husky", ".githooks", ".vscode", ".idea", ".zed", ".devcontainer"],
  ...[".claude", ".cursor", ".codex", ".gemini", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml"],
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".exrc", ".nvimrc", ".nvim.lua"],
];
const isObeyed = (name: string): boolean => OBEYED.includes(name) || name.endsWith(".code-workspace");

/** In `.git`: git takes programs to run from each of these. The first ones are created where they are missing. */
const OBEYED_BY_GIT = ["hooks", "config", "config.worktree", "commondir", "modules", "worktrees"];

/**
 * The file `.git/commondir` names the directory with the configuration of a repository, so that a command that could create it would
 * choose that configuration. Only what exists can be protected, and with this text the file has no effect. Nor has an empty
 * file with settings.
 */
const CREATED: ReadonlyMap<string, string | undefined> = new Map([
  ["hooks", undefined],
  ["config", ""],
  ["config.worktree", ""],
  ["commondir", ".\n"],
]);

/** @returns Otherwise why they cannot be protected, as a clause with the next step. */
export function guardedPathsOf(roots: readonly string[], held: HeldRoots): GuardedPaths | { readonly problem: string } {
  const guards = new Guards(held);
  for (const root of roots) guards.addRoot(root);
  guards.whileThere.push(...ownFiles().filter((path) => held.has(path) && !roots.some((root) => isWithin(path, root))));
  return guards.failure === undefined ? guards : { problem: guards.failure };
}

class Guards implements GuardedPaths {
  readonly readOnly: string[] = [];
  readonly whileThere: string[] = [];
  readonly repositories: string[] = [];
  readonly placeholders = new Map<string, string | undefined>();
  failure: string | undefined;
  readonly #held: HeldRoots;

  constructor(held: HeldRoots) {
    this.#held = held;
  }

  addRoot(root: string): void {
    const names = this.#held.inside(root, (here) => readdirSync(here)) ?? [];
    const obeyed = names.filter(isObeyed).map((name) => join(root, name));
    this.whileThere.push(...obeyed.filter((path) => isPlain(this.#held.info(path))));
    const git = join(root, ".git");
    const info = this.#held.info(git);
    if (info?.isFile()) {
      this.readOnly.push(git);
      this.#addWorktree(git);
    } else if (info !== undefined && !info.isDirectory()) {
      this.failure = unprotectable(git);
    } else if (info === undefined || this.#held.inside(git, (here) => readdirSync(here))?.length === 0) {
      // Git passes over an empty one. A command that could create it would choose a repository.
      this.#create(git, undefined);
      this.placeholders.set(git, undefined);
      this.readOnly.push(git);
    } else this.#addRepository(git, root);
  }

  #addRepository(git: string, worktree: string): void {
    for (const [name, text] of CREATED) this.#create(join(git, name), text);
    const common = join(git, "commondir");
    // One that a killed host has left.
    this.placeholders.set(common, CREATED.get("commondir"));
    if (this.#held.read(common) !== CREATED.get("commondir"))
      this.failure ??= `git takes its configuration from where "${common}" says. Delete that file`;
    for (const path of OBEYED_BY_GIT.map((name) => join(git, name))) {
      const info = this.#held.info(path);
      if (info === undefined) continue;
      if (!isPlain(info)) this.failure ??= unprotectable(path);
      this.readOnly.push(path);
    }
    for (const name of ["config", "config.worktree"]) this.#addConfigured(join(git, name), worktree);
  }

  /** What the configuration includes, and the directory of hooks that it names. */
  #addConfigured(file: string, worktree: string): void {
    for (const [name, value] of settingsOf(this.#held.read(file) ?? "")) {
      const isInclude = name !== "core.hookspath";
      const named = resolve(isInclude ? dirname(file) : worktree, value);
      const path = this.#held.has(named) ? named : realOr(named);
      // `~` and other directories are nothing that commands could change.
      if (value.startsWith("~") || !this.#held.has(path) || this.readOnly.some((one) => isWithin(one, path))) continue;
      this.#create(path, isInclude ? "" : undefined);
      if (!isPlain(this.#held.info(path))) this.failure ??= unprotectable(path);
      if (isWithin(path, worktree))
        this.failure ??= `"${file}" names "${path}" for hooks, which commands may change. Name another directory`;
      this.readOnly.push(path);
      if (isInclude) this.#addConfigured(path, worktree);
    }
  }

  /**
   * The repository of a linked worktree. Commands could have written what a `.git` in their reach names, so that a directory outside counts
   * only if it says itself that this worktree is its own, in the place where git says it.
   */
  #addWorktree(file: string): void {
    try {
      const named = /^gitdir: (.*)$/m.exec(this.#held.read(file) ?? "")?.[1];
      if (named === undefined) return;
      const directory = realpathSync.native(resolve(dirname(file), named));
      const repository = dirname(dirname(directory));
      if (dirname(directory) !== join(repository, "worktrees")) return;
      if (this.#held.has(repository)) {
        if (this.#held.info(join(repository, "objects"))?.isDirectory()) this.#addRepository(repository, dirname(file));
        return;
      }
      if (this.#held.has(directory) || readFileSync(join(directory, "gitdir"), "utf8").trim() !== file) return;
      if (resolve(directory, readFileSync(join(directory, "commondir"), "utf8").trim()) !== repository) return;
      if (existsSync(join(repository, "objects"))) this.repositories.push(repository);
    } catch {
      // It is as it was before the sandbox.
    }
  }

  /** Only where nothing is. What it creates is removed at the end, if it is unchanged. */
  #create(path: string, text: string | undefined): void {
    if (this.#held.info(path) !== undefined) return;
    try {
      this.#held.create(path, text);
      this.placeholders.set(path, text);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      this.failure ??= `"${path}" could not be created, so that a command could create it and have git run programs outside of the sandbox (${why})`;
      return;
    }
    if (this.#held.info(path) === undefined) this.failure ??= unprotectable(path);
  }
}

/** The settings of git that name files which it obeys, as name and value. */
function settingsOf(config: string): readonly (readonly [name: string, value: string])[] {
  const found: [string, string][] = [];
  let section = "";
  for (const line of config.split("\n")) {
    const [, header, rest = ""] = /^\s*(?:\[\s*([\w-]+)[^\]]*\])?\s*(.*)$/.exec(line) ?? [];
    section = header?.toLowerCase() ?? section;
    const [, name = "", value = ""] = /^(\w+)\s*=\s*"?(.*?)"?\s*$/.exec(rest) ?? [];
    const full = `${section}.${name.toLowerCase()}`;
    if (value !== "" && ["core.hookspath", "include.path", "includeif.path"].includes(full)) found.push([full, value]);
  }
  return found;
}

/** The code that runs outside of the sandbox: Haft's own, and Node.js. */
function ownFiles(): readonly string[] {
  const module = dirname(fileURLToPath(import.meta.url));
  let packaged = module;
  while (packaged !== "/" && !existsSync(join(packaged, "package.json"))) packaged = dirname(packaged);
  // Where the workspace is the package itself, its code alone is protected.
  const [code = ""] = relative(packaged, module).split("/");
  return [...(packaged === "/" ? [module] : [packaged, join(packaged, code)]), realOr(process.execPath)];
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function unprotectable(path: string): string {
  return `"${path}" is a symlink or a special file, so that a command could replace it and have git run programs outside of the sandbox. Replace it with a directory or a file`;
}
