/** What in a workspace makes code run outside of the sandbox later, because git, an editor or an agent obeys it unasked. */
import { existsSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isWithin, MAX_SYMLINKS, messageOf, systemCode } from "../../kernel/index.js";
import { gitSettings, settingsText, userSettingsFiles } from "./git-settings.js";
import { type HeldRoots, isPlain } from "./held-roots.js";

/** Determined once, when the sandbox opens: what commands create later is theirs, and is never mounted. */
export interface GuardedPaths {
  /** Read-only, and needed: without them no command starts. */
  readonly readOnly: readonly string[];
  /** Read-only as long as they exist. */
  readonly whileThere: readonly string[];
  /** The repository of a linked worktree, outside of the workspace. */
  readonly repositories: readonly string[];
  /** What is removed at the end if it is empty or has this text still; a directory before what is in it. */
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

/** The settings of git that name what it obeys: a directory of hooks, or a file with more settings. */
const isHooksPath = (name: string): boolean => name === "core.hookspath";
const isInclude = (name: string): boolean => /^include(?:if\..*)?\.path$/s.test(name);

/**
 * Creates the placeholders too.
 * @returns `problem` says why not all can be protected, as a clause with the next step. The placeholders are to be removed then too.
 */
export function guardedPathsOf(
  roots: readonly string[],
  home: string,
  held: HeldRoots,
): GuardedPaths & { readonly problem: string | undefined } {
  const guards = new Guards(held, home);
  for (const root of roots) guards.addRoot(root);
  guards.whileThere.push(...ownFiles().filter((path) => held.has(path) && !roots.some((root) => isWithin(root, path))));
  return guards;
}

class Guards implements GuardedPaths {
  readonly readOnly: string[] = [];
  readonly whileThere: string[] = [];
  readonly repositories: string[] = [];
  readonly placeholders = new Map<string, string | undefined>();
  problem: string | undefined;
  readonly #held: HeldRoots;
  readonly #home: string;
  /** Files with settings, each with the worktree that it was read for. */
  readonly #read = new Set<string>();

  constructor(held: HeldRoots, home: string) {
    this.#held = held;
    this.#home = home;
  }

  addRoot(root: string): void {
    try {
      this.#addRoot(root);
    } catch (thrown) {
      this.problem ??=
        systemCode(thrown) === "EACCES"
          ? `permission denied in "${root}" or its ".git". Restore the permissions`
          : messageOf(thrown);
    }
  }

