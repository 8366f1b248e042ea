/** What is kept on disk beyond a process, for commands that look after it: sessions and the tokens of clients. */
import type { ClientTokens, FileSessions } from "../stores/files/index.js";

/** Where state is kept. */
export interface KeptStateOptions {
  /** Default: as the environment says. */
  readonly stateDir?: string;
}

/** The sessions in the state folder, of this and other processes. Looking makes nothing. */
export type KeptSessions = Pick<FileSessions, "list" | "end" | "clean">;

export async function keptSessions(options: KeptStateOptions = {}): Promise<KeptSessions> {
  const { fileLocks, fileSessions, openStateFolder } = await import("../stores/files/index.js");
  const state = openStateFolder(options.stateDir);
  return fileSessions({ state, locks: fileLocks(state) });
}

/** The tokens that clients of `haft serve` show. Looking makes nothing. */
export async function clientTokens(options: KeptStateOptions = {}): Promise<ClientTokens> {
  const { fileLocks, fileTokens, openStateFolder } = await import("../stores/files/index.js");
  const state = openStateFolder(options.stateDir);
  return fileTokens(state, fileLocks(state));
}
