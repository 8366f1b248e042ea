import {
  type Claim,
  type ClaimContext,
  defineTool,
  fail,
  type GrepHit,
  type GrepQuery,
  ok,
  type Provenance,
  type SearchEnd,
  type ToolContext,
  type ToolResult,
  type Truncation,
} from "../../kernel/index.js";
import { collectSearch, SEARCH_DEADLINE_MS, SEARCH_TIMEOUT_MS } from "../shared/collect-search.js";
import { siblingClaims, withNearPaths } from "../shared/near-failure.js";
import { artifactIdOf, artifactProvenance, fileProvenance, quoted, refusePath } from "../shared/path-input.js";
import { refuseRoot } from "../shared/search-root.js";
import { shownPath } from "../shared/shown-path.js";
import { searchArtifact } from "./artifact-search.js";
import { GREP_LIMITS, type GrepData, type GrepInput, type GrepLimits, grepSchema } from "./contract.js";
import { HitCollector, sortedHits } from "./grep-hits.js";

/** How long to look for any file that the glob selects, where nothing was found. */
const GLOB_TIMEOUT_MS = 2_000;

/**
 * Searches file contents below a directory, in one file or in an artifact, with a linear-time regular expression.
 * Ends at the limit of hits, at the limit of output and after {@link SEARCH_TIMEOUT_MS}, with partial results and the reason.
 * Skipped files are counted by reason. With `offset` (even 0) files are in path order, so that pages neither
 * overlap nor skip.
 *
 * Fails with `FS_NOT_FOUND` for a missing root, `SEARCH_PATTERN` and `SEARCH_UNSUPPORTED`. A cancelled search fails with
 * `CALL_CANCELLED` and still has what it found.
 */
export const grepTool = defineTool({
  name: "grep",
  description: `Search file contents with a linear-time regex (no look-around, no back-references). Includes hidden files, excludes ignored files and .git. Lines are truncated to ${GREP_LIMITS.maxLineBytes} bytes around the match, the result to ${GREP_LIMITS.maxBytes / 1024} KiB; after ${SEARCH_TIMEOUT_MS / 1000} s it returns partial results.`,
  input: grepSchema,
  effect: "read",
  limits: GREP_LIMITS,
  deadlineMs: SEARCH_DEADLINE_MS,
  annotations: { title: "Search", idempotent: true },
  claims: (input: GrepInput, context) => refuseInput(input) ?? claimsOf(input, context),
  run: runGrep,
});

function claimsOf(input: GrepInput, context: ClaimContext<GrepLimits>): readonly Claim[] {
  const path = input.path ?? ".";
  if (artifactIdOf(path) !== undefined) return [];
  const root = context.resolve(path);
  return [{ kind: "file", path: root, access: ["read"], scope: "tree" }, ...siblingClaims(root, context)];
}

function refuseInput(input: GrepInput): ToolResult<never> | undefined {
  if (input.pattern === "") {
    const problem = "`pattern` is empty, and would match every line";
    return fail("CALL_INVALID", `Did not search: ${problem}.`, { details: { parameter: "pattern", problem } });
  }
  return input.path === undefined ? undefined : refusePath(input.path, "search", true);
}

async function runGrep(input: GrepInput, ctx: ToolContext<GrepLimits>): Promise<ToolResult<GrepData>> {
  const givenPath = input.path ?? ".";
  const artifact = artifactIdOf(givenPath);
  const root = artifact === undefined ? ctx.resolve(givenPath) : givenPath;
  const query = queryOf(input, ctx, root);
  const found = artifact === undefined ? await inTree(givenPath, query, ctx) : await inArtifact(artifact, query, ctx);
  if ("isError" in found) return withNearPaths(found, root, givenPath, ctx);
  const collector = new HitCollector({
    mode: query.mode,
    context: query.context,
    maxBytes: ctx.limits.maxBytes,
    shown: artifact === undefined ? shownPath(ctx.limits.relativeTo === "root" ? root : ctx.cwd) : () => givenPath,
  });
  const problem = await collectSearch(found, (item) => collector.take(item), ctx.signal, {
    givenPath,
    absolute: root,
  });
  if (problem !== undefined) return problem;
  const provenance =
    artifact === undefined
      ? fileProvenance(ctx, root, givenPath)
      : await artifactProvenance(ctx.artifacts, artifact, givenPath);
  const notes = [...notesOf(input), ...(await emptyNotes(query, collector, artifact === undefined ? ctx : undefined))];
  return answer(input, ctx, query, collector, provenance, notes);
}

