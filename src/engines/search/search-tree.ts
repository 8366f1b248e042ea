import type { EntryKind, GrepHit, GrepQuery, SearchEnd, WalkEntry, WalkQuery } from "../../kernel/index.js";
import { HaftError } from "../../kernel/index.js";
import {
  compileGlob,
  concatBytes,
  decodeText,
  detectEncoding,
  detectLegacyEncoding,
  hasUtf16Bom,
} from "../../text/index.js";
import { searchFile } from "./file-search.js";
import { compilePattern } from "./search-pattern.js";
import { SearchTally, whyAborted } from "./search-tally.js";
import { PauseCheck, type SearchScope, type SearchSource } from "./source.js";
import { visitTree } from "./visit-tree.js";

/** The name of this engine in end records. */
const ENGINE = "re2js";
/** Larger files that are not UTF-8 are searched without decoding, so that non-ASCII characters are not found in them. */
const MAX_DECODED_BYTES = 16 * 1024 * 1024;

/**
 * `Search.grep` over any source of files, in path order. Hits of a file come when it has been read as far as it takes to
 * know that it is not binary. `query.order` makes no difference here, `timeoutMs` and `signal` are the scope's matter.
 * @throws `SEARCH_PATTERN`, `SEARCH_UNSUPPORTED`, and what the source rejects with for the root.
 */
export async function* searchTree(
  source: SearchSource,
  query: GrepQuery,
  scope: SearchScope,
): AsyncGenerator<GrepHit | SearchEnd, void> {
  const tally = new SearchTally();
  const pattern = await compilePattern(query.pattern);
  const isIncluded = globFilter(query);
  const pauseCheck = new PauseCheck(scope);
  const isBeyondAscii = /[^\0-\x7f]/.test(query.pattern.source);
  let toSkip = query.offset;
  let left = query.limit;
  for await (const visit of visitTree(source, query, scope, tally)) {
    if (scope.signal.aborted) break;
    if (visit.kind === "directory" || visit.kind === "link" || !isIncluded(visit.path)) continue;
    if (visit.kind !== "file") {
      tally.skip("special");
      continue;
    }
    if (query.maxFileBytes !== undefined && (visit.size ?? 0) > query.maxFileBytes) {
      tally.skip("large");
      continue;
    }
    tally.seen++;
    // One more than wanted: only then is it known that the answer is not complete.
    const enough = query.mode === "content" ? toSkip + left + 1 : query.mode === "files" ? 1 : Number.POSITIVE_INFINITY;
    try {
      const chunks = () => until(source.openRead(visit.path), scope.signal);
      const fileQuery = { ...query, multiline: query.pattern.multiline, isBeyondAscii, enough };
      let found = await searchFile(visit.path, chunks(), pattern, fileQuery, pauseCheck);
      if (found.skipped === "encoding" && !scope.signal.aborted) {
        const text = await decoded(chunks());
        if (text !== undefined) found = await searchFile(visit.path, text, pattern, fileQuery, pauseCheck);
      } else if (found.skipped === undefined && found.isLegacy && !scope.signal.aborted) {
        const text = await decoded(chunks());
        const again = text === undefined ? found : await searchFile(visit.path, text, pattern, fileQuery, pauseCheck);
        if (again.skipped === undefined && again.matchedLines >= found.matchedLines) found = again;
        if (text === undefined && isBeyondAscii) tally.skip("encoding");
      }
      if (found.skipped !== undefined) {
        tally.skip(found.skipped);
        continue;
      }
      for (let line = 0; line < found.longLines; line++) tally.skip("long");
      if (scope.signal.aborted || found.matchedLines === 0) continue;
      const hits = query.mode === "content" ? found.hits : [fileHit(visit.path, query.mode, found.matchedLines)];
      const page = pageOf(hits, toSkip, left, query.context);
      yield* page.hits;
      toSkip = page.toSkip;
      left = page.left;
      tally.passed = query.offset - toSkip;
      if (page.isFull) return yield tally.end("limit", ENGINE);
    } catch (thrown) {
      tally.failed(thrown, visit.path);
    }
  }
  yield tally.end(scope.signal.aborted ? whyAborted(scope.signal) : "complete", ENGINE);
}

