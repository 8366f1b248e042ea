/** Undoing what calls changed in files: which calls, whether their files are as they left them, and the steps under locks and audit. */
import {
  applyUndo,
  planUndo,
  type UndoneFile,
  type UndoPlan,
  type UndoProblem,
  type UndoStep,
  undoDiff,
} from "../engines/undo/index.js";
import {
  type Backend,
  type BoundCall,
  type CallRecord,
  type Change,
  type Claim,
  type Decision,
  grantFor,
  HaftError,
  type HostServices,
  isWithin,
  messageOf,
  RecordedFs,
  type Target,
  UNDO_TIMEOUT_MS,
} from "../kernel/index.js";
import { type ChangedCall, chooseCalls, isTargetOf, notUndone, summariesOf } from "./changed-calls.js";
import { hasSharedWorkspace, isOnThisMachine } from "./target-schemes.js";

/** Which calls to undo. Without `call` and `session`: the last one in the workspace of a target that is not undone yet. */
export interface UndoRequest {
  /** `id` of `changes()`, or the id of a call in the workspace of a target that no other call there has. That of an undo redoes what it undid. */
  readonly call?: string;
  /** All calls of the session of this id that are not undone yet. */
  readonly session?: string;
  /** Reports what would change, with diffs, and changes nothing. */
  readonly dryRun?: boolean;
  /** Who undoes it, for the audit log. Default "host". */
  readonly by?: string;
}

/** What was undone, or why nothing was. */
export interface UndoReport {
  /** "planned": a dry run. "conflict": files have changed since, and nothing was done. "nothing": there is nothing to change. */
  readonly status: "done" | "planned" | "conflict" | "nothing";
  readonly calls: readonly ChangedCall[];
  /** Undoing each of these redoes it. */
  readonly ids: readonly string[];
  /** What was or would be done, with the diffs of a dry run. `from`: where a file or directory that is moved back is now. */
  readonly files: readonly {
    readonly path: string;
    readonly did: "restored" | "removed" | "moved";
    readonly from?: string;
    readonly diff?: string;
  }[];
  /** `diff`: what undoing would change in the file as it is now. */
  readonly conflicts: readonly { readonly path: string; readonly why: string; readonly diff?: string }[];
  /** What is not put back: old bytes that were not stored, symlinks. */
  readonly lost: readonly { readonly path: string; readonly why: string }[];
}

/** Milliseconds that undoing waits for a lock. */
const LOCK_TIMEOUT_MS = 10_000;
/** Locks are held inside one another. */
const MAX_PATHS = 1_000;

/**
 * @throws `CALL_INVALID` for a call or session without changes that can be undone, or whose stored bytes are gone or damaged, before any
 *   file is changed; `BACKEND_UNAVAILABLE` for a target that is not
 *   there; and what stopped it halfway, which the message says.
 */
export async function undoCalls(
  request: UndoRequest,
  host: HostServices,
  targets: Readonly<Record<string, Target>>,
): Promise<UndoReport> {
  const { dryRun = false, by = "host" } = request;
  const listed = (await host.undoLog?.list()) ?? { calls: [], damaged: [] };
  const isHere = (call: ChangedCall) =>
    Object.values(targets).some((one) => isTargetOf(call, one) && (one.workspace ?? call.workspace) === call.workspace);
  const { chosen } = chooseCalls(summariesOf(listed), { ...request, isHere });
  const records = chosen.map(({ id }) => listed.calls.find((record) => record.id === id)!);
  const groups = await Promise.all(
    groupsOf(records).map(async (group) => ({ records: group, ...(await openFor(group, targets)) })),
  );
  return underLocks(host, groups, async () => {
    const plans: UndoPlan[] = [];
    for (const { records: calls, backend } of groups) plans.push(await planOf(calls, backend, host));
    const conflicts = plans.flatMap((plan) => plan.conflicts);
    const steps = plans.flatMap((plan) => plan.steps);
    const status = conflicts.length > 0 ? "conflict" : steps.length === 0 ? "nothing" : dryRun ? "planned" : "done";
    const ids: string[] = [];
    const files = await filesOf(plans, status === "planned", host.redactor);
    if (status === "done")
      for (const [index, group] of groups.entries())
        if (plans[index]!.steps.length > 0) ids.push(await makeSteps(plans[index]!, group, host, by));
    return {
      status,
      calls: chosen,
      ids,
      files: status === "conflict" || status === "nothing" ? [] : files,
      conflicts: await Promise.all(conflicts.map((conflict) => shownConflict(conflict, host.redactor))),
      lost: plans.flatMap((plan) => plan.lost.map(({ path, why }) => ({ path, why }))),
    };
  });
}

