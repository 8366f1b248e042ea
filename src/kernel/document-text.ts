/** Keys and values of documents, checked alike by every store. */
import { hasLoneSurrogate, utf8Length } from "../text/index.js";
import { HaftError } from "./errors.js";
import type { Json } from "./result.js";

/** Bytes of a document's key in UTF-8. */
export const MAX_DOCUMENT_KEY_BYTES = 1_024;
/** Bytes of a document's value as JSON text. */
export const MAX_DOCUMENT_BYTES = 1 << 20;
/** Levels of lists and objects in a document's value. */
export const MAX_DOCUMENT_DEPTH = 128;

/** @throws `STORE_INVALID` for a key that some store could not keep apart from others. */
export function requireDocumentKey(key: string): void {
  const why = keyProblem(key);
  if (why === undefined) return;
  const shown = typeof key === "string" ? JSON.stringify(key.slice(0, 100)) : String(key);
  throw new HaftError("STORE_INVALID", `Did not use the document key ${shown}: ${why}. Use another key.`, {
    details: { key: shown, why },
  });
}

/** Whether a document can have this key. */
export function isDocumentKey(key: string): boolean {
  return keyProblem(key) === undefined;
}

function keyProblem(key: unknown): string | undefined {
  if (typeof key !== "string") return "it is not a string";
  if (key === "") return "it is empty";
  if (key.includes("\0")) return "it has a NUL character";
  if (hasLoneSurrogate(key)) return "it has a lone surrogate";
  const bytes = utf8Length(key);
  return bytes > MAX_DOCUMENT_KEY_BYTES ? `it has ${bytes} bytes, at most ${MAX_DOCUMENT_KEY_BYTES} fit` : undefined;
}

/** The JSON text of a value, from which `JSON.parse` makes the same value. @throws `STORE_INVALID` for what JSON cannot hold. */
export function documentText(key: string, value: Json): string {
  const why = valueProblem(value, "value", 0);
  const text = why === undefined ? JSON.stringify(value) : "";
  const bytes = utf8Length(text);
  const tooLong =
    bytes > MAX_DOCUMENT_BYTES ? `it has ${bytes} bytes of JSON, at most ${MAX_DOCUMENT_BYTES} fit` : undefined;
  const problem = why ?? tooLong;
  if (problem === undefined) return text;
  throw new HaftError("STORE_INVALID", `Did not store the document ${JSON.stringify(key)}: ${problem}.`, {
    details: { key, why: problem },
  });
}

function valueProblem(value: unknown, at: string, depth: number): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `\`${at}\` is ${value}`;
  if (typeof value !== "object") return `\`${at}\` is of type ${typeof value}`;
  if (depth === MAX_DOCUMENT_DEPTH) return `it is nested more than ${MAX_DOCUMENT_DEPTH} levels deep`;
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) return `\`${at}\` is neither a list nor a plain object`;
  for (const [member, inner] of isList ? value.entries() : Object.entries(value)) {
    if (inner === undefined && !isList) continue;
    const why = valueProblem(inner, isList ? `${at}[${member}]` : `${at}.${member}`, depth + 1);
    if (why !== undefined) return why;
  }
  return undefined;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if ("toJSON" in value && typeof value.toJSON === "function") return false;
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The error for what cannot be stored because the session has ended, in the words of every store. */
export function endedSession(what: string): HaftError {
  return new HaftError("STORE_CLOSED", `Did not store ${what}: the session was ended. Open another session.`);
}

/** The error for the use of state after its end, in the words of every store. */
export function closedState(): HaftError {
  return new HaftError("STORE_CLOSED", "Did not use the state: it was closed. Open another toolkit.");
}

/** How much of the name of a session is shown. */
const SHOWN_NAME = 100;

/** The error for a session that cannot be opened under its name. */
export function unopenedSession(
  code: "POLICY_DENIED" | "STORE_INVALID",
  id: string,
  why: string,
  details: Readonly<Record<string, unknown>>,
): HaftError {
  const name = JSON.stringify(id.length > SHOWN_NAME ? `${id.slice(0, SHOWN_NAME)}…` : id);
  return new HaftError(code, `Did not open the session ${name}: ${why}. Use another session name.`, { details });
}

/** The error for a session that belongs to another owner than the one who asks for it. */
export function otherOwner(id: string): HaftError {
  return unopenedSession("POLICY_DENIED", id, "it belongs to another owner", { rule: "session-owner" });
}
