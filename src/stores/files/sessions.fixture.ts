/** Sessions of a state directory as a toolkit opens them. */
import { type DocumentSession, documentSession } from "../document-session.js";
import { fileLocks } from "./file-locks.js";
import { fileState } from "./file-state.js";
import { type FileSessions, fileSessions } from "./session-catalog.js";
import type { StateDirectory } from "./state-directory.js";

/** As another process would open them: its marks are those of this process all the same. */
export function sessionsIn(state: StateDirectory, now: () => number = Date.now) {
  const files = fileSessions({ state, now });
  const store = fileState({ state, locks: fileLocks(state), sessions: files, now });
  const open = (id = "daily", isTemporary = false): DocumentSession =>
    documentSession({ state: store, id, isTemporary, now, openLocal: () => files.open(id, isTemporary) });
  return { ...files, open, store } satisfies Omit<FileSessions, "open"> & { open: unknown; store: unknown };
}