/**
 * Those of one machine, in the same order: its targets change the same files. A container that was made for its call had the
 * workspace of this machine in it.
 */
function groupsOf(records: readonly CallRecord[]): readonly (readonly CallRecord[])[] {
  const groups = new Map<string, CallRecord[]>();
  for (const record of records) {
    const machine = isMounted(record) ? THIS_MACHINE : record.machine;
    const group = groups.get(machine);
    if (group === undefined) groups.set(machine, [record]);
    else group.push(record);
  }
  return [...groups.values()];
}

/** See `Backend.machine`. */
const THIS_MACHINE = "local";

/** Whether it changed files of this machine alone, from a container that ended with its toolkit. */
function isMounted({ target, spec = target, workspace, changes }: CallRecord): boolean {
  return (
    !isOnThisMachine(spec) &&
    hasSharedWorkspace(spec) &&
    changes.flatMap(pathsOf).every((path) => isWithin(workspace, path))
  );
}

/** The target of the newest call whose target is here, on this machine itself before a container with the workspace in it. */
async function openFor(
  records: readonly CallRecord[],
  targets: Readonly<Record<string, Target>>,
): Promise<{ readonly target: Target; readonly backend: Backend }> {
  const found = records.filter((one) => targetOfRecord(one, targets) !== undefined);
  const record = found.find((one) => !isMounted(one)) ?? found[0] ?? records[0]!;
  const { target: name, spec, machine, id, tool, workspace } = record;
  const target = targetOfRecord(record, targets);
  const shown = spec === undefined ? name : `${name} (${spec})`;
  const unavailable = (why: string) =>
    new HaftError("BACKEND_UNAVAILABLE", `Did not undo "${id}" (${tool}): it ran on ${shown}, ${why}.`, {
      details: { backend: name },
    });
  if (target === undefined) throw unavailable("which is not one of the targets here. Add it to them");
  const backend = await target.open();
  if (isMounted(record)) {
    if (backend.cwd !== workspace) throw unavailable(`in ${workspace}, and the target here has another workspace`);
    const other = records.find((one) => !isMounted(one) || one.workspace !== workspace);
    if (other !== undefined) throw unavailable(`and "${other.id}" elsewhere. Undo the calls one by one`);
  } else if (backend.machine !== machine) throw unavailable("whose files ended with it");
  return { target, backend };
}

function targetOfRecord(record: CallRecord, targets: Readonly<Record<string, Target>>): Target | undefined {
  return Object.values(targets).find((one) => isTargetOf(record, one));
}

interface UndoGroup {
  readonly records: readonly CallRecord[];
  readonly target: Target;
  readonly backend: Backend;
}

/** The paths are locked as tools lock them, in the order of their names. */
async function underLocks<T>(
  { locks }: HostServices,
  groups: readonly UndoGroup[],
  body: () => Promise<T>,
): Promise<T> {
  const keys = groups.flatMap(({ records, backend }) =>
    records.flatMap(({ changes }) => changes.flatMap(pathsOf).map((path) => `${backend.machine}:${path}`)),
  );
  const sorted = [...new Set(keys)].sort();
  if (sorted.length > MAX_PATHS)
    throw notUndone(`${sorted.length} paths`, `at most ${MAX_PATHS} are undone at once. Undo the calls one by one`);
  const holdFrom = (index: number): Promise<T> =>
    index === sorted.length
      ? body()
      : locks.hold(sorted[index]!, { timeoutMs: LOCK_TIMEOUT_MS }, () => holdFrom(index + 1));
  return holdFrom(0);
}

function pathsOf(change: Change): readonly string[] {
  if (change.kind === "mkdir") return change.paths;
  return change.kind === "rename" ? [change.from, change.to] : [change.path];
}

function planOf(
  records: readonly CallRecord[],
  { root }: Backend,
  { digest, undoLog }: HostServices,
): Promise<UndoPlan> {
  return planUndo(records, {
    fs: root.fs,
    digest,
    content: async (id, content) => undoLog?.content(id, content),
  });
}

