/**
 * Paths that only a shell, a browser or another system would understand. Taken literally, each names a directory that
 * was not meant: existing files can be used, but nothing is created.
 */
import { fail, HaftError, type ToolContext, type ToolResult } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import { quoted } from "./path-input.js";

const EXPANDED_BY_SHELLS = /^(?:\$\w+(?::\w+)?|\$\{[^/}]*\}|\$\([^)]*\)|`[^`]*`|%\w+%|~[\w.-]+(?=\/))(?=[/\\]|$)/;
const URL = /^[a-z][a-z0-9+.-]+:\/\//i;
const WINDOWS = /^(?:[a-z]:[\\/]|~?\\)/i;

/** Why a path is probably not meant literally, as a clause; undefined for an ordinary path. */
export function unexpandedIn(path: string): string | undefined {
  const [name] = EXPANDED_BY_SHELLS.exec(path) ?? [];
  if (name !== undefined) return `\`${showControls(name)}\` is not expanded in a path`;
  if (URL.test(path)) return "it is a URL, not a path";
  return WINDOWS.test(path) ? "it is a Windows path; here the separator is `/` and there are no drives" : undefined;
}

/** Refuses to create something at such a path. */
export function refuseUnexpanded(path: string, verb: string): ToolResult<never> | undefined {
  const why = unexpandedIn(path);
  if (why === undefined) return undefined;
  const next = `Send the path itself, or ${quoted(`./${path}`)} for exactly this name`;
  return fail("FS_BAD_PATH", `Did not ${verb} ${quoted(path)}: ${why}. ${next}.`, {
    details: { path, why: "not expanded" },
  });
}

/** Why a command cannot run in its `cwd`, with the path as the model spelled it. */
export function cwdAsGiven(
  problem: string,
  givenPath: string | undefined,
  { resolve }: Pick<ToolContext, "resolve">,
): string {
  if (givenPath === undefined) return problem;
  const why = unexpandedIn(givenPath);
  const lacks = `${quoted(givenPath)} does not exist`;
  const message = problem.replaceAll(`"${resolve(givenPath)}"`, quoted(givenPath));
  return why === undefined ? message : message.replace(lacks, () => `${lacks}, and ${why}`);
}

/** The same for an error of a port. For `catch`; always throws. */
export function rethrowWithGivenPath(
  thrown: unknown,
  givenPath: string | undefined,
  ctx: Pick<ToolContext, "resolve">,
): never {
  if (!HaftError.is(thrown, "SHELL_SPAWN")) throw thrown;
  const { code, hint, details } = thrown;
  throw new HaftError(code, cwdAsGiven(thrown.message, givenPath, ctx), {
    cause: thrown,
    ...(hint === undefined ? {} : { hint }),
    details,
  });
}
