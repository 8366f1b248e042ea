/** What is stored on disk beyond a process, for commands that look after it: sessions, artifacts, jobs, the audit log and the tokens of clients. */
import type { StoredJobs } from "../backends/local/index.js";
import type { AuditReport, FileSessions, StoredArtifacts, TokenStore } from "../stores/files/index.js";

/** Where state is stored. */
export interface StateAdminOptions {
  /** Default: as the environment says. */
  readonly stateDir?: string;
}

/** What stops every call of a host with this state directory, as a sentence with the next step; undefined where state can be kept. */
export async function stateDirectoryProblem(options: StateAdminOptions = {}): Promise<string | undefined> {
  const { statePathOf, stateProblem: problemOf } = await import("../stores/files/index.js");
  const path = statePathOf(options.stateDir);
  const problem = problemOf({ path });
  return (
    problem &&
    `the state directory "${path}" is not usable: ${problem}. Every call fails until it is. Use a writable directory with \`--state DIR\` or the environment variable HAFT_STATE.`
  );
}

/** The sessions in the state directory, of this and other processes. Reading creates no files. */
export type SessionAdmin = Pick<FileSessions, "list" | "end" | "clean">;

export async function sessionAdmin(options: StateAdminOptions = {}): Promise<SessionAdmin> {
  const { fileLocks, fileSessions, openStateDirectory } = await import("../stores/files/index.js");
  const state = openStateDirectory(options.stateDir);
  return fileSessions({ state, locks: fileLocks(state) });
}

/** The artifacts of all sessions in the state directory, of this and other processes. Reading creates no files. */
export async function artifactAdmin(options: StateAdminOptions = {}): Promise<StoredArtifacts> {
  const { storedArtifacts: artifactsOf, openStateDirectory } = await import("../stores/files/index.js");
  return artifactsOf(openStateDirectory(options.stateDir));
}

/**
 * Writes a file of this machine, all of it or nothing.
 *
 * @param path - Absolute; a symlink is followed.
 * @param options.replace - An existing file is replaced and keeps its mode. Default false.
 * @throws `FS_STALE` if the path already exists, `FS_*`.
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

/** The background commands of this machine, of this and other processes. Reading creates no files. */
export async function jobAdmin(options: StateAdminOptions = {}): Promise<StoredJobs> {
  const [{ storedJobs }, { openStateDirectory }] = await Promise.all([
    import("../backends/local/index.js"),
    import("../stores/files/index.js"),
  ]);
  return storedJobs(openStateDirectory(options.stateDir).path);
}

/** The calls in the audit log of all processes, and where the log was changed. Reading creates no files. */
export async function auditAdmin(options: StateAdminOptions = {}): Promise<AuditReport> {
  const { openStateDirectory, readAudit } = await import("../stores/files/index.js");
  return readAudit(openStateDirectory(options.stateDir));
}

/** The tokens that clients of `haft serve` show. Reading creates no files. */
export async function clientTokens(options: StateAdminOptions = {}): Promise<TokenStore> {
  const { fileLocks, fileTokens, openStateDirectory } = await import("../stores/files/index.js");
  const state = openStateDirectory(options.stateDir);
  return fileTokens(state, fileLocks(state));
}
