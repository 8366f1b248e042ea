/** What a state directory of format 1 holds in files and a database takes over: documents, sessions and approvals. */
import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { type SessionInfo, systemCode } from "../../kernel/index.js";
import { storedDocumentIn, textOfName } from "./file-documents.js";
import { BEING_REMOVED, namesIn, readSessionRecord } from "./session-record.js";
import { unwritable } from "./state-directory.js";
import { noteDatabase } from "./state-format.js";

/** A document, and what kind of thing it is: one of a collection, a request for approval, or what was approved. */
export interface MovedDocument {
  readonly kind: "document" | "request" | "approved";
  /** Of a document. */
  readonly collection?: string;
  /** The id of its session; absent: of the host, or of a project. */
  readonly session?: string;
  readonly key: string;
  readonly version: string;
  /** As JSON. */
  readonly text: string;
  /** The file that holds it. */
  readonly path: string;
}

export interface FilesToMove {
  /** Whether there is something to move. */
  isThere(): boolean;
  /** From now on no process keeps documents, sessions and approvals in files here. */
  forbidFiles(): void;
  sessions(): Iterable<SessionInfo>;
  documents(): Iterable<MovedDocument>;
  /** Changes when one of the files does. */
  digest(): string;
  /** Deletes files that were moved, and directories that are then empty. */
  remove(paths: readonly string[]): void;
}

/** Files that are not documents stay where they are, and so do those of a collection whose name is only known as a hash. */
export function filesToMove(root: string): FilesToMove {
  const sessionsRoot = join(root, "sessions");
  const sessionNames = () => namesIn(sessionsRoot).filter((name) => !name.startsWith(BEING_REMOVED));

  function* places(): Iterable<Pick<MovedDocument, "kind" | "collection" | "session"> & { directory: string }> {
    yield { kind: "request", directory: join(root, "approvals") };
    yield { kind: "approved", directory: join(root, "approved") };
    yield* collectionsIn(join(root, "documents"));
    for (const name of sessionNames()) {
      const directory = join(sessionsRoot, name);
      const session = readSessionRecord(directory)?.id ?? textOfName(name);
      if (session === undefined) continue;
      yield { kind: "approved", session, directory };
      for (const one of collectionsIn(join(directory, "documents"))) yield { ...one, session };
    }
  }

  /** A session's directory holds other files, too. */
  const namesAt = ({ session, kind, directory }: { session?: string | undefined; kind: string; directory: string }) =>
    namesIn(directory).filter((name) =>
      session !== undefined && kind === "approved" ? name === "approved.json" : true,
    );

  return {
    isThere: () =>
      ["approvals", "approved", "documents", "sessions"].some((name) => namesIn(join(root, name)).length > 0),
    forbidFiles() {
      try {
        noteDatabase(root);
      } catch (error) {
        throw unwritable(root, error);
      }
    },
    *sessions() {
      for (const name of sessionNames()) {
        const found = readSessionRecord(join(sessionsRoot, name));
        if (found !== undefined) yield found;
      }
    },
    *documents() {
      for (const place of places()) {
        const { directory, ...about } = place;
        for (const name of namesAt(place)) {
          const found = storedDocumentIn(directory, name);
          if (found === undefined) continue;
          const { key, version, value } = found;
          yield { ...about, key, version, text: JSON.stringify(value), path: join(directory, name) };
        }
      }
    },
    digest() {
      const hash = createHash("sha256");
      for (const name of sessionNames()) hash.update(marksOf(join(sessionsRoot, name, "session.json"), false));
      for (const place of places())
        for (const name of namesAt(place)) hash.update(marksOf(join(place.directory, name), true));
      return hash.digest("hex");
    },
    remove(paths) {
      for (const path of paths) rmSync(path, { force: true });
      const directories = new Set(paths.map(dirname));
      const above = [...directories].map(dirname).filter((path) => path !== root && path !== sessionsRoot);
      for (const directory of [...directories, ...new Set(above)]) removeIfEmpty(directory);
    },
  };
}

function* collectionsIn(directory: string): Iterable<{ kind: "document"; collection: string; directory: string }> {
  for (const name of namesIn(directory)) {
    const collection = textOfName(name);
    if (collection !== undefined) yield { kind: "document", collection, directory: join(directory, name) };
  }
}

/** What changes with a file that is replaced; and, with `isWritten`, with one that is touched. */
function marksOf(path: string, isWritten: boolean): string {
  const found = statOf(path);
  return `${path}\0${found?.ino ?? 0}\0${isWritten ? (found?.mtimeNs ?? 0) : 0}\0`;
}

/** Undefined for what is not there, or cannot be there. */
function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false, bigint: true });
  } catch {
    return undefined;
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (error) {
    if (!["ENOENT", "ENOTEMPTY", "EEXIST"].includes(systemCode(error) ?? "")) throw error;
  }
}
