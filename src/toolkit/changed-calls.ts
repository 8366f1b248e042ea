/** The calls that changed files, and which of them are undone. */
import { type CallRecord, HaftError, type HostServices, type Target } from "../kernel/index.js";

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
  readonly workspace: string;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly files: readonly ChangedFile[];
  readonly isUndone: boolean;
  /** Ids of the records that it undid, for an undo. */
  readonly undoes?: readonly string[];
}

/** Calls that changed files, oldest first. */
export async function changedCalls({ undoLog }: Pick<HostServices, "undoLog">): Promise<readonly ChangedCall[]> {
  const records = (await undoLog?.list()) ?? [];
  const undone = undoneIds(records);
  return records.map((record) => summaryOf(record, undone));
}

/** An undo that was undone itself has no effect. */
export function undoneIds(records: readonly CallRecord[]): ReadonlySet<string> {
  const undone = new Set<string>();
  for (const { id, undoes = [] } of [...records].reverse())
    if (!undone.has(id)) for (const one of undoes) undone.add(one);
  return undone;
}

/** The newest first. */
export function chooseCalls(
  records: readonly CallRecord[],
  undone: ReadonlySet<string>,
  {
    call,
    session,
    targets,
  }: { readonly call: string | undefined; readonly session: string | undefined; readonly targets: readonly Target[] },
): readonly CallRecord[] {
  const newest = [...records].reverse();
  const isHere = (record: CallRecord) =>
    targets.some((target) => isTargetOf(record, target) && (target.workspace ?? record.workspace) === record.workspace);
  if (call !== undefined) {
    const byId = newest.filter(({ id }) => id === call);
    const named = byId.length > 0 ? byId : newest.filter((one) => one.callId === call && isHere(one));
    if (named.length > 1)
      throw notUndone(
        `the call "${call}"`,
        `${named.length} calls have this id. Give one of ${named.map(({ id }) => id).join(", ")}`,
      );
    const [found] = named;
    if (found === undefined)
      throw notUndone(
        `the call "${call}"`,
        "no change of a file is stored for it. It changed none, or it was dropped: calls are stored for 7 days, at most 1,000 and 256 MiB",
      );
    const by = newest.find((one) => one.undoes?.includes(found.id) && !undone.has(one.id));
    if (by !== undefined) throw notUndone(`the call "${call}"`, `it is undone already. Undo "${by.id}" to redo it`);
    return [found];
  }
  const open = newest.filter(({ id, undoes }) => undoes === undefined && !undone.has(id));
  if (session !== undefined) {
    const own = open.filter(({ sessionId }) => sessionId === session);
    if (own.length === 0)
      throw notUndone(`the session "${session}"`, "no change of a file is stored for it that is not undone");
    return own;
  }
  const last = open.find(isHere);
  if (last === undefined)
    throw notUndone("the last call", "no change of a file in this workspace is stored that is not undone");
  return [last];
}

export function notUndone(what: string, why: string): HaftError {
  return new HaftError("CALL_INVALID", `Did not undo ${what}: ${why}.`, { details: { problem: why } });
}

export function isTargetOf({ target, spec = target }: CallRecord, { name, spec: own = name }: Target): boolean {
  return name === target && own === spec;
}

export function summaryOf(record: CallRecord, undone: ReadonlySet<string>): ChangedCall {
  const { id, callId, sessionId, tool, target, spec, workspace, atMs, undoes, changes } = record;
  return {
    id,
    callId,
    session: sessionId,
    tool,
    target,
    ...(spec === undefined ? {} : { spec }),
    workspace,
    atMs,
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
