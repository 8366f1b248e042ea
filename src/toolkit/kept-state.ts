/** What is kept on disk beyond a process, for commands that look after it: sessions and the tokens of clients. */
import type { KeptJobs } from "../backends/local/index.js";
import type { AuditReport, ClientTokens, FileSessions } from "../stores/files/index.js";

/** Where state is kept. */
export interface KeptStateOptions {
  /** Default: as the environment says. */
  readonly stateDir?: string;
}

/** What stops every call of a host with this state folder, as a sentence with the next step; undefined where state can be kept. */
export async function stateProblem(options: KeptStateOptions = {}): Promise<string | undefined> {
  const { openStateFolder, stateProblem: problemOf } = await import("../stores/files/index.js");
  const state = openStateFolder(options.stateDir);
  const problem = problemOf(state);
  return (
    problem &&
    `nothing can be kept in the state folder "${state.path}": ${problem}. Every call fails until it can. Name a writable folder with \`--state DIR\` or the environment variable HAFT_STATE.`
  );
}

/** The sessions in the state folder, of this and other processes. Looking makes nothing. */
export type KeptSessions = Pick<FileSessions, "list" | "end" | "clean">;

export async function keptSessions(options: KeptStateOptions = {}): Promise<KeptSessions> {
  const { fileLocks, fileSessions, openStateFolder } = await import("../stores/files/index.js");
  const state = openStateFolder(options.stateDir);
  return fileSessions({ state, locks: fileLocks(state) });
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
