/** What is said about the files of a command: where it names them, and where they really are. */
import {
  type Access,
  isExceptedName,
  isWithin,
  type PolicyFiles,
  type PolicyFound,
  type PolicyLookup,
  type PolicySearch,
} from "../kernel/index.js";
import { parentOf } from "../text/index.js";
import type { CommandFile, CommandJudgement, CommandProblem } from "./commands/index.js";
import { isSensitiveGlob } from "./path-verdict.js";
import type { PolicyContext } from "./policy-context.js";
import type { TouchedPath } from "./rules/index.js";
import { judgeTouchedPath } from "./touched-path-verdict.js";
import { allow, ask, type Verdict } from "./verdict.js";

const ACCESSES: Readonly<Record<CommandFile["access"], readonly Access[]>> = {
  read: ["read"],
  write: ["write", "create"],
  delete: ["delete"],
};

const ALL_NAMES = ["*"];
const NO_NAMES: readonly string[] = [];

/** What has to be known of the target before the files are judged by where they really are. */
export function lookupOf(
  { segments, problems }: CommandJudgement,
  { roots, sensitive, rules }: Pick<PolicyContext, "roots" | "sensitive" | "rules">,
): PolicyLookup {
  const lost = problems.flatMap((problem) =>
    lostSearches(problem).filter(({ path }) => roots.some((one) => one.path === path)),
  );
  if (lost.length > 0) return { paths: [], searches: lost };
  const paths = new Set<string>();
  const searches = new Map<string, PolicySearch>();
  for (const search of problems.flatMap(splitSearches)) searches.set(search.id, search);
  for (const file of segments.flatMap(({ files }) => files)) {
    if (!file.resolved) continue;
    for (const path of [named(file), ...(file.through ?? [])]) paths.add(path);
    for (const search of rules.searchesFor(touchedPath(file, file.path))) searches.set(search.id, search);
    const search = searchOf(file, sensitive);
    if (search !== undefined) searches.set(search.id, search);
  }
  return { paths: [...paths], searches: [...searches.values()] };
}

/** Entries of a directory that would be lost which are named. */
const SHOWN_ENTRIES = 6;

function lostSearches({ kind, paths = [] }: CommandProblem): PolicySearch[] {
  if (kind !== "destroys-root") return [];
  return paths.flatMap((path) =>
    ["*", ".*"].map((glob) => ({
      id: JSON.stringify(["lost", path, glob]),
      path,
      glob,
      names: ALL_NAMES,
      includeIgnored: true,
    })),
  );
}

