/** What a failure of PostgreSQL, or of the way to it, means for whoever has to act on it. */
import { HaftError, messageOf } from "../../kernel/index.js";

/** Codes of Node.js for a server that cannot be reached, as clauses. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at its address",
  ENOTFOUND: "its name has no address",
  EAI_AGAIN: "its name could not be looked up",
  ETIMEDOUT: "it did not answer in time",
  EHOSTUNREACH: "there is no way to its address",
  ENETUNREACH: "there is no way to its network",
  ECONNRESET: "it broke off the connection",
  EPIPE: "it broke off the connection",
  ENOENT: "its socket, or a file that the URL names, does not exist",
  EACCES: "its socket, or a file that the URL names, is closed to this user",
};

const RETRY = "Calls that need no state still run. Start it, or correct the URL; the next call tries again.";

/** What `pg` has no codes for. */
const IN_USE = /^timeout exceeded when trying to connect/;
const NO_ANSWER = /due to connection timeout$|^Query read timeout$/;

interface Meaning {
  readonly code: "STORE_UNWRITABLE" | "STORE_CONFLICT";
  /** A clause. */
  readonly reason: string;
  readonly next: string;
}

const unwritable = (reason: string, next: string): Meaning => ({ code: "STORE_UNWRITABLE", reason, next });
const conflict = (reason: string, next: string): Meaning => ({ code: "STORE_CONFLICT", reason, next });

/** By the SQLSTATE that the server sends; `text` is what it says. */
function meaningOfState(state: string, text: string): Meaning {
  switch (state) {
    case "28P01":
    case "28000":
      return unwritable(`the server refuses the user (${text})`, "Correct the user name or the password.");
    case "3D000":
      return unwritable(`the server has no such database (${text})`, "Create it, or correct the URL.");
    case "3F000":
      return unwritable("the search path of the connection names no schema that exists", "Create the schema.");
    case "42501":
      return unwritable(`the user may not do this (${text})`, "Grant it the right to create and use tables there.");
    case "25006":
      return unwritable("the database is read-only", "Use a server that can be written.");
    case "53100":
      return unwritable("the disk of the server is full", "Free space; nothing was lost.");
    case "53300":
      return unwritable(`the server takes no more connections (${text})`, "Raise its limit, or use fewer hosts.");
    case "57P03":
      return unwritable(`the server cannot be used at present (${text})`, "Try again later.");
    case "57P01":
    case "57P02":
    case "57P05":
      return unwritable("the server ended the connection", "The next call connects again.");
    case "57014":
      return conflict("a statement was ended that took longer than it may", "Try again later.");
    case "55P03":
      return conflict("another host has it locked", "Try again later.");
    case "25P03":
      return conflict("this process stopped in the middle of a change, which was undone", "Try again.");
    case "40001":
    case "40P01":
      return conflict("other hosts changed the same again and again", "Try again later.");
    case "XX001":
    case "XX002":
      return conflict(`it is damaged (${text})`, "Restore it from a backup.");
    default:
      if (state.startsWith("08")) return unwritable(`the connection broke (${text})`, RETRY);
      if (state.startsWith("53")) return unwritable(`the server lacks resources (${text})`, "Try again later.");
      if (state.startsWith("58")) return unwritable(`the server has a fault (${text})`, "Look at its log.");
      return conflict(`the server refused a statement (${text})`, "Check that the schema is one of Haft's own.");
  }
}

function meaningOf(error: unknown, waitMs: number): Meaning {
  const text = messageOf(error);
  const state = sqlState(error);
  if (state !== undefined) return meaningOfState(state, text);
  // An address with several answers, such as localhost, fails with one error that holds the others.
  const code = codeOf(error) ?? codeOf((error as { readonly errors?: readonly unknown[] }).errors?.[0]);
  const away = code === undefined ? undefined : UNREACHABLE[code];
  if (away !== undefined) return unwritable(`the server is away: ${away}`, RETRY);
  if (IN_USE.test(text))
    return conflict(`all connections of this process were in use for ${waitMs} ms`, "Try again later.");
  if (NO_ANSWER.test(text)) return unwritable(`the server is away: it did not answer in ${waitMs} ms`, RETRY);
  if (/^SASL/.test(text))
    return unwritable(`the server asks for a password that it did not get (${text})`, "Set the password.");
  return unwritable(`the server is away: ${text}`, RETRY);
}

/** The error for a failure of `pg`. `shown` names the database, without a password; `waitMs` is how long a call waits. */
export function postgresError(
  { shown, waitMs }: { readonly shown: string; readonly waitMs: number },
  error: unknown,
): HaftError {
  const { code, reason, next } = meaningOf(error, waitMs);
  return new HaftError(code, `Did not use the state in "${shown}": ${reason}. ${next}`, {
    details: code === "STORE_UNWRITABLE" ? { path: shown, reason } : {},
    cause: error,
  });
}

/** Whether the server has undone a statement or transaction so that it can be tried again as it is. */
export function isUndone(error: unknown): boolean {
  return ["40001", "40P01"].includes(sqlState(error) ?? "");
}

/** Whether the connection is of no use after this: any failure but one that the server has answered within its session. */
export function hasBrokenConnection(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || /^(08|57P)/.test(state) || state === "25P03";
}

/** The five characters by which a server names a failure. */
function sqlState(error: unknown): string | undefined {
  const code = codeOf(error);
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && "severity" in (error as object) ? code : undefined;
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
