/** Which paths ZeroClaw refuses, and which of them a command names. */
import { isWithin, type PolicyFiles } from "../../kernel/index.js";
import { normalizePath } from "../../text/index.js";
import type { CommandJudgement } from "../commands/index.js";

export const DEFAULT_FORBIDDEN_PATHS: readonly string[] = [
  ...["/etc", "/root", "/home", "/usr", "/bin", "/sbin", "/lib", "/opt", "/boot", "/dev", "/proc", "/sys", "/var"],
  ...["/tmp", "~/.ssh", "~/.gnupg", "~/.aws", "~/.config"],
];

/** Devices that keep nothing. */
const NOTHING: ReadonlySet<string> = new Set(["/dev/null", "/dev/zero", "/dev/stdin", "/dev/stdout", "/dev/stderr"]);

export interface PathLimits {
  /** The workspace and the directories beside it that may be used. */
  readonly roots: readonly string[];
  readonly forbidden: readonly string[];
  /** Everything outside the roots is refused. */
  readonly isWorkspaceOnly: boolean;
  readonly home: string;
  /** What was looked up on the target. */
  readonly files?: PolicyFiles | undefined;
}

/** Whether an absolute path is refused. A root exempts itself from a forbidden directory above it, not from one inside it. */
export function isForbidden(path: string, { roots, forbidden, isWorkspaceOnly, home }: PathLimits): boolean {
  const normalized = normalizePath(path);
  if (NOTHING.has(normalized)) return false;
  const own = roots.filter((root) => isWithin(root, normalized));
  if (own.length === 0 && isWorkspaceOnly) return true;
  return forbidden
    .map((one) => normalizePath(one.replace(/^~(?=\/|$)/, home)))
    .some((one) => isWithin(one, normalized) && !own.some((root) => isWithin(one, root)));
}

/** The first refused path of a command, as it is written where an argument names it. */
export function forbiddenPathIn({ segments }: CommandJudgement, cwd: string, rules: PathLimits): string | undefined {
  const written = segments
    .flatMap(({ args }) => args.flatMap(pathsInArgument))
    .find((path) => isForbidden(absolute(path, cwd, rules.home), rules));
  if (written !== undefined) return written;
  const touched = segments.flatMap(({ files }) => files).filter(({ resolved }) => resolved);
  const { real } = rules.files ?? {};
  return touched.flatMap(({ path }) => [path, real?.get(path) ?? path]).find((path) => isForbidden(path, rules));
}

/** What may be a path in an argument: itself, the value after `=`, and what follows the letters of an option. */
function pathsInArgument(arg: string): readonly string[] {
  const attached = /^-\w+?([/~.].*)$/s.exec(arg)?.[1] ?? "";
  const parts = [arg, arg.slice(arg.indexOf("=") + 1), attached];
  return parts.filter((part) => /^[/~]|(^|\/)\.\.(\/|$)/.test(part) && !/^[a-z][\w+.-]*:\/\//i.test(part));
}

/** `~name` is the home directory of another user, so that it counts as the root directory. */
function absolute(path: string, cwd: string, home: string): string {
  if (path === "~" || path.startsWith("~/")) return home + path.slice(1);
  if (path.startsWith("~")) return "/";
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}
