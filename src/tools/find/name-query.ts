import { fail, type ToolResult } from "../../kernel/index.js";
import { escapeGlob } from "../../text/index.js";
import type { FindLimits } from "./contract.js";

/** How a name is searched for. */
export interface NameQuery {
  /** Undefined if no name can match. */
  readonly glob: string | undefined;
  readonly directoriesOnly: boolean;
  /** The query with which brackets, here literal, would be a character class. */
  readonly asGlob?: string;
}

/** A query without one of these is a substring. `[` alone makes no glob: it is more common in file names. */
const WILDCARD = /[*?]|\{[^{}]*,/;
const SET = /(?<!\\)\[[^[\]/]+\]/;

/** Refuses a query that cannot match. */
export function refuseQuery(query: string, wildcards: FindLimits["wildcards"]): ToolResult<never> | undefined {
  const isPath = wildcards === "glob";
  const problem =
    query === "" || (isPath && /^\/+$/.test(query))
      ? "`query` is empty; send a glob such as *.md, or part of a name"
      : isPath && query.split("/").includes("..")
        ? "`query` contains `..`, but only files below `path` are found; set `path` to the directory"
        : undefined;
  if (problem === undefined) return undefined;
  return fail("CALL_INVALID", `Did not search: ${problem}.`, { details: { parameter: "query", problem } });
}

/**
 * The glob that a query stands for. One with a slash is matched against the path below the root, else against the name.
 * A query without wildcards is a substring of the name; with a slash, the end of one name and the start of the next.
 * A trailing slash selects directories.
 */
export function nameQuery(query: string, root: string, wildcards: FindLimits["wildcards"]): NameQuery {
  if (wildcards === "names") return { glob: starGlob(query), directoriesOnly: false };
  const below = query.startsWith(`${root}/`) ? query.slice(root.length) : query.replace(/^(?:\.\/+)+/, "/");
  const plain = below.replace(/\/+$/, "");
  const directoriesOnly = plain !== below;
  if (WILDCARD.test(plain)) return { glob: plain, directoriesOnly };
  const asGlob = SET.test(plain) ? { asGlob: partOfName(plain) + (directoriesOnly ? "/" : "") } : {};
  return { glob: partOfName(escapeGlob(plain)), directoriesOnly, ...asGlob };
}

/** A glob for names that contain this; with a slash, for the end of one name and the start of the next. */
function partOfName(glob: string): string {
  if (!glob.includes("/")) return `*${glob}*`;
  return glob.startsWith("/") ? `**${glob}*` : `**/*${glob}*`;
}

/** Only `*` and `?` are special, and no name contains a slash. */
function starGlob(query: string): string | undefined {
  if (query.includes("/")) return undefined;
  const glob = query.replace(/[^*?]+/g, escapeGlob);
  return /[*?]/.test(query) ? glob : `*${glob}*`;
}
