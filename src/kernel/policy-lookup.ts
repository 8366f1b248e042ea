/** Looks at files for a policy, which does no I/O of its own: where paths lead, and which names a tree has. */
import { matchGlobSegment, parseGlobSegment } from "../text/index.js";
import type { BoundCall } from "./backend.js";
import { backendOf, type CallRun } from "./call-run.js";
import { type Decision, grantFor, isWithin } from "./claims.js";
import { HaftError } from "./errors.js";
import { isExceptedName } from "./excepted-names.js";
import { type EntryKind, type Fs, type Io, withMissingPart } from "./fs.js";
import type { PolicyCall, PolicyFound, PolicyLookup, PolicySearch } from "./services.js";
import { withTimeout } from "./with-timeout.js";

/** Most paths, and most searches, of one lookup. */
export const MAX_LOOKUP_PATHS = 200;
/** A lookup finds other directories, whose paths are looked up then, and so on. */
const MAX_ROUNDS = 3;
/** Milliseconds for one round. What is not known by then stays unknown. */
const LOOKUP_MS = 3_000;
/** Most entries that one search reports. */
const MAX_FOUND = 200;
/** Most directories, and most entries of each, that one glob is expanded in. */
const MAX_DIRECTORIES = 64;
const MAX_ENTRIES = 4_000;

/**
 * Asks the policy what it has to know and looks it up, until it knows all that can be known. Whatever fails, takes too long or
 * finds too much stays unknown.
 *
 * @returns Whether anything was looked up; at once where the policy asks for nothing.
 */
export function lookUp(run: CallRun, call: PolicyCall): boolean | Promise<boolean> {
  const asked = wantedBy(run, call);
  return asked === undefined ? false : lookUpAll(run, call, asked);
}

async function lookUpAll(run: CallRun, call: PolicyCall, first: PolicyLookup): Promise<true> {
  let asked: PolicyLookup | undefined = first;
  for (let round = 1; asked !== undefined; round++) {
    const wanted = asked;
    run.files ??= { real: new Map(), found: new Map() };
    const { clock } = run.context.host;
    const end = new AbortController();
    const io: Io = { signal: end.signal, timeoutMs: LOOKUP_MS };
    // What is found late is not added to what has been judged.
    const known = await withTimeout<Known | undefined>(
      { clock, ms: LOOKUP_MS, signal: run.cancel },
      () => lookedUp(run, wanted, io),
      () => undefined,
    );
    end.abort();
    const { real, found } = run.files;
    run.files = {
      real: new Map([...real, ...(known?.real ?? [])]),
      found: new Map([...found, ...(known?.found ?? [])]),
    };
    if (known === undefined) return true;
    asked = round < MAX_ROUNDS ? wantedBy(run, call) : undefined;
  }
  return true;
}

interface Known {
  readonly real: ReadonlyMap<string, string>;
  readonly found: ReadonlyMap<string, readonly PolicyFound[]>;
}

/** Undefined where nothing more is asked for. A policy that throws here knows nothing, and decides so. */
function wantedBy(run: CallRun, call: PolicyCall): PolicyLookup | undefined {
  const { policy } = run.context.host;
  try {
    const asked = policy.lookup?.(run.claims, run.files === undefined ? call : { ...call, files: run.files });
    if (asked === undefined) return undefined;
    const { paths, searches } = asked;
    return paths.length + searches.length === 0 ? undefined : { paths: [...paths], searches: [...searches] };
  } catch {
    return undefined;
  }
}

async function lookedUp(run: CallRun, { paths, searches }: PolicyLookup, io: Io): Promise<Known> {
  const { fs } = backendOf(run).root;
  const real = new Map<string, string>();
  const found = new Map<string, readonly PolicyFound[]>();
  if (paths.length > MAX_LOOKUP_PATHS || searches.length > MAX_LOOKUP_PATHS) return { real, found };
  const all = [...new Set([...paths, ...searches.map(({ path }) => path)])];
  const places = await fs.resolve(all, io).catch(() => []);
  const placeOf = new Map(places.map((place, index) => [all[index]!, place]));
  for (const path of paths) {
    const place = placeOf.get(path);
    if (place === undefined) continue;
    const shown = policyPathOf(run, withMissingPart(place));
    real.set(path, shown).set(shown, shown);
  }
  for (const search of searches) {
    const place = placeOf.get(search.path);
    if (place === undefined) continue;
    if (place.kind !== "directory") found.set(search.id, []);
    else
      await entriesOf(run, search, place.real, io).then(
        (entries) => found.set(search.id, entries),
        () => {},
      );
  }
  return { real, found };
}

