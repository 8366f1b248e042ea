import {
  type Claim,
  type ClaimContext,
  defineTool,
  fail,
  ok,
  type SearchEnd,
  type ToolContext,
  type ToolResult,
  type Truncation,
  type WalkEntry,
  type WalkQuery,
} from "../../kernel/index.js";
import { baseName, compileGlob, utf8Length } from "../../text/index.js";
import { collectSearch, SEARCH_DEADLINE_MS, SEARCH_TIMEOUT_MS } from "../shared/collect-search.js";
import { refuseLimit } from "../shared/limit-input.js";
import { siblingClaims, withNearPaths } from "../shared/near-failure.js";
import { fileProvenance, quoted, refusePath } from "../shared/path-input.js";
import { refuseRoot } from "../shared/search-root.js";
import { shownPath } from "../shared/shown-path.js";
import { FIND_LIMITS, type FindData, type FindEntry, type FindInput, type FindLimits, findSchema } from "./contract.js";
import { type NameQuery, nameQuery, refuseQuery } from "./name-query.js";

/**
 * Finds files, directories and symlinks by name, case-insensitively. A glob with a slash is matched against the
 * path below the directory, one without against the name; a query without `*`, `?` and `{` is a substring. Symlinks are
 * found but not followed, except `path` itself. Ends at the limit and after {@link SEARCH_TIMEOUT_MS}, with partial results and the reason.
 *
 * Fails with `FS_NOT_FOUND` for a missing directory, `FS_NOT_A_DIRECTORY`, and `SEARCH_PATTERN` for an invalid glob. A
 * cancelled search fails with `CALL_CANCELLED` and still has what it found.
 */
export const findTool = defineTool({
  name: "find",
  description: `Find files and directories by name (case-insensitive). A glob with a slash matches the path below \`path\`. Excludes ignored files and .git, does not follow symlinks; at most ${FIND_LIMITS.maxBytes / 1024} KiB and ${SEARCH_TIMEOUT_MS / 1000} s.`,
  input: findSchema,
  effect: "read",
  limits: FIND_LIMITS,
  deadlineMs: SEARCH_DEADLINE_MS,
  annotations: { title: "Find", idempotent: true },
  claims: (input: FindInput, context) => refuseInput(input, context.limits) ?? claimsOf(input, context),
  run: runFind,
});

function refuseInput(input: FindInput, { wildcards }: FindLimits): ToolResult<never> | undefined {
  const path = input.path ?? ".";
  return refuseQuery(input.query, wildcards) ?? refusePath(path, "search") ?? refuseLimit(input.limit, "search", path);
}

function claimsOf(input: FindInput, context: ClaimContext<FindLimits>): readonly Claim[] {
  const path = context.resolve(input.path ?? ".");
  return [{ kind: "file", path, access: ["read"], scope: "tree" }, ...siblingClaims(path, context)];
}

async function runFind(input: FindInput, ctx: ToolContext<FindLimits>): Promise<ToolResult<FindData>> {
  const givenPath = input.path ?? ".";
  const root = ctx.resolve(givenPath);
  const refused = await refuseRoot(ctx, root, givenPath, false);
  if (refused !== undefined) return withNearPaths(refused, root, givenPath, ctx);
  const named = nameQuery(input.query, root, ctx.limits.wildcards);
  const query = queryOf(input, ctx.limits, root, named);
  const found: WalkEntry[] = rootEntry(query, ctx.limits);
  let end: SearchEnd | undefined;
  if (named.glob !== undefined) {
    const walk = ctx.search.walk({ ...query, limit: query.limit - found.length });
    const take = (item: WalkEntry | SearchEnd): void => {
      if (item.kind === "end") end = item;
      else found.push(item);
    };
    const problem = await collectSearch(walk, take, ctx.signal, { givenPath, absolute: root });
    if (problem !== undefined) return problem;
  }
  return answer(input, ctx, { query, asGlob: named.asGlob }, found, end);
}

