/** Documents with versions, one file each: what `State.documents` means on disk. */

import { lstatSync, readdirSync, renameSync, rmSync, type Stats } from "node:fs";
import { join } from "node:path";
import { newNonce } from "../../host/index.js";
import {
  documentText,
  endedSession,
  HaftError,
  isRecord,
  type Json,
  type Locks,
  messageOf,
  requireDocumentKey,
  type StoredDocument,
  systemCode,
} from "../../kernel/index.js";
import type { CountedDocuments } from "../document-approvals.js";
import { listDocuments } from "../list-documents.js";
import { fileName, LOCK_WAIT_MS } from "./file-store.js";
import { readAsync, readIfThere, replaceStateFile } from "./replace-state-file.js";
import { type StateDirectory, unwritable } from "./state-directory.js";

const SUFFIX = ".json";
/** What a name begins with whose key is only in the file. */
const HASHED = "%h";

export interface FileDocumentsOptions {
  readonly state: StateDirectory;
  /** Names of directories below the state directory. */
  readonly place: readonly string[];
  readonly locks: Locks;
  /** @throws `STORE_CLOSED` after the end of the state. */
  requireOpen(): void;
  /**
   * What becomes of a file that is not a document. "skip": `list` omits it. "set-aside": `update` renames it to `NAME.json.damaged`
   * and starts anew. Default "refuse": both reject, as `get` always does.
   */
  readonly damaged?: "refuse" | "skip" | "set-aside";
  /** Whether the session of the documents has not ended. Default: they belong to no session. */
  isLive?(): boolean;
}

/**
 * The documents in a directory of the state directory. A crash at any moment leaves the old or the new document. Reading creates
 * nothing. Files of other programs are not taken for documents, and a symlink in the place of one, or of a directory above it, is
 * refused.
 */
export function fileDocuments(options: FileDocumentsOptions): CountedDocuments {
  const { state, place, locks, requireOpen, isLive = () => true, damaged: onDamaged = "refuse" } = options;
  const directory = join(state.path, ...place);
  const pathOf = (key: string) => join(directory, `${fileName(key)}${SUFFIX}`);

  const readFile = documentReader(onDamaged);

  const read = (key: string): StoredDocument | undefined => {
    if (!isLive()) return undefined;
    requireNoSymlink(options);
    return readFile(key, pathOf(key));
  };

  /** Undefined for what is gone. */
  const readListed = async (path: string, key?: string): Promise<StoredDocument | undefined> => {
    if (!isLive()) return undefined;
    requireNoSymlink(options);
    try {
      const found = await readDocumentAsync(path);
      return key === undefined ? found : ofKey(key, found, path);
    } catch (error) {
      if (onDamaged === "skip" && HaftError.is(error, "STORE_CONFLICT")) return undefined;
      throw error;
    }
  };

  const write = (key: string, text: string): StoredDocument => {
    const version = newNonce();
    const path = pathOf(key);
    // A session that ends and begins again moves its directory away, so the rename fails; before that, the check does.
    const beforeRename = () => {
      if (!isLive()) throw endedSession(`the document ${JSON.stringify(key)}`);
    };
    try {
      state.directory(...place);
      replaceStateFile(path, `{"key":${JSON.stringify(key)},"version":"${version}","value":${text}}\n`, beforeRename);
    } catch (error) {
      if (!isLive()) throw endedSession(`the document ${JSON.stringify(key)}`);
      throw HaftError.is(error) ? error : unwritable(path, error);
    }
    return { key, value: JSON.parse(text), version };
  };

  return {
    async get(key) {
      requireOpen();
      requireDocumentKey(key);
      return read(key);
    },
    async update(key, change) {
      requireOpen();
      requireDocumentKey(key);
      if (!isLive()) throw endedSession(`the document ${JSON.stringify(key)}`);
      const path = pathOf(key);
      return locks.hold(`store:${path}`, { timeoutMs: LOCK_WAIT_MS }, async () => {
        const old = onDamaged === "set-aside" ? orSetAside(path, () => read(key)) : read(key);
        const next = change(old?.value, old?.version);
        if (next !== undefined) return write(key, documentText(key, next));
        if (!isLive()) throw endedSession(`the document ${JSON.stringify(key)}`);
        if (old !== undefined) remove(state, path);
        return undefined;
      });
    },
    async count() {
      requireOpen();
      requireNoSymlink(options);
      return namesOf(directory).filter((name) => name.endsWith(SUFFIX)).length;
    },
    async *list(query) {
      requireOpen();
      requireNoSymlink(options);
      const keys: string[] = [];
      for (const name of isLive() ? namesOf(directory) : []) {
        const key = keyOf(name) ?? (isHashed(name) ? (await readListed(join(directory, name)))?.key : undefined);
        if (key !== undefined) keys.push(key);
      }
      yield* listDocuments(keys, query, (key) => readListed(pathOf(key), key));
    },
  };
}

