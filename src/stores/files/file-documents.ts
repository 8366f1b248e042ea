/** Documents with versions, one file each: what `State.documents` means on disk. */

import { readdirSync, rmSync } from "node:fs";
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
import { readIfThere, replaceStateFile } from "./replace-state-file.js";
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
  /** What `list` does with a file that is not a document. Default "refuse": it rejects. */
  readonly damaged?: "refuse" | "skip";
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

  const read = (key: string): StoredDocument | undefined => {
    if (!isLive()) return undefined;
    const path = pathOf(key);
    requireNoSymlink(options);
    const found = readDocument(path);
    if (found === undefined || found.key === key) return found;
    throw damaged(path, "it belongs to another key");
  };

  const listed = onDamaged === "skip" ? skipDamaged : <T>(use: () => T) => use();

  const write = (key: string, text: string): StoredDocument => {
    const version = newNonce();
    const path = pathOf(key);
    // A session that ends and begins again moves its directory away, so the rename fails; before that, the check does.
    const beforeRename = () => {
      if (!isLive()) throw endedSession(key);
    };
    try {
      state.directory(...place);
      replaceStateFile(path, `{"key":${JSON.stringify(key)},"version":"${version}","value":${text}}\n`, beforeRename);
    } catch (error) {
      if (!isLive()) throw endedSession(key);
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
      if (!isLive()) throw endedSession(key);
      const path = pathOf(key);
      return locks.hold(`store:${path}`, { timeoutMs: LOCK_WAIT_MS }, async () => {
        const old = read(key);
        const next = change(old?.value, old?.version);
        if (next !== undefined) return write(key, documentText(key, next));
        if (!isLive()) throw endedSession(key);
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
      const keys = isLive() ? keysIn(directory, (path) => listed(() => readDocument(path)?.key)) : [];
      yield* listDocuments(keys, query, (key) => listed(() => read(key)));
    },
  };
}

function requireNoSymlink({ state, place }: FileDocumentsOptions): void {
  const symlink = state.symlinkIn(...place);
  if (symlink !== undefined) throw damaged(symlink, "it is a symlink");
}

/** What `use` reads of a listed file; undefined for a damaged one. */
function skipDamaged<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch (error) {
    if (HaftError.is(error, "STORE_CONFLICT")) return undefined;
    throw error;
  }
}

function remove(state: StateDirectory, path: string): void {
  state.check();
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** The keys of all documents in a directory, in no order. */
function keysIn(directory: string, keyOf: (path: string) => string | undefined): string[] {
  return namesOf(directory).flatMap((name) => {
    if (!name.endsWith(SUFFIX)) return [];
    const encoded = name.slice(0, -SUFFIX.length);
    if (encoded.startsWith(HASHED)) return keyOf(join(directory, name)) ?? [];
    const key = decoded(encoded);
    return key !== undefined && fileName(key) === encoded ? [key] : [];
  });
}

function namesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return [];
    throw damaged(directory, messageOf(error));
  }
}

/** Undefined for a name that `fileName` does not make. */
function decoded(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** @throws `STORE_CONFLICT` for a file that is not a document. */
function readDocument(path: string): StoredDocument | undefined {
  let text: string | undefined;
  try {
    text = readIfThere(path, false);
  } catch (cause) {
    throw damaged(path, systemCode(cause) === "ELOOP" ? "it is a symlink" : messageOf(cause), cause);
  }
  if (text === undefined) return undefined;
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (cause) {
    throw damaged(path, "it is not valid JSON", cause);
  }
  if (isRecord(found) && typeof found.key === "string" && typeof found.version === "string" && "value" in found)
    return { key: found.key, value: found.value as Json, version: found.version };
  throw damaged(path, "it is not a document");
}

function damaged(path: string, why: string, cause?: unknown): HaftError {
  return new HaftError("STORE_CONFLICT", `Could not read "${path}": ${why}. Fix the file, or delete it.`, {
    cause,
    details: { path },
  });
}
