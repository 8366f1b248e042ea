import { type ErrorCode, fail, HaftError, shortageOf, type ToolResult } from "../../kernel/index.js";
import { quoted } from "./path-input.js";
import { unexpandedIn } from "./unexpanded-path.js";

/** A request about one file, for the messages of its refusal. */
export interface FileRequest {
  /** The verb after "Did not". */
  readonly verb: string;
  /** The path as the model spelled it, and made absolute. */
  readonly givenPath: string;
  readonly absolute: string;
  /** The source target, where the path is on it. */
  readonly target?: string;
  /** What was expected there. Default "file". */
  readonly noun?: string;
}

type Details = Readonly<Record<string, unknown>>;
type Reason = (details: Details, asked: FileRequest) => string;

const KINDS: Readonly<Record<string, string>> = {
  directory: "it is a directory",
  fifo: "it is a FIFO, and reading it could block forever",
  socket: "it is a socket",
  device: "it is a device",
  link: "it is a dangling symlink",
  other: "it is a FIFO, a socket or a device",
};

/** Reason and next step by error code. Other codes keep the message of the port. */
const REASONS: Partial<Readonly<Record<ErrorCode, Reason>>> = {
  FS_NOT_FOUND: (_, asked) => `no such ${asked.noun ?? "file"}${homeOf(asked)}${unexpandedClause(asked)}.`,
  FS_NOT_A_FILE: ({ kind }) => `${KINDS[String(kind)] ?? "it is not a regular file"}.`,
  FS_NOT_A_DIRECTORY: () => "part of the path is a file, not a directory. Check the spelling.",
  FS_PERMISSION: ({ why }) =>
    why === undefined ? "permission denied. Use another path; only the user can change permissions." : String(why),
  FS_LINK_LOOP: () => "its symlinks form a loop. Send the path of the file itself.",
  FS_TOO_LARGE: ({ sizeBytes, maxBytes, why }) =>
    why !== undefined
      ? `${why}.`
      : sizeBytes === undefined
        ? "the file system does not allow a file of that size. Nothing was changed; write less."
        : `it has ${sizeBytes} bytes, over the limit of ${maxBytes}.`,
  FS_STALE: ({ why }) =>
    why !== undefined
      ? `${why}.`
      : "it changed during this call and was not overwritten. Read it again, then repeat the call.",
  FS_NO_SPACE: ({ why }) =>
    why === undefined ? "the disk is full. Nothing was changed; free some space first." : `${why}.`,
  STORE_UNWRITABLE: ({ reason, why }) =>
    why !== undefined
      ? `${why}.`
      : `the state directory is not writable${reason === undefined ? "" : ` (${reason})`}, so the old content cannot be backed up. Nothing was changed; free some space there first.`,
  FS_CROSS_DEVICE: () =>
    "the destination is on another file system, and a move must be atomic. Copy it with a command, then delete it.",
  FS_READ_ONLY: () => "the file system is read-only. Choose another path.",
  FS_BAD_PATH: ({ why }) => `the path cannot be used${why === undefined ? "" : ` (${why})`}. Send another one.`,
  FS_IO: ({ system }) => {
    const shortage = shortageOf({ code: /^E[A-Z]+/.exec(String(system))?.[0] });
    if (shortage !== undefined) return `${shortage.why} (${system}). ${shortage.next}.`;
    return `the system reported an error${system === undefined ? "" : ` (${system})`}.`;
  },
};

/** What `~` expanded to, where the path begins with it: often not the directory that was meant. */
function homeOf({ givenPath, absolute }: FileRequest): string {
  const below = givenPath.slice(1);
  if (!/^~(\/|$)/.test(givenPath) || !absolute.endsWith(below)) return "";
  return `; \`~\` is ${quoted(absolute.slice(0, absolute.length - below.length) || "/")}`;
}

function unexpandedClause({ givenPath }: FileRequest): string {
  const why = unexpandedIn(givenPath);
  return why === undefined ? "" : `, and ${why}. Send the path itself`;
}

/**
 * A port's error as the tool's failure, with the path as the model spelled it. An error that is not about a file, such as a denial,
 * keeps its code and message except for the path. Anything else is rethrown.
 */
export function fileFailure(thrown: unknown, asked: FileRequest): ToolResult<never> {
  if (!HaftError.is(thrown)) throw thrown;
  const details = { ...thrown.details, path: asked.givenPath };
  const reason = REASONS[thrown.code];
  if (reason !== undefined) {
    const on = asked.target === undefined ? "" : ` on "${asked.target}"`;
    const sentence = `Did not ${asked.verb} ${quoted(asked.givenPath)}${on}: ${reason(thrown.details, asked)}`;
    return fail(thrown.code, sentence, { details });
  }
  const hint = thrown.hint === undefined ? "" : ` ${thrown.hint}`;
  const message = thrown.message.replaceAll(`"${asked.absolute}"`, quoted(asked.givenPath)) + hint;
  return fail(thrown.code, message, { details });
}

/** For `catch`: undefined for a missing file; any other error is rethrown. */
export function undefinedIfMissing(thrown: unknown): undefined {
  if (HaftError.is(thrown, "FS_NOT_FOUND")) return undefined;
  throw thrown;
}

/** Refuses anything but a regular file; undefined for a file, and for a symlink, whose target decides. */
export function refuseKind(kind: string, asked: FileRequest): ToolResult<never> | undefined {
  if (kind === "file" || kind === "link") return undefined;
  return fileFailure(new HaftError("FS_NOT_A_FILE", "", { details: { kind } }), asked);
}
