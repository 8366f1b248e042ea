/** What is kept on disk beyond a process, for commands that look after it: sessions, artifacts, jobs, the record and the tokens of clients. */
import type { KeptJobs } from "../backends/local/index.js";
import type { AuditReport, ClientTokens, FileSessions, KeptArtifacts } from "../stores/files/index.js";

/** Where state is kept. */
export interface KeptStateOptions {
  /** Default: as the environment says. */
  readonly stateDir?: string;
}

/** What stops every call of a host with this state folder, as a sentence with the next step; undefined where state can be kept. */
export async function stateProblem(options: KeptStateOptions = {}): Promise<string | undefined> {
  const { statePathOf, stateProblem: problemOf } = await import("../stores/files/index.js");
  const path = statePathOf(options.stateDir);
  const problem = problemOf({ path });
  return (
    problem &&
    `nothing can be kept in the state folder "${path}": ${problem}. Every call fails until it can. Name a writable folder with \`--state DIR\` or the environment variable HAFT_STATE.`
  );
}

/** The sessions in the state folder, of this and other processes. Looking makes nothing. */
export type KeptSessions = Pick<FileSessions, "list" | "end" | "clean">;

export async function keptSessions(options: KeptStateOptions = {}): Promise<KeptSessions> {
  const { fileLocks, fileSessions, openStateFolder } = await import("../stores/files/index.js");
  const state = openStateFolder(options.stateDir);
  return fileSessions({ state, locks: fileLocks(state) });
}

/** The artifacts of all sessions in the state folder, of this and other processes. Looking makes nothing. */
export async function keptArtifacts(options: KeptStateOptions = {}): Promise<KeptArtifacts> {
  const { keptArtifacts: artifactsOf, openStateFolder } = await import("../stores/files/index.js");
  return artifactsOf(openStateFolder(options.stateDir));
}

/**
 * Writes a file of this machine, all of it or nothing.
 *
 * @param path - Absolute; a link is followed.
 * @param options.replace - What stands there is replaced and keeps its mode. Default false.
 * @throws `FS_STALE` where something stands there, `FS_*`.
 */
export async function writeWhole(
  path: string,
  bytes: Uint8Array,
  options: { readonly replace?: boolean } = {},
): Promise<void> {
  const { createLocalBackend } = await import("../backends/local/index.js");
  const backend = createLocalBackend({ watcher: false });
  try {
    await backend.root.fs.replaceAtomic(path, bytes, options.replace === true ? "any" : "absent");
  } finally {
    await backend.close();
  }
}

/** The background commands of this machine, of this and other processes. Looking makes nothing. */
export async function keptCommands(options: KeptStateOptions = {}): Promise<KeptJobs> {
  const [{ keptJobs }, { openStateFolder }] = await Promise.all([
    import("../backends/local/index.js"),
    import("../stores/files/index.js"),
  ]);
  return keptJobs(openStateFolder(options.stateDir).path);
}

/** The calls on record of all processes, and where the record is not as it was written. Looking makes nothing. */
export async function keptAudit(options: KeptStateOptions = {}): Promise<AuditReport> {
  const { openStateFolder, readAudit } = await import("../stores/files/index.js");
  return readAudit(openStateFolder(options.stateDir));
}

/** The tokens that clients of `haft serve` show. Looking makes nothing. */
export async function clientTokens(options: KeptStateOptions = {}): Promise<ClientTokens> {
  const { fileLocks, fileTokens, openStateFolder } = await import("../stores/files/index.js");
  const state = openStateFolder(options.stateDir);
  return fileTokens(state, fileLocks(state));
}