/** @returns The id of its record. */
async function makeSteps(
  { steps }: UndoPlan,
  { records, target, backend }: UndoGroup,
  host: HostServices,
  by: string,
): Promise<string> {
  const { audit, clock, digest, ids, protectedPaths, undoLog } = host;
  const { sessionId, workspace } = records[0]!;
  const callId = ids.next("undo");
  const claims = steps.flatMap(claimsOf);
  const spec = target.spec === undefined || target.spec === target.name ? {} : { spec: target.spec };
  const undoes = records.map(({ id }) => id);
  const input = JSON.stringify({ calls: undoes });
  const startedMs = clock.now();
  const begin = {
    callId,
    sessionId,
    tool: TOOL,
    backend: target.name,
    ...spec,
    workspace,
    input,
    inputDigest: await digest(input),
  };
  const entry = await audit.begin(begin);
  const recorder = undoLog!.record({
    callId,
    sessionId,
    tool: TOOL,
    target: target.name,
    ...spec,
    machine: backend.machine,
    workspace,
    undoes,
  });
  const except = protectedPaths?.machine === backend.machine ? protectedPaths.paths : [];
  const grant = grantFor(callId, claims, { except: [...except] });
  const late = new AbortController();
  const stopTimer = clock.timer(UNDO_TIMEOUT_MS, () => late.abort());
  const call = boundCall(callId, sessionId, { signal: late.signal, deadline: clock.now() + UNDO_TIMEOUT_MS });
  const { fs } = backend.bind(grant, call);
  const recording = {
    recorder,
    maxFileBytes: undoLog!.maxFileBytes,
    root: backend.root.fs,
    grant,
    call,
    digest,
    lost() {},
  };
  const end = (status: "ok" | "failed", note?: string) =>
    audit.end(entry, {
      status,
      effect: "allow",
      rule: TOOL,
      approver: by,
      claims,
      tookMs: Math.max(0, clock.now() - startedMs),
      ...(note === undefined ? {} : { note }),
    });
  try {
    await applyUndo(steps, new RecordedFs(fs, recording));
  } catch (thrown) {
    await end("failed", messageOf(thrown));
    const { code = "FS_IO" } = HaftError.is(thrown) ? thrown : {};
    const message = `Undoing stopped halfway: ${messageOf(thrown)} Undo "${recorder.id}" to take back what it had done.`;
    throw new HaftError(code, message, { cause: thrown, details: { id: recorder.id } });
  } finally {
    stopTimer();
  }
  await end("ok");
  return recorder.id;
}

/** How undoing appears in the audit log and among the changed calls. */
const TOOL = "undo";

/** Exactly what the steps touch. */
function claimsOf(step: UndoStep): readonly Claim[] {
  const { path } = step;
  const file = { kind: "file", scope: "self" } as const;
  if (step.kind === "write") return [{ ...file, path, access: ["write", "create"] }];
  if (step.kind === "mkdir") return [{ ...file, path, access: ["create"] }];
  if (step.kind !== "rename") return [{ ...file, path, access: ["delete"] }];
  const scope = step.isDirectory ? "tree" : "self";
  return [
    { kind: "file", path: step.from, access: ["delete"], scope },
    { kind: "file", path, access: ["write", "create"], scope },
  ];
}

const REFUSED: Decision = {
  effect: "deny",
  rule: TOOL,
  risk: "low",
  reason: "A symlink was put into the path since.",
};

function boundCall(id: string, sessionId: string, until: Pick<BoundCall, "signal" | "deadline">): BoundCall {
  const refuse = async () => REFUSED;
  return { id, sessionId, ...until, authorizeRealPath: refuse, authorizeDirectory: refuse };
}

async function filesOf(
  plans: readonly UndoPlan[],
  isDiffed: boolean,
  redactor: HostServices["redactor"],
): Promise<UndoReport["files"]> {
  const moves = plans.flatMap(({ steps }) =>
    steps.flatMap((step) =>
      step.kind === "rename" ? [{ path: step.path, did: "moved", from: step.from } as const] : [],
    ),
  );
  const shown = async (file: UndoneFile) => {
    const { path, did } = file;
    return { path, did, ...(isDiffed ? { diff: await undoDiff(file, redactor) } : {}) };
  };
  return [...moves, ...(await Promise.all(plans.flatMap(({ files }) => files.map(shown))))];
}

async function shownConflict(
  { path, why, file }: UndoProblem,
  redactor: HostServices["redactor"],
): Promise<UndoReport["conflicts"][number]> {
  // Without a diff where the old bytes cannot be read: the conflict matters more.
  const diff = file && (await undoDiff(file, redactor).catch(() => undefined));
  return { path, why, ...(diff === undefined || diff === "" ? {} : { diff }) };
}
