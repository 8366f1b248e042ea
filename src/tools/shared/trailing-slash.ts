/** Refuses a trailing slash, as in `docs/`, where a file is meant. */
import { type EntryKind, fail, type ToolResult } from "../../kernel/index.js";
import { trailingSlash, withoutTrailingSlash } from "../../text/index.js";
import type { FileRequest } from "./file-failure.js";
import { quoted } from "./path-input.js";

type PathRequest = Pick<FileRequest, "verb" | "givenPath">;

/** Refuses such a path of an existing non-directory; undefined for a symlink, whose target decides. */
export function refuseTrailingSlash(kind: EntryKind, { verb, givenPath }: PathRequest): ToolResult<never> | undefined {
  const end = trailingSlash(givenPath);
  if (end === undefined || kind === "directory" || kind === "link") return undefined;
  const file = withoutTrailingSlash(givenPath);
  const next = trailingSlash(file) === undefined ? quoted(file) : "the path of the file itself";
  const why = `the path ends in ${quoted(end)}, but it is not a directory. Send ${next}`;
  return fail("FS_NOT_A_DIRECTORY", `Did not ${verb} ${quoted(givenPath)}: ${why}.`, { details: { path: givenPath } });
}

/** Refuses a new file at such a path. */
export function refuseNewFileTrailingSlash({ verb, givenPath }: PathRequest): ToolResult<never> | undefined {
  const end = trailingSlash(givenPath);
  if (end === undefined) return undefined;
  const why = `the path ends in ${quoted(end)}, but no such directory exists. Send the path of the file itself`;
  return badPath(`Did not ${verb} ${quoted(givenPath)}: ${why}.`, givenPath);
}

/** Refuses such a path as the destination of a file. */
export function refuseMoveToTrailingSlash(from: string, to: string, name: string): ToolResult<never> | undefined {
  const end = trailingSlash(to);
  if (end === undefined) return undefined;
  const next = `Send ${quoted(inDirectory(to, name))} to move it into a new directory, or ${quoted(withoutTrailingSlash(to))} to rename it`;
  const why = `\`to\` ends in ${quoted(end)}, but no such directory exists. ${next}`;
  return badPath(`Did not move ${quoted(from)}: ${why}.`, to);
}

/** The path of `name` in a directory, spelled as the directory is. */
export function inDirectory(directory: string, name: string): string {
  const bare = withoutTrailingSlash(directory);
  return bare === "/" ? `/${name}` : `${bare}/${name}`;
}

function badPath(message: string, path: string): ToolResult<never> {
  return fail("FS_BAD_PATH", message, { details: { path, why: "names a directory" } });
}
