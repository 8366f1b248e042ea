/** A path that is spelled as only a folder's is, such as `docs/`, where a file is meant: no shell takes it for one. */
import { type EntryKind, fail, type ToolResult } from "../../kernel/index.js";
import { trailingSlash, withoutTrailingSlash } from "../../text/index.js";
import { quoted } from "./path-input.js";

interface FileRequest {
  /** What is not done, as in "Did not read". */
  readonly verb: string;
  readonly givenPath: string;
}

/** The refusal of what stands at such a path and is no folder; undefined for another spelling, and where a link leads is left open. */
export function refuseTrailingSlash(kind: EntryKind, { verb, givenPath }: FileRequest): ToolResult<never> | undefined {
  const end = trailingSlash(givenPath);
  if (end === undefined || kind === "directory" || kind === "link") return undefined;
  const file = withoutTrailingSlash(givenPath);
  const next = trailingSlash(file) === undefined ? quoted(file) : "the path of the file itself";
  const why = `the path ends in ${quoted(end)}, but it is not a directory. Send ${next}`;
  return fail("FS_NOT_A_DIRECTORY", `Did not ${verb} ${quoted(givenPath)}: ${why}.`, { details: { path: givenPath } });
}

/** The refusal of a new file at such a path; undefined for another spelling. */
export function refuseNewFileTrailingSlash({ verb, givenPath }: FileRequest): ToolResult<never> | undefined {
  const end = trailingSlash(givenPath);
  if (end === undefined) return undefined;
  const why = `the path ends in ${quoted(end)}, but no such directory exists. Send the path of the file itself`;
  return badPath(`Did not ${verb} ${quoted(givenPath)}: ${why}.`, givenPath);
}

/** The refusal of such a path as the new one of a file; undefined for another spelling. */
export function refuseMoveToTrailingSlash(from: string, to: string, name: string): ToolResult<never> | undefined {
  const end = trailingSlash(to);
  if (end === undefined) return undefined;
  const next = `Send ${quoted(inDirectory(to, name))} to move it into a new directory, or ${quoted(withoutTrailingSlash(to))} to rename it`;
  const why = `\`to\` ends in ${quoted(end)}, but no such directory exists. ${next}`;
  return badPath(`Did not move ${quoted(from)}: ${why}.`, to);
}

/** What `name` is called in the folder, in the way that the folder is spelled. */
export function inDirectory(directory: string, name: string): string {
  const bare = withoutTrailingSlash(directory);
  return bare === "/" ? `/${name}` : `${bare}/${name}`;
}

function badPath(message: string, path: string): ToolResult<never> {
  return fail("FS_BAD_PATH", message, { details: { path, why: "names a folder" } });
}