function queryOf(input: FindInput, limits: FindLimits, root: string, { glob, directoriesOnly }: NameQuery): WalkQuery {
  const byList = limits.pruning.by === "list";
  const type = input.type === "dir" || (input.type === undefined && directoriesOnly) ? "directory" : input.type;
  return {
    root,
    ...(glob === undefined ? {} : { glob, ignoreGlobCase: true }),
    ...(type === undefined ? {} : { type }),
    includeIgnored: byList || (input.includeIgnored ?? false),
    prune: limits.pruning.by === "list" ? limits.pruning.names : [],
    order: limits.order,
    offset: 0,
    limit: Math.min(input.limit ?? limits.defaultEntries, limits.maxEntries),
    timeoutMs: SEARCH_TIMEOUT_MS,
  };
}

/** The root, which a walk does not yield, where it is wanted and matches. */
function rootEntry({ root, glob = "", type }: WalkQuery, { withRoot }: FindLimits): WalkEntry[] {
  const compiled = compileGlob(glob, { ignoreCase: true });
  const isIncluded = withRoot && type !== "file" && compiled.ok && compiled.matches(baseName(root));
  return isIncluded ? [{ kind: "entry", path: root, entry: { kind: "directory" } }] : [];
}

function answer(
  input: FindInput,
  ctx: ToolContext<FindLimits>,
  { query, asGlob }: { readonly query: WalkQuery; readonly asGlob: string | undefined },
  found: readonly WalkEntry[],
  end: SearchEnd | undefined,
): ToolResult<FindData> {
  const { limits } = ctx;
  const givenPath = input.path ?? ".";
  const { entries, truncations } = fitting(shownEntries(found, query, ctx), limits.maxBytes);
  const why = truncations.length > 0 && end?.why !== "cancelled" ? "limit" : (end?.why ?? "complete");
  const data: FindData = {
    root: givenPath,
    entries,
    total: found.length,
    why,
    limit: query.limit,
    skipped: end?.skipped ?? {},
    unreadable: (end?.unreadable ?? []).map(shownPath(limits.relativeTo === "root" ? query.root : ctx.cwd)),
    engine: end?.engine ?? "",
    ...(asGlob === undefined ? {} : { asGlob }),
  };
  const { root, total, limit, skipped, unreadable, engine } = data;
  const more = {
    structured: { root, found: entries.length, total, why, limit, skipped, unreadable, engine },
    truncations,
    provenance: fileProvenance(ctx, query.root, givenPath),
    ...notesOf(input, limits),
  };
  if (why !== "cancelled") return ok(data, more);
  return fail("CALL_CANCELLED", `Stopped the search in ${quoted(givenPath)}: it was cancelled.`, { data, ...more });
}

/** With their shown paths, in path order. */
function shownEntries(found: readonly WalkEntry[], query: WalkQuery, ctx: ToolContext<FindLimits>): FindEntry[] {
  const shown = shownPath(ctx.limits.relativeTo === "root" ? query.root : ctx.cwd);
  const entries = found.map(({ path, entry }) => ({ path: path === query.root ? "." : shown(path), kind: entry.kind }));
  return query.order === "path" ? entries : entries.sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** The entries that fit, always at least one, and the truncation. */
function fitting(
  all: readonly FindEntry[],
  maxBytes: number,
): { entries: readonly FindEntry[]; truncations: readonly Truncation[] } {
  const ends: number[] = [];
  for (const { path } of all) ends.push((ends.at(-1) ?? 0) + utf8Length(path) + 1);
  const producedBytes = ends.at(-1) ?? 0;
  if (producedBytes <= maxBytes) return { entries: all, truncations: [] };
  const kept = Math.max(
    1,
    ends.findIndex((end) => end > maxBytes),
  );
  if (kept === all.length) return { entries: all, truncations: [] };
  const what = `${all.length - kept} of the paths`;
  const truncation = { what, producedBytes, keptBytes: ends[kept - 1]!, next: "Narrow `query` or `path`." };
  return { entries: all.slice(0, kept), truncations: [truncation] };
}

function notesOf(
  input: FindInput,
  { wildcards }: FindLimits,
): { readonly details?: Readonly<Record<string, unknown>> } {
  const notes: string[] = [];
  if (wildcards === "names" && input.query.includes("/"))
    notes.push("`query` is matched against names, and no name contains a slash; set `path` to the directory.");
  return notes.length === 0 ? {} : { details: { notes } };
}