/** `Search.walk` over any source of files, in path order. @throws What the source rejects with for the root. */
export async function* walkTree(
  source: SearchSource,
  query: WalkQuery,
  scope: SearchScope,
): AsyncGenerator<WalkEntry | SearchEnd, void> {
  const tally = new SearchTally();
  const matches = globFilter(query);
  const isIncluded = (path: string, kind: EntryKind): boolean => {
    tally.seen++;
    return (query.type === undefined || kind === query.type) && matches(path);
  };
  let toSkip = query.offset;
  let left = query.limit;
  for await (const visit of visitTree(source, query, scope, tally, { isIncluded })) {
    if (scope.signal.aborted) break;
    if (toSkip > 0) toSkip--;
    else if (left === 0) return yield tally.end("limit", ENGINE);
    else {
      left--;
      yield { kind: "entry", path: visit.path, entry: { kind: visit.kind } };
    }
  }
  yield tally.end(scope.signal.aborted ? whyAborted(scope.signal) : "complete", ENGINE);
}

function fileHit(path: string, mode: "files" | "count", matchedLines: number): GrepHit {
  const hit: GrepHit = { kind: "hit", path, line: 0, bytes: new Uint8Array(), at: [] };
  return mode === "count" ? { ...hit, count: matchedLines } : hit;
}

/** Takes the hits of one file into the page: context lines count nothing and stay only beside a hit of the page. */
export function pageOf(
  hits: readonly GrepHit[],
  toSkip: number,
  left: number,
  context: number,
): { readonly hits: GrepHit[]; readonly toSkip: number; readonly left: number; readonly isFull: boolean } {
  const page: GrepHit[] = [];
  let skip = toSkip;
  let remaining = left;
  let lastLine = Number.NEGATIVE_INFINITY;
  let before: GrepHit[] = [];
  for (const hit of hits) {
    if (hit.context) {
      if (hit.line <= lastLine + context) page.push(hit);
      else before.push(hit);
    } else if (skip > 0) {
      skip--;
      before = [];
    } else if (remaining === 0) return { hits: page, toSkip: 0, left: 0, isFull: true };
    else {
      page.push(...before.filter((line) => line.line >= hit.line - context), hit);
      before = [];
      lastLine = hit.line;
      remaining--;
    }
  }
  return { hits: page, toSkip: skip, left: remaining, isFull: false };
}

/** The bytes of a text in the encoding that `read` would take it for, as UTF-8. Undefined for a file that is too large. */
async function decoded(chunks: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array> | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(new Uint8Array(chunk));
    size += chunk.length;
    if (size > MAX_DECODED_BYTES) return undefined;
  }
  const bytes = concatBytes(parts);
  const isUtf16 = hasUtf16Bom(bytes);
  const { text } = decodeText(bytes, isUtf16 ? detectEncoding(bytes).encoding : await detectLegacyEncoding(bytes));
  return (async function* () {
    yield new TextEncoder().encode(text);
  })();
}

/** Ends a stream of chunks when the search is aborted. */
async function* until(chunks: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of chunks) {
    if (signal.aborted) return;
    yield chunk;
  }
}

/**
 * Whether a path below the root is searched. Without a glob every path is; a root that is a file always is. A leading `!`
 * excludes what the glob matches, a directory with its contents; such a glob with a trailing slash matches directories only.
 * @throws `SEARCH_PATTERN` for an invalid glob.
 */
export function globFilter(query: Pick<WalkQuery, "root" | "glob" | "ignoreGlobCase">): (path: string) => boolean {
  const { root, glob } = query;
  if (glob === undefined) return () => true;
  const ignoreCase = query.ignoreGlobCase ?? false;
  const at = root === "/" ? 1 : root.length + 1;
  const leavesOut = glob.startsWith("!");
  const [body, directoriesOnly] = leavesOut && /[^/]\/+$/.test(glob) ? [glob.replace(/\/+$/, ""), true] : [glob, false];
  const compiled = compileGlob(leavesOut ? body.slice(1) : body, { ignoreCase });
  if (!compiled.ok)
    throw new HaftError("SEARCH_PATTERN", compiled.error, { details: { pattern: glob, why: compiled.error } });
  if (!leavesOut) return (path) => path === root || compiled.matches(path.slice(at));
  return (path) => {
    if (path === root) return true;
    const below = path.slice(at);
    for (let end = below.indexOf("/"); end !== -1; end = below.indexOf("/", end + 1)) {
      if (compiled.matches(below.slice(0, end))) return false;
    }
    return directoriesOnly || !compiled.matches(below);
  };
}
