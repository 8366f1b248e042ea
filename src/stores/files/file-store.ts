/** JSON documents by key, one file each. */
import { createHash } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { HaftError, type Locks, messageOf } from "../../kernel/index.js";
import { readIfThere, replaceStateFile } from "./replace-state-file.js";
import { type StateDirectory, unwritable } from "./state-directory.js";

/** How long an update waits for the lock of its document. Holders only read and write one small file. */
export const LOCK_WAIT_MS = 10_000;
/** Most file systems end names at 255 bytes; what is longer than this goes by its hash. */
const MAX_NAME_BYTES = 160;

const DELETE_IT = "Fix the file, or delete it to start empty";

/** JSON documents by key; each update replaces the whole document under a lock. */
export interface Store {
  /** Undefined when there is no document. @throws `STORE_CONFLICT` when the stored text is not valid JSON. */
  get(key: string): Promise<unknown>;
  /**
   * Reads, changes and writes the document as one step; cannot be cancelled. Returning undefined deletes it.
   * @throws `STORE_CONFLICT` as `get` does, `STORE_UNWRITABLE`, and any error of `change`; nothing is written then.
   */
  update(key: string, change: (old: unknown) => unknown): Promise<void>;
}

export interface FileStoreOptions {
  /**
   * What `update` does with a document that holds no valid JSON: "refuse", or "set-aside", which keeps it as `NAME.json.damaged`
   * and starts empty. Default "refuse".
   */
  readonly damaged?: "refuse" | "set-aside";
}

/**
 * The documents below `place`, a list of directory names under the state directory. Reading creates no files.
 *
 * `update` holds the document's lock from reading to writing, so that no change of another process is lost.
 * @throws `STORE_UNWRITABLE` if it cannot be written, `STORE_CONFLICT` if it is not valid JSON or stays locked for `LOCK_WAIT_MS`.
 */
export function fileStore(
  state: StateDirectory,
  place: readonly string[],
  locks: Locks,
  options: FileStoreOptions = {},
): Store {
  const directory = join(state.path, ...place);
  let last: { readonly key: string; readonly path: string } | undefined;
  /** Cached, since most callers use one document repeatedly. */
  const pathOf = (key: string): string => {
    if (last?.key !== key) last = { key, path: join(directory, `${fileName(key)}.json`) };
    return last.path;
  };
  return {
    async get(key) {
      return read(pathOf(key), options);
    },
    update(key, change) {
      const path = pathOf(key);
      return locks.hold(`store:${path}`, { timeoutMs: LOCK_WAIT_MS }, async () => {
        const next = change(options.damaged === "set-aside" ? readOrQuarantine(path) : read(path, options));
        try {
          if (next === undefined) return rmSync(path, { force: true });
          state.directory(...place);
          replaceStateFile(path, `${JSON.stringify(next, null, 2)}\n`);
        } catch (error) {
          throw HaftError.is(error) ? error : unwritable(path, error);
        }
      });
    },
  };
}

/** A name that every file system takes and that no two keys share, letter case aside or not: plain letters stay, the rest is escaped. */
export function fileName(key: string): string {
  let name = "";
  for (const byte of Buffer.from(key, "utf8")) {
    const character = String.fromCharCode(byte);
    const isPlain = /[a-z0-9_-]/.test(character) || (character === "." && name !== "");
    name += isPlain ? character : `%${byte.toString(16).padStart(2, "0")}`;
  }
  if (name !== "" && name.length <= MAX_NAME_BYTES) return name;
  return `%h${createHash("sha256").update(key).digest("hex").slice(0, 40)}`;
}

function read(path: string, { damaged }: FileStoreOptions = {}): unknown {
  let text: string | undefined;
  try {
    text = readIfThere(path);
  } catch (cause) {
    throw unreadable(path, messageOf(cause), cause, DELETE_IT);
  }
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    const next = damaged === "set-aside" ? `The next write replaces it and keeps it as "${path}.damaged"` : DELETE_IT;
    throw unreadable(path, "it is not valid JSON", cause, next);
  }
}

function readOrQuarantine(path: string): unknown {
  try {
    return read(path);
  } catch (error) {
    if (!(HaftError.is(error) && error.cause instanceof SyntaxError)) throw error;
    renameSync(path, `${path}.damaged`);
    return undefined;
  }
}

function unreadable(path: string, why: string, cause: unknown, next: string): HaftError {
  const message = `Could not read "${path}": ${why}. ${next}.`;
  return new HaftError("STORE_CONFLICT", message, { cause, details: { path } });
}
