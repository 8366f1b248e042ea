/** Maps errors of the remote side to Haft's error codes. */
import {
  type Errno,
  type FsOperation,
  HaftError,
  notAFile,
  operationFault,
  type SpecialFileKind,
  staleFile,
} from "../../../kernel/index.js";

/** The remote side's words for errors of the system. */
const REFUSED: Readonly<Record<string, Errno>> = {
  absent: "ENOENT",
  notdir: "ENOTDIR",
  denied: "EACCES",
  loop: "ELOOP",
  toolong: "ENAMETOOLONG",
  exists: "EEXIST",
  notempty: "ENOTEMPTY",
  nospace: "ENOSPC",
  readonly: "EROFS",
  crossdev: "EXDEV",
};

/** The kinds that the remote side reports for special files. */
const KINDS: readonly string[] = ["directory", "fifo", "socket", "device", "link"] satisfies SpecialFileKind[];

/** The error for the remote side's word `code`. `note` holds details: a kind, a hash, or the stderr of a tool. */
export function remoteFsFault(code: string, note: string, operation: FsOperation, path: string): HaftError {
  const [did] = operation;
  if (Object.hasOwn(REFUSED, code)) return operationFault(REFUSED[code]!, operation, path);
  if (code === "nofile")
    return notAFile(did, path, note as SpecialFileKind, KINDS.includes(note) ? undefined : "no file");
  const fault = Object.hasOwn(OWN_FAULTS, code) ? OWN_FAULTS[code]! : unknown;
  return fault(note, operation, path);
}

/** The text that the system would print, for `details.system`. */
const stderrText = (text: string, [, call]: FsOperation, path: string): string => `${text}, ${call} '${path}'`;

type Fault = (note: string, operation: FsOperation, path: string) => HaftError;

/** Errors that only a remote machine reports. */
const OWN_FAULTS: Readonly<Record<string, Fault>> = {
  unclaimed: (_, [did], path) =>
    new HaftError(
      "CALL_UNCLAIMED",
      `Did not ${did} "${path}": the call did not claim all of it. Claim it in the tool's \`claims\`, or name the parts.`,
      { details: { path } },
    ),
  changed: (_, operation, path) =>
    new HaftError("FS_STALE", `Did not ${operation[0]} "${path}": it was replaced while it was opened. Try again.`, {
      details: { path, system: stderrText("ESTALE: stale file", operation, path) },
    }),
  torn: incompleteWrite,
  unkept: backupFailed,
};

/** `note`: the reason, the path of the new bytes and that of the old ones. All of it is in `system` too, because some callers show only that. */
function incompleteWrite(note: string, [did]: FsOperation, path: string): HaftError {
  const [why, fresh, old] = note.split("\n");
  const state = `it contains neither the complete old bytes nor the complete new ones: ${why}`;
  const next = `The new bytes are stored in "${fresh}" and the old ones in "${old}". Free some space, then copy one of them over the file`;
  return new HaftError("FS_IO", `Did not ${did} all of "${path}": ${state}. ${next}.`, {
    details: { path, system: `${state}. ${next}` },
  });
}

/** `note`: the size of the file, and why it could not be copied. */
function backupFailed(note: string, [did]: FsOperation, path: string): HaftError {
  const [sizeBytes = "", reason = ""] = note.split("\n");
  const why = `it can only be overwritten in place, and its ${sizeBytes} bytes could not be backed up to a file beside it first (${reason}). Nothing was changed. Free some space there`;
  return new HaftError("STORE_UNWRITABLE", `Did not ${did} "${path}": ${why}.`, {
    details: { path, sizeBytes: Number(sizeBytes), reason, why },
  });
}

function unknown(note: string, [did]: FsOperation, path: string): HaftError {
  const words = note.replace(/\s+/g, " ").trim() || "the remote side reported no reason";
  return new HaftError("FS_IO", `Did not ${did} "${path}": ${words}. Try again, or use another path.`, {
    details: { path, system: words },
  });
}

const STALE = { absent: "gone", present: "present", version: "changed", changed: "changed" } as const;

/** `note` is one of the words above, or the hash of the file. */
export function staleFault(note: string, path: string, details: Readonly<Record<string, unknown>>): HaftError {
  const isWord = (word: string): word is keyof typeof STALE => Object.hasOwn(STALE, word);
  return isWord(note) ? staleFile(path, STALE[note], details) : staleFile(path, "changed", { ...details, found: note });
}

/** Rethrows what does not concern one path. */
export function requireOfPath(thrown: unknown): void {
  const isOfPath = HaftError.is(thrown) && (/^(FS|POLICY)_/.test(thrown.code) || thrown.code === "CALL_UNCLAIMED");
  if (!isOfPath) throw thrown;
}