/**
 * Reads the document of a key in a file. One that is unchanged since the last time is not read again, and its value is parsed when
 * it is used: sessions ask for the same document at each call.
 */
function documentReader(onDamaged: FileDocumentsOptions["damaged"]) {
  let last: { readonly key: string; readonly file: Stats; readonly text: string; readonly version: string } | undefined;
  return (key: string, path: string): StoredDocument | undefined => {
    const file = statOf(path);
    if (file !== undefined && last?.key === key && isSameFile(last.file, file)) {
      const { version, text } = last;
      return {
        key,
        version,
        get value(): Json {
          return JSON.parse(text).value;
        },
      };
    }
    const text = readText(path);
    const found = ofKey(key, documentIn(text, path, onDamaged), path);
    last = undefined;
    if (file !== undefined && text !== undefined && found !== undefined)
      last = { key, file, text, version: found.version };
    return found;
  };
}

/** What `read` returns; a file whose text is not a document is renamed, and counts as missing. */
function orSetAside<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(HaftError.is(error) && error.cause instanceof SyntaxError)) throw error;
    renameSync(path, `${path}.damaged`);
    return undefined;
  }
}

function ofKey(key: string, found: StoredDocument | undefined, path: string): StoredDocument | undefined {
  if (found === undefined || found.key === key) return found;
  throw damaged(path, "it belongs to another key");
}

function requireNoSymlink({ state, place }: FileDocumentsOptions): void {
  const symlink = state.symlinkIn(...place);
  if (symlink !== undefined) throw damaged(symlink, "it is a symlink");
}

function remove(state: StateDirectory, path: string): void {
  state.check();
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Whether only the file itself has its key. */
function isHashed(name: string): boolean {
  return name.startsWith(HASHED) && name.endsWith(SUFFIX);
}

/** The key of a file with this name; undefined for another file, and where only the file has it. */
function keyOf(name: string): string | undefined {
  return name.endsWith(SUFFIX) ? textOfName(name.slice(0, -SUFFIX.length)) : undefined;
}

function namesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw damaged(directory, messageOf(error));
  }
}

/** The document in a file. Undefined for what is not there, is no document, or has another name than its key gives. */
export function storedDocumentIn(directory: string, name: string): StoredDocument | undefined {
  try {
    const found = documentIn(readText(join(directory, name)), join(directory, name));
    return found !== undefined && `${fileName(found.key)}${SUFFIX}` === name ? found : undefined;
  } catch (error) {
    if (HaftError.is(error, "STORE_CONFLICT")) return undefined;
    throw error;
  }
}

/** The text whose `fileName` this is. Undefined for a name that `fileName` does not make, or from a text that is too long. */
export function textOfName(name: string): string | undefined {
  const text = name.startsWith(HASHED) ? undefined : decoded(name);
  return text !== undefined && fileName(text) === name ? text : undefined;
}

/** Undefined for a name that is not encoded text. */
function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** Undefined for what is not there or cannot be reached, which reading it reports. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Whether it was not replaced meanwhile. */
function isSameFile(one: Stats, other: Stats): boolean {
  return (
    one.ino === other.ino && one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs && one.size === other.size
  );
}

function readText(path: string): string | undefined {
  try {
    return readIfThere(path, false);
  } catch (error) {
    throw unread(path, error);
  }
}

/** The document in a file, without blocking the event loop. @throws `STORE_CONFLICT` for a file that is not a document. */
async function readDocumentAsync(path: string): Promise<StoredDocument | undefined> {
  try {
    return documentIn(await readAsync(path), path);
  } catch (error) {
    throw unread(path, error);
  }
}

function unread(path: string, error: unknown): HaftError {
  if (HaftError.is(error)) return error;
  return damaged(path, systemCode(error) === "ELOOP" ? "it is a symlink" : messageOf(error), error);
}

/** @throws `STORE_CONFLICT`, with a `SyntaxError` as its cause, for a text that is not a document. */
function documentIn(
  text: string | undefined,
  path: string,
  onDamaged?: FileDocumentsOptions["damaged"],
): StoredDocument | undefined {
  if (text === undefined) return undefined;
  const next = onDamaged === "set-aside" ? `The next write replaces it and keeps it as "${path}.damaged".` : undefined;
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (cause) {
    throw damaged(path, "it is not valid JSON", cause, next);
  }
  if (isRecord(found) && typeof found.key === "string" && typeof found.version === "string" && "value" in found)
    return { key: found.key, value: found.value as Json, version: found.version };
  throw damaged(path, "it is not a document", new SyntaxError("not a document"), next);
}

function damaged(path: string, why: string, cause?: unknown, next = "Fix the file, or delete it."): HaftError {
  return new HaftError("STORE_CONFLICT", `Could not read "${path}": ${why}. ${next}`, { cause, details: { path } });
}