/** What a directory of the workspace holds that would be lost: ": a.ts, src, and 7 more". Empty where it is not known. */
export function lostEntries(problem: CommandProblem, files?: PolicyFiles): string {
  const found = lostSearches(problem).flatMap(({ id }) => files?.found.get(id) ?? []);
  const names = found.map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
  if (names.length === 0) return "";
  const more = names.length - SHOWN_ENTRIES;
  return `: ${names.slice(0, SHOWN_ENTRIES).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

/** Names that a shell or `xargs` takes apart, or expands. */
const SPLIT_NAMES = ["* *", "*\t*", "*\n*", "*'*", '*"*', "*\\*", "*[*"];

function splitSearches({ kind, paths = [], isUnignored }: CommandProblem): PolicySearch[] {
  if (kind !== "split-names") return [];
  return paths.map((path) => {
    const id = JSON.stringify(["split", path, isUnignored ?? false]);
    return { id, path, names: SPLIT_NAMES, includeIgnored: isUnignored !== true };
  });
}

/** A name that would be taken for several arguments; "none" if there is none, undefined if that is not known. */
export function splitNames(problem: CommandProblem, files?: PolicyFiles): string | undefined {
  const searches = splitSearches(problem);
  if (files === undefined || searches.length === 0) return undefined;
  const found = searches.map(({ id }) => files.found.get(id));
  if (found.includes(undefined)) return undefined;
  const names = found.flatMap((entries = []) => entries.map(({ path }) => path));
  const isSplit = (path: string) => isExceptedName(SPLIT_NAMES, path.slice(path.lastIndexOf("/") + 1));
  return names.find(isSplit) ?? "none";
}

/** All verdicts on one file. Without `found` it is judged as it is written. */
export function judgeFile(file: CommandFile, context: PolicyContext): Verdict[] {
  const { path, glob } = file;
  const { files: found } = context;
  const written = withoutSecrets(file, judgeTouchedPath(touchedPath(file, path), context));
  if (written.effect === "deny" || found === undefined)
    return written.effect === "allow" && glob === true && isSensitiveGlob(path)
      ? [ask("sensitive-file", `"${path}" may stand for files that hold secrets.`, "medium")]
      : [written];
  return [written, ...atRealPath(file, context, found), ...inside(file, context, found)];
}

/** Where the path itself leads, and the directories that its `..` leave. */
function atRealPath(file: CommandFile, context: PolicyContext, { real }: PolicyFiles): Verdict[] {
  const asked = named(file);
  const verdicts: Verdict[] = [];
  const resolved = real.get(asked);
  if (resolved === undefined) verdicts.push(unknown(asked));
  else if (resolved !== asked) {
    const rest = file.glob === true ? "" : file.path.slice(asked.length);
    const target = `${resolved === "/" ? "" : resolved}${rest}`;
    verdicts.push(
      leadsTo(file.path, target, withoutSecrets(file, judgeTouchedPath(touchedPath(file, target), context))),
    );
  }
  for (const directory of file.through ?? []) {
    const left = real.get(directory);
    if (left === directory) continue;
    if (left === undefined) verdicts.push(unknown(directory));
    else {
      verdicts.push(leadsTo(directory, left, judgeTouchedPath(touchedPath(file, left), context)));
      verdicts.push(
        ask("command-unresolved", `"${directory}" is a symlink, and what is above it is elsewhere.`, "medium"),
      );
    }
  }
  return verdicts;
}

/** What a glob or a tree includes: symlinks that are followed, and files that hold secrets. */
function inside(file: CommandFile, context: PolicyContext, { found }: PolicyFiles): Verdict[] {
  const search = searchOf(file, context.sensitive);
  if (search === undefined) return [];
  const entries = found.get(search.id);
  if (entries === undefined)
    return [
      ask(
        "command-unsearched",
        `What "${file.path}" includes could not be looked at in time, or is too much.`,
        "medium",
      ),
    ];
  const isTree = search.glob === undefined;
  const follows = !isTree || file.follows === true || file.glob === true;
  return entries
    .filter((one) => (follows || one.kind !== "link") && (!isTree || isRead(file, search.path, one)))
    .map(({ path, real }) => {
      const verdict = withoutSecrets(
        file,
        judgeTouchedPath({ ...withoutGlob(touchedPath(file, real)), scope: "self" }, context),
      );
      return path === real ? verdict : leadsTo(path, real, verdict);
    });
}

/** Whether a program reads what was found in a tree. */
function isRead(
  { extent, only, follows, path: glob }: CommandFile,
  root: string,
  { path, kind }: PolicyFound,
): boolean {
  const names = path.split("/");
  const isHidden = isWithin(root, path) && names.slice(root.split("/").length).some((name) => name.startsWith("."));
  if (extent === "visible" && isHidden) return false;
  // Behind a directory, or a symlink on the way, there may be any names.
  const isList = glob.endsWith("/**");
  if (kind === "directory" || (kind === "link" && (follows === true || !isList))) return true;
  const globs = only ?? (isList || !glob.includes("/**/") ? [] : [glob.slice(glob.lastIndexOf("/") + 1)]);
  return globs.length === 0 || globs.some((one) => /[[\\]/.test(one) || isExceptedName([one], names.at(-1) ?? ""));
}

/** What is resolved: for a glob the directory before it; for what is deleted or moved where it is, since a symlink goes itself. */
function named({ path, glob, access }: CommandFile): string {
  if (glob === true) return literalDirectory(path);
  return access === "delete" ? parentOf(path) : path;
}

function literalDirectory(glob: string): string {
  const literal = /^(?:[^*?[\\]|\\.)*\//s.exec(glob)?.[0] ?? "/";
  return literal.replace(/\\(.)/gs, "$1").replace(/(?<=.)\/$/s, "");
}

/** Nothing is searched for what is deleted, nor for a tree that is written: that is asked about in any case. */
function searchOf(file: CommandFile, sensitive: readonly string[]): PolicySearch | undefined {
  const { path, glob, access, scope, extent } = file;
  if (access === "delete" || !file.resolved) return undefined;
  const isNames = extent === "names";
  const isTree = glob === true ? path.includes("/**") : scope === "tree";
  if (!isTree && glob !== true) return undefined;
  if (isTree && (access === "write" || (isNames && file.follows !== true && glob !== true))) return undefined;
  const directory = glob === true ? literalDirectory(path) : path;
  const includeIgnored = extent !== "visible" && extent !== "unignored";
  const names = access === "write" ? ALL_NAMES : isNames ? NO_NAMES : sensitive;
  const pattern = isTree ? undefined : path.slice(/^(?:[^*?[\\]|\\.)*\//s.exec(path)?.[0]?.length ?? 1);
  const id = JSON.stringify([directory, pattern ?? null, access, isNames, includeIgnored]);
  return { id, path: directory, names, includeIgnored, ...(pattern === undefined ? {} : { glob: pattern }) };
}

/** Names alone hold no secrets. */
function withoutSecrets({ extent }: CommandFile, verdict: Verdict): Verdict {
  return extent === "names" && verdict.rule === "sensitive-file" ? allow("read-inside", verdict.reason) : verdict;
}

function leadsTo(path: string, real: string, verdict: Verdict): Verdict {
  return { ...verdict, reason: `"${path}" leads to "${real}". ${verdict.reason}` };
}

function unknown(path: string): Verdict {
  return ask("command-unresolved", `Where "${path}" leads is not known.`, "medium");
}

function touchedPath({ access, scope, extent, glob }: CommandFile, path: string): TouchedPath {
  const touched = { path, access: ACCESSES[access], scope, isWhole: extent !== "names" };
  return glob === true ? { ...touched, glob } : touched;
}

function withoutGlob({ glob: _, ...touched }: TouchedPath): TouchedPath {
  return touched;
}
