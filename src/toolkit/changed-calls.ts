/** The calls that changed files, and which of them are undone. */
import {
  type CallRecord,
  HaftError,
  type HostServices,
  type SourceTarget,
  type Target,
  type UndoRecords,
} from "../kernel/index.js";

/** A file that a call changed. */
export interface ChangedFile {
  readonly path: string;
  readonly change: "created" | "changed" | "deleted" | "moved" | "replaced";
  /** Where a moved file was. */
  readonly from?: string;
  /** Lines, where they were counted. */
  readonly added?: number;
  readonly removed?: number;
}

/** A call that changed files. */
export interface ChangedCall {
  /** Of the record. */
  readonly id: string;
  readonly callId: string;
  readonly session: string;
  readonly tool: string;
  readonly target: string;
  readonly spec?: string;
  /** The other target, which it read from. */
  readonly source?: SourceTarget;
  readonly workspace: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** The working directory of the process that made the call, where it is known. */
  readonly startedIn?: string;
  readonly files: readonly ChangedFile[];
  readonly isUndone: boolean;
  /** Ids of the records that it undid, for an undo. */
  readonly undoes?: readonly string[];
}

/** The calls that changed files. */
export interface ChangedCalls {
  /** Oldest first. */
  readonly calls: readonly ChangedCall[];
  /** Ids of records that cannot be read. What their calls changed cannot be undone. */
  readonly damaged: readonly string[];
}

export async function changedCalls({ undoLog }: Pick<HostServices, "undoLog">): Promise<ChangedCalls> {
  return summariesOf((await undoLog?.list()) ?? { calls: [], damaged: [] });
}

export function summariesOf({ calls, damaged }: UndoRecords): ChangedCalls {
  const undone = undoneIds(calls);
  return { calls: calls.map((record) => summaryOf(record, undone)), damaged };
}

/** An undo that was undone itself has no effect. */
function undoneIds(records: readonly CallRecord[]): ReadonlySet<string> {
  const undone = new Set<string>();
  for (const { id, undoes = [] } of [...records].reverse())
    if (!undone.has(id)) for (const one of undoes) undone.add(one);
  return undone;
}

/** Which calls to undo; the last one without `call` and `session`. */
export interface UndoChoice {
  readonly call?: string;
  readonly session?: string;
  /** Whether it ran where ids of calls and the last call are looked for. */
  isHere(call: ChangedCall): boolean;
  /** Whether it was made from here, wherever it ran: a later one of these is the last call too. Default: none. */
  isFromHere?(call: ChangedCall): boolean;
}

/** @returns The newest first; `earlier`: the one that would be the last without the last. @throws `CALL_INVALID` */
export function chooseCalls(
  { calls, damaged }: ChangedCalls,
  { call, session, isHere, isFromHere = () => false }: UndoChoice,
): { readonly chosen: readonly ChangedCall[]; readonly earlier?: ChangedCall } {
  const newest = [...calls].reverse();
  if (call !== undefined) return { chosen: [callNamed(call, newest, damaged, isHere)] };
  const open = newest.filter(({ undoes, isUndone }) => undoes === undefined && !isUndone);
  if (session !== undefined) {
    const chosen = open.filter((one) => one.session === session);
    if (chosen.length > 0) return { chosen };
    throw notUndone(`the session "${session}"`, "no change of a file is stored for it that is not undone");
  }
  const [last, earlier] = open.filter(isHere);
  const elsewhere = open.find(
    (one) => !isHere(one) && one.id > (last?.id ?? "") && (one.session === last?.session || isFromHere(one)),
  );
  if (elsewhere !== undefined) {
    const { id, tool, target, workspace } = elsewhere;
    const next =
      last === undefined
        ? "Undo it by its id"
        : `The last one in this workspace is "${last.id}". Undo one of them by its id`;
    throw notUndone("the last call", `it is "${id}" (${tool}), on "${target}" in ${workspace}. ${next}`);
  }
  if (last === undefined)
    throw notUndone("the last call", "no change of a file in this workspace is stored that is not undone");
  // Ids sort by their time. Whose call it was is not known.
  const newer = damaged.find((id) => id > last.id);
  if (newer !== undefined)
    throw notUndone(
      "the last call",
      `its record may be "${newer}", which cannot be read. The one before is "${last.id}"`,
    );
  return { chosen: [last], ...(earlier === undefined ? {} : { earlier }) };
}

function callNamed(
  call: string,
  newest: readonly ChangedCall[],
  damaged: readonly string[],
  isHere: UndoChoice["isHere"],
): ChangedCall {
  if (damaged.includes(call)) throw notUndone(`the call "${call}"`, "its record cannot be read");
  const byId = newest.filter(({ id }) => id === call);
  const named = byId.length > 0 ? byId : newest.filter((one) => one.callId === call && isHere(one));
  const [found] = named;
  if (found === undefined)
    throw notUndone(
      `the call "${call}"`,
      "no change of a file is stored for it in this workspace. It changed none, or it was dropped: calls are stored for 7 days, at most 1,000 and 256 MiB",
    );
  if (named.length > 1)
    throw notUndone(
      `the call "${call}"`,
      `${named.length} calls in this workspace have this id. Give one of ${named.map(({ id }) => id).join(", ")}`,
    );
  const by = found.isUndone && newest.find((one) => one.undoes?.includes(found.id) && !one.isUndone);
  if (by) throw notUndone(`the call "${call}"`, `it is undone already. Undo "${by.id}" to redo it`);
  return found;
}

export function notUndone(what: string, why: string): HaftError {
  return new HaftError("CALL_INVALID", `Did not undo ${what}: ${why}.`, { details: { problem: why } });
}

export function isTargetOf(
  { target, spec = target }: Pick<CallRecord, "target" | "spec">,
  { name, spec: own = name }: Target,
): boolean {
  return name === target && own === spec;
}

function summaryOf(record: CallRecord, undone: ReadonlySet<string>): ChangedCall {
  const { id, callId, sessionId, tool, target, spec, source, workspace, atMs, startedIn, undoes, changes } = record;
  return {
    id,
    callId,
    session: sessionId,
    tool,
    target,
    ...(spec === undefined ? {} : { spec }),
    ...(source === undefined ? {} : { source }),
    workspace,
    atMs,
    ...(startedIn === undefined ? {} : { startedIn }),
    files: changes.flatMap(changedFiles),
    isUndone: undone.has(id),
    ...(undoes === undefined ? {} : { undoes }),
  };
}

function changedFiles(change: CallRecord["changes"][number]): readonly ChangedFile[] {
  const { added, removed } = change;
  const lines = { ...(added === undefined ? {} : { added }), ...(removed === undefined ? {} : { removed }) };
  if (change.kind === "mkdir") return [];
  if (change.kind === "remove") return [{ path: change.path, change: "deleted", ...lines }];
  if (change.kind === "write")
    return [{ path: change.path, change: change.before === undefined ? "created" : "changed", ...lines }];
  return [{ path: change.to, from: change.from, change: change.replaced === undefined ? "moved" : "replaced" }];
}
