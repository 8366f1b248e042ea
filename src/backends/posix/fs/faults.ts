/** What the far side refuses, in Haft's codes. */
import {
  type Errno,
  type FsOperation,
  HaftError,
  notAFile,
  operationFault,
  type SpecialFileKind,
  staleFile,
} from "../../../kernel/index.js";

/** The far side's word for what a system refuses. */
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

/** The kinds that the far side tells of what is no file. */
const KINDS: readonly string[] = ["directory", "fifo", "socket", "device", "link"] satisfies SpecialFileKind[];

/** The error for the far side's word `code`; `note` is what it adds: a kind, a hash, or a tool's own words. */
export function remoteFsFault(code: string, note: string, operation: FsOperation, path: string): HaftError {
  const [did] = operation;
  if (Object.hasOwn(REFUSED, code)) return operationFault(REFUSED[code]!, operation, path);
  if (code === "nofile")
    return notAFile(did, path, note as SpecialFileKind, KINDS.includes(note) ? undefined : "no file");
  const fault = Object.hasOwn(OWN_FAULTS, code) ? OWN_FAULTS[code]! : unknown;
  return fault(note, operation, path);
}

/** What a system would have said, for `details.system`. */
const stderrText = (text: string, [, call]: FsOperation, path: string): string => `${text}, ${call} '${path}'`;

type Fault = (note: string, operation: FsOperation, path: string) => HaftError;

/** What only a far side refuses, or refuses in words of its own. */
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

/** `note`: why, where the new bytes are, where the old ones are. All of it is in `system` too: what shows a fault may show only that. */
function incompleteWrite(note: string, [did]: FsOperation, path: string): HaftError {
  const [why, fresh, old] = note.split("\n");
  const state = `it holds neither its old bytes nor the new ones whole, because of: ${why}`;
  const next = `The new bytes are kept in "${fresh}" and the old ones in "${old}". Free some space, then copy one of them over it`;
  return new HaftError("FS_IO", `Did not ${did} all of "${path}": ${state}. ${next}.`, {
    details: { path, system: `${state}. ${next}` },
  });
}

/** `note`: how many bytes the file has, and why no copy of them could be made. */
function backupFailed(note: string, [did]: FsOperation, path: string): HaftError {
  const [sizeBytes = "", reason = ""] = note.split("\n");
  const why = `it can only be overwritten in place, and its ${sizeBytes} bytes could not be copied first to a file beside it (${reason}). Nothing was changed. Free some space there`;
  return new HaftError("STORE_UNWRITABLE", `Did not ${did} "${path}": ${why}.`, {
    details: { path, sizeBytes: Number(sizeBytes), reason, why },
  });
}

function unknown(note: string, [did]: FsOperation, path: string): HaftError {
  const words = note.replace(/\s+/g, " ").trim() || "the far side could not do it";
  return new HaftError("FS_IO", `Did not ${did} "${path}": ${words}. Try again, or use another path.`, {
    details: { path, system: words },
  });
}

const STALE = { absent: "gone", present: "present", version: "changed", changed: "changed" } as const;

/** `note` is one of the words above, or the hash that the file has. */
export function staleFault(note: string, path: string, details: Readonly<Record<string, unknown>>): HaftError {
  const isWord = (word: string): word is keyof typeof STALE => Object.hasOwn(STALE, word);
  return isWord(note) ? staleFile(path, STALE[note], details) : staleFile(path, "changed", { ...details, found: note });
}