async function entriesOf(run: CallRun, search: PolicySearch, directory: string, io: Io): Promise<PolicyFound[]> {
  const { fs } = backendOf(run).root;
  const links: string[] = [];
  const others: PolicyFound[] = [];
  const take: Take = (path, kind) => {
    if (kind === "link") links.push(path);
    else if (isExceptedName(search.names, path.slice(path.lastIndexOf("/") + 1))) {
      const shown = policyPathOf(run, path);
      others.push({ path: shown, real: shown, kind });
    }
    if (links.length + others.length > MAX_FOUND) throw tooMany(search.path);
  };
  if (search.glob === undefined) await walk(run, search, directory, io, take);
  else await expand(fs, directory, search.glob.split("/"), io, take);
  const places = links.length === 0 ? [] : await fs.resolve(links, io);
  return [
    ...others,
    ...links.map((path, index) => {
      const real = policyPathOf(run, withMissingPart(places[index]!));
      return { path: policyPathOf(run, path), real, kind: "link" as const };
    }),
  ];
}

type Take = (path: string, kind: EntryKind) => void;

async function walk(run: CallRun, search: PolicySearch, root: string, io: Io, take: Take): Promise<void> {
  const { context, call, workspace } = run;
  const grant = grantFor(call.id, [{ kind: "file", path: root, access: ["read"], scope: "tree" }]);
  const refuse = async (): Promise<Decision> => ({ effect: "deny", rule: "lookup", risk: "low", reason: "" });
  const bound: BoundCall = {
    id: call.id,
    signal: io.signal!,
    deadline: context.host.clock.now() + LOOKUP_MS,
    sessionId: context.session.id,
    workspace,
    authorizeRealPath: refuse,
    authorizeDirectory: refuse,
  };
  const includeIgnored = search.includeIgnored || !(await isInRepository(backendOf(run).root.fs, root, io));
  const query = { ...io, root, includeIgnored, prune: [], order: "found", offset: 0 } as const;
  for await (const record of backendOf(run)
    .bind(grant, bound)
    .search.walk({ ...query, limit: 1_000_000_000 })) {
    if (record.kind === "entry") take(record.path, record.entry.kind);
    // What cannot be read cannot be read by the command either.
    else if (record.why !== "complete") throw tooMany(root);
  }
}

/** Outside of a repository, programs that obey ignore files pass over less than a search does. */
async function isInRepository(fs: Fs, directory: string, io: Io): Promise<boolean> {
  const names = directory.split("/");
  const places = names.map((_, index) => `${names.slice(0, index + 1).join("/")}/.git`);
  return (await fs.resolve(places, io)).some(({ kind }) => kind !== "absent");
}

/** The matches of a glob, level by level. Symlinks on the way are matches too. */
async function expand(fs: Fs, directory: string, segments: readonly string[], io: Io, take: Take): Promise<void> {
  let directories = [directory];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    const tokens = parseGlobSegment(segment, false);
    const next: string[] = [];
    for (const parent of directories) {
      const { children, more } = await childrenOf(fs, parent, io);
      if (more) throw tooMany(parent);
      for (const { name, kind, target } of children) {
        // As in a shell, a dot at the start is matched by a dot.
        if ((name.startsWith(".") && !segment.startsWith(".")) || !matchGlobSegment(tokens, name)) continue;
        const path = `${parent === "/" ? "" : parent}/${name}`;
        const isLink = target !== undefined || kind === "link";
        if (isLast || isLink) take(path, isLink ? "link" : kind);
        if (!isLast && kind === "directory") next.push(path);
      }
    }
    if (next.length > MAX_DIRECTORIES) throw tooMany(directory);
    directories = next;
  }
}

async function childrenOf(fs: Fs, path: string, io: Io): ReturnType<Fs["readDir"]> {
  try {
    return await fs.readDir(path, { ...io, limit: MAX_ENTRIES });
  } catch (thrown) {
    if (HaftError.is(thrown) && /^FS_(NOT_FOUND|NOT_A_DIRECTORY|PERMISSION)$/.test(thrown.code))
      return { children: [], more: false };
    throw thrown;
  }
}

function tooMany(path: string): Error {
  return new Error(`"${path}" has more entries than are looked at.`);
}

/**
 * The path by which policy knows a real place: one in the workspace is inside it also where the host named the workspace by
 * a symlink. Where that symlink leads was settled when the backend was opened.
 */
export function policyPathOf(run: CallRun, real: string): string {
  const { cwd, realCwd = cwd } = backendOf(run);
  if (realCwd === cwd || !isWithin(realCwd, real)) return real;
  if (real === realCwd) return cwd;
  return cwd + (realCwd === "/" ? real : real.slice(realCwd.length));
}