/** Whether a pattern contains a line break outside of a character class. */
function spansLines({ pattern, literal }: GrepInput): boolean {
  if (literal === true) return pattern.includes("\n");
  const outside = pattern.replace(/\\(?![nx])[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]/g, "");
  return /\n|\\n|\\x0[aA]|\\x\{0*[aA]\}/.test(outside);
}

function queryOf(input: GrepInput, ctx: ToolContext<GrepLimits>, root: string): GrepQuery {
  const { limits } = ctx;
  const byList = limits.pruning.by === "list";
  return {
    root,
    ...(input.glob === undefined ? {} : { glob: input.glob }),
    pattern: {
      source: input.pattern,
      syntax: input.literal === true ? "literal" : "re2",
      ignoreCase: input.ignoreCase ?? false,
      multiline: input.multiline ?? spansLines(input),
    },
    mode: input.mode ?? "content",
    context: input.context ?? 0,
    limit: Math.min(input.limit ?? limits.defaultHits, limits.maxHits),
    offset: input.offset ?? 0,
    order: input.offset === undefined ? limits.order : "path",
    includeIgnored: byList || (input.includeIgnored ?? false),
    prune: limits.pruning.by === "list" ? limits.pruning.names : [],
    maxLineBytes: limits.maxLineBytes,
    ...(limits.maxFileBytes === undefined ? {} : { maxFileBytes: limits.maxFileBytes }),
    binary: limits.binary,
    timeoutMs: SEARCH_TIMEOUT_MS,
  };
}

type Found = AsyncIterable<GrepHit | SearchEnd>;

async function inTree(
  givenPath: string,
  query: GrepQuery,
  ctx: ToolContext<GrepLimits>,
): Promise<Found | ToolResult<never>> {
  return (await refuseRoot(ctx, query.root, givenPath)) ?? ctx.search.grep(query);
}

async function inArtifact(
  id: string,
  query: GrepQuery,
  ctx: ToolContext<GrepLimits>,
): Promise<Found | ToolResult<never>> {
  const head = await ctx.artifacts.read(id, 0, 1);
  if (typeof head !== "string") return searchArtifact(ctx, id, head.producedBytes, query);
  const isEvicted = head === "evicted";
  const why = isEvicted ? "it was deleted to make room for newer output" : "there is no such artifact in this session";
  return fail(isEvicted ? "ARTIFACT_EVICTED" : "ARTIFACT_UNKNOWN", `Did not search ${quoted(query.root)}: ${why}.`, {
    details: { id },
  });
}

function answer(
  input: GrepInput,
  ctx: ToolContext<GrepLimits>,
  query: GrepQuery,
  collector: HitCollector,
  provenance: Provenance,
  notes: readonly string[],
): ToolResult<GrepData> {
  const { end, omitted: dropped } = collector;
  const givenPath = input.path ?? ".";
  const isPaged = query.order === "path";
  const sorted = <Hit extends { readonly path: string }>(hits: readonly Hit[]) => (isPaged ? hits : sortedHits(hits));
  const why = dropped > 0 && end?.why !== "cancelled" ? "limit" : (end?.why ?? "cancelled");
  const shown = shownPath(ctx.limits.relativeTo === "root" ? query.root : ctx.cwd);
  const data: GrepData = {
    root: givenPath,
    mode: query.mode,
    hits: sorted(collector.hits),
    ...(query.mode === "count" ? { counts: sorted(collector.counts) } : {}),
    why,
    limit: query.limit,
    ...(input.offset === undefined ? {} : { offset: input.offset }),
    ...(isPaged && why === "limit" ? { nextOffset: query.offset + collector.kept } : {}),
    skipped: end?.skipped ?? {},
    unreadable: (end?.unreadable ?? []).map(shown),
    engine: end?.engine ?? "",
  };
  const more = {
    structured: structuredOf(data),
    truncations: collector.omittedBytes > 0 ? [truncationOf(data, collector)] : [],
    provenance,
    ...(notes.length === 0 ? {} : { details: { notes } }),
  };
  if (why !== "cancelled") return ok(data, more);
  return fail("CALL_CANCELLED", `Stopped the search in ${quoted(givenPath)}: it was cancelled.`, { data, ...more });
}