  #addRoot(root: string): void {
    const names = this.#held.inside(root, (here) => readdirSync(here)) ?? [];
    const obeyed = names.filter(isObeyed).map((name) => join(root, name));
    this.whileThere.push(...obeyed.filter((path) => isPlain(this.#held.info(path))));
    const git = join(root, ".git");
    const info = this.#held.info(git);
    if (info?.isFile()) {
      this.readOnly.push(git);
      this.#addWorktree(git);
    } else if (info !== undefined && !info.isDirectory()) {
      this.problem = unprotectable(git);
    } else if (info === undefined || this.#held.inside(git, (here) => readdirSync(here))?.length === 0) {
      // Git passes over an empty one. A command that could create it would choose a repository.
      this.#create(git, undefined);
      this.placeholders.set(git, undefined);
      this.readOnly.push(git);
    } else this.#addRepository(git, root);
    for (const file of userSettingsFiles(this.#home)) {
      const path = this.#placeOf(file);
      this.#addNamed(path, file, root, "");
      this.#addConfigured(path, root, dirname(file));
    }
  }

  #addRepository(git: string, worktree: string): void {
    for (const [name, text] of CREATED) this.#create(join(git, name), text);
    const common = join(git, "commondir");
    // One that a killed host has left.
    this.placeholders.set(common, CREATED.get("commondir"));
    if (this.#held.read(common) !== CREATED.get("commondir"))
      this.problem ??= `git takes its configuration from where "${common}" says. Delete that file`;
    for (const path of OBEYED_BY_GIT.map((name) => join(git, name))) {
      const info = this.#held.info(path);
      if (info === undefined) continue;
      if (!isPlain(info)) this.problem ??= unprotectable(path);
      this.readOnly.push(path);
    }
    for (const name of ["config", "config.worktree"]) this.#addConfigured(join(git, name), worktree);
  }

  /** What the file includes, and the directory of hooks that it names. @param above - Where paths of included files begin. */
  #addConfigured(file: string, worktree: string, above = dirname(file)): void {
    const key = `${file}\0${worktree}`;
    if (this.#read.has(key)) return;
    this.#read.add(key);
    for (const [name, value] of gitSettings(this.#textOf(file))) {
      if (value === "" || !(isHooksPath(name) || isInclude(name))) continue;
      const named = value.replace(/^~(?=\/|$)/, () => this.#home);
      const asked = isAbsolute(named) ? named : `${isHooksPath(name) ? worktree : above}/${named}`;
      const path = this.#placeOf(asked);
      this.#addNamed(path, file, worktree, isHooksPath(name) ? undefined : "");
      if (isInclude(name)) this.#addConfigured(path, worktree, dirname(asked));
    }
  }

  #textOf(file: string): string {
    return this.#held.has(file) ? (this.#held.read(file) ?? "") : settingsText(file);
  }

  /**
   * Where a path leads, which need not exist. Symlinks are followed up to a directory that commands can change: in it, one would be
   * theirs to replace.
   */
  #placeOf(path: string, symlinksLeft = MAX_SYMLINKS): string {
    const names = path.split("/");
    let place = "/";
    for (const [index, name] of names.entries()) {
      const rest = names.slice(index);
      if (this.#held.has(place)) {
        const named = join(place, ...rest);
        return this.#held.has(named) ? named : this.#placeOf(named, symlinksLeft);
      }
      const next = join(place, name);
      const target = name === "" || symlinksLeft === 0 ? undefined : symlinkTarget(next);
      if (target !== undefined) {
        const start = isAbsolute(target) ? target : `${place}/${target}`;
        return this.#placeOf([start, ...rest.slice(1)].join("/"), symlinksLeft - 1);
      }
      place = next;
    }
    return place;
  }

  /** @param text - Of the file to create; undefined for a directory. */
  #addNamed(path: string, file: string, worktree: string, text: string | undefined): void {
    if (!this.#held.has(path) || this.readOnly.some((one) => isWithin(one, path))) return;
    this.#create(path, text);
    if (!isPlain(this.#held.info(path))) this.problem ??= unprotectable(path);
    if (isWithin(path, worktree))
      this.problem ??= `"${file}" names "${path}" for hooks, which commands may change. Name another directory`;
    this.readOnly.push(path);
  }

  /** The repository of a linked worktree, and the configuration of that worktree alone. */
  #addWorktree(file: string): void {
    const own = this.#ownDirectoryOf(file);
    if (own === undefined) {
      this.#addNamedRepository(file);
      return;
    }
    const [repository, worktree] = [dirname(dirname(own)), dirname(file)];
    if (this.#held.has(repository)) this.#addRepository(repository, worktree);
    else this.repositories.push(repository);
    for (const path of [join(repository, "config"), join(own, "config.worktree")]) this.#addConfigured(path, worktree);
  }

  /** The whole repository that a `.git` names, such as `.bare` beside it, or the one of a submodule. */
  #addNamedRepository(file: string): void {
    const named = this.#namedBy(file);
    if (named === undefined) return;
    const [git, worktree] = [this.#placeOf(resolve(dirname(file), named)), dirname(file)];
    if (!this.#held.has(git)) {
      for (const name of ["config", "config.worktree"]) this.#addConfigured(join(git, name), worktree);
    } else if (this.#held.info(git)?.isDirectory()) this.#addRepository(git, worktree);
    else
      this.problem ??= `"${file}" names "${git}" as the repository, where a command could put one, as no directory is there. Repair or delete "${file}"`;
  }

  #namedBy(file: string): string | undefined {
    return /^gitdir: (.*)$/m.exec(this.#held.read(file) ?? "")?.[1];
  }

  /**
   * The directory of a linked worktree in its repository. Commands could have written what a `.git` in their reach names, so that a
   * directory outside counts only if it says itself that this worktree is its own, in the place where git says it.
   */
  #ownDirectoryOf(file: string): string | undefined {
    try {
      const named = this.#namedBy(file);
      if (named === undefined) return undefined;
      const directory = realpathSync.native(resolve(dirname(file), named));
      const repository = dirname(dirname(directory));
      if (dirname(directory) !== join(repository, "worktrees")) return undefined;
      if (this.#held.has(repository))
        return this.#held.info(join(repository, "objects"))?.isDirectory() ? directory : undefined;
      if (this.#held.has(directory) || settingsText(join(directory, "gitdir")).trim() !== file) return undefined;
      if (resolve(directory, settingsText(join(directory, "commondir")).trim()) !== repository) return undefined;
      return existsSync(join(repository, "objects")) ? directory : undefined;
    } catch {
      // It is as it was before the sandbox.
      return undefined;
    }
  }

  /** Only where nothing is, with the directories above it. What it creates is removed at the end, if it is unchanged. */
  #create(path: string, text: string | undefined): void {
    if (this.#held.info(path) !== undefined) return;
    if (this.#held.has(dirname(path))) this.#create(dirname(path), undefined);
    try {
      this.#held.create(path, text);
      this.placeholders.set(path, text);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      this.problem ??= `"${path}" could not be created, so that a command could create it and have git run programs outside of the sandbox (${why})`;
      return;
    }
    if (this.#held.info(path) === undefined) this.problem ??= unprotectable(path);
  }
}

/** The code that runs outside of the sandbox: Haft's own, and Node.js. */
function ownFiles(): readonly string[] {
  const module = dirname(fileURLToPath(import.meta.url));
  let packaged = module;
  while (packaged !== "/" && !existsSync(join(packaged, "package.json"))) packaged = dirname(packaged);
  // Where the workspace is the package itself, its code alone is protected.
  const [code = ""] = relative(packaged, module).split("/");
  return [...(packaged === "/" ? [module] : [packaged, join(packaged, code)]), realpathSync.native(process.execPath)];
}

function symlinkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function unprotectable(path: string): string {
  return `"${path}" is a symlink or a special file, so that a command could replace it and have git run programs outside of the sandbox. Replace it with a directory or a file`;
}