function structuredOf({ root, mode, why, limit, nextOffset, skipped, unreadable, engine, hits, counts }: GrepData) {
  const found = mode === "count" ? (counts?.length ?? 0) : hits.length;
  const next = nextOffset === undefined ? {} : { nextOffset };
  return { root, mode, found, why, limit, ...next, skipped, unreadable, engine };
}

function truncationOf(data: GrepData, { keptBytes, omittedBytes, omitted: dropped }: HitCollector): Truncation {
  const next =
    data.nextOffset === undefined
      ? "Narrow `path`, `glob` or `pattern`, or page with `offset` from 0."
      : `Continue with \`offset\` ${data.nextOffset}.`;
  return {
    what: dropped > 0 ? `${dropped} of the hits` : "lines around the last hit",
    producedBytes: keptBytes + omittedBytes,
    keptBytes,
    next,
  };
}

function notesOf(input: GrepInput): string[] {
  const notes: string[] = [];
  if (input.multiline === undefined && spansLines(input))
    notes.push("`pattern` contains a line break, so it was searched with `multiline`.");
  if (input.multiline === false && spansLines(input))
    notes.push("`pattern` contains a line break, which no single line contains: set `multiline`.");
  return notes;
}

/**
 * Other reasons for an empty result: the offset is past the last hit, or no file was searched.
 * @param ctx - Absent: no directory tree is searched.
 */
async function emptyNotes(
  query: GrepQuery,
  { kept, end }: HitCollector,
  ctx: Pick<ToolContext<GrepLimits>, "search"> | undefined,
): Promise<string[]> {
  if (kept > 0 || end?.why !== "complete") return [];
  if (end.passed !== undefined) {
    const what = query.mode === "content" ? "hits" : "files";
    return [`\`offset\` ${query.offset} is past the last of ${end.passed} ${what}.`];
  }
  if (query.glob === undefined || ctx === undefined || (await selectsAny(query, ctx.search))) return [];
  return [`\`glob\` ${quoted(query.glob)} selects no file, so nothing was searched.${globHint(query.glob)}`];
}

/** False only if it is certain that the glob selects no file below the root. */
async function selectsAny(query: GrepQuery, search: ToolContext["search"]): Promise<boolean> {
  const { root, glob, includeIgnored, prune } = query;
  const walk = { root, includeIgnored, prune, ...(glob === undefined ? {} : { glob }) };
  try {
    for await (const item of search.walk({
      ...walk,
      type: "file",
      order: "found",
      offset: 0,
      limit: 1,
      timeoutMs: GLOB_TIMEOUT_MS,
    }))
      return item.kind === "entry" || item.why !== "complete";
  } catch {
    // The search itself succeeded, so this failure says nothing about the glob.
  }
  return true;
}

function globHint(glob: string): string {
  const bare = glob.replace(/\\./gs, "");
  for (const [open, close] of ["[]", "{}"] as const)
    if (bare.split(open!).length !== bare.split(close!).length)
      return ` Its \`${open}\` and \`${close}\` are unbalanced.`;
  if (/^[^{}]*,[^{}]*$/.test(bare)) return ` Write alternatives in braces: \`{${glob}}\`.`;
  return bare.includes("/") ? " A glob with a slash is matched against the path relative to `path`." : "";
}
