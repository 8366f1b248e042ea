/** What a host finds on this machine, for whoever looks why something does not work. Nothing is started but ripgrep and bubblewrap, to see whether they work. */
import { messageOf } from "../kernel/index.js";

/** Milliseconds that the lock of the state directory is waited for. */
const DOCTOR_LOCK_WAIT_MS = 2_000;

export interface HostFindings {
  /** The search program that calls use; absent where our own engine does all. */
  readonly ripgrep?: { readonly path: string; readonly engine: string };
  /** How the files of this machine are held while they are judged and used. */
  readonly guard: "pinned" | "checked";
  /** The program that confines commands of the target "sandbox", or why there is none, as sentences. */
  readonly sandbox: { readonly program: string } | { readonly problem: string };
  /** Absolute. */
  readonly statePath: string;
  /** Why nothing can be kept there, as a clause; absent when something can. */
  readonly stateProblem?: string;
  /** What opens the database of the state, or why nothing does, as a clause with the next step. */
  readonly database: { readonly program: string } | { readonly problem: string };
  /** Why the database cannot be used, as a clause; absent when it can, or is not there yet. */
  readonly databaseProblem?: string;
  /** Why no lock of the state directory can be had; absent when it can. */
  readonly lockProblem?: string;
}

/**
 * Looks at search, files and state of this machine.
 *
 * @param options.stateDir - Default: as the environment says.
 * @param options.tryLock - Takes a lock in the state directory for a moment, which makes the directory where it is missing.
 */
export async function inspectHost(options: {
  readonly stateDir?: string;
  readonly tryLock: boolean;
}): Promise<HostFindings> {
  const [
    { createLocalBackend, RipgrepFinder },
    { findBubblewrap },
    { fileLocks, openStateDirectory, statePathOf, stateProblem: problemOf },
    { NO_SQLITE, sqliteSupport },
  ] = await Promise.all([
    import("../backends/local/index.js"),
    import("../backends/sandbox/index.js"),
    import("../stores/files/index.js"),
    import("../host/index.js"),
  ]);
  const backend = createLocalBackend({ watcher: false });
  const { guard, cwd } = backend;
  const ripgrep = await new RipgrepFinder({ workspace: cwd }).find();
  await backend.close();
  const sandbox = await findBubblewrap(cwd);
  const statePath = statePathOf(options.stateDir);
  const stateProblem = problemOf({ path: statePath });
  const support = sqliteSupport();
  const databaseProblem = stateProblem === undefined ? await problemOfState(statePath) : undefined;
  const lockProblem =
    options.tryLock && stateProblem === undefined
      ? await fileLocks(openStateDirectory(statePath))
          .hold("haft:doctor", { timeoutMs: DOCTOR_LOCK_WAIT_MS }, async () => undefined)
          .catch((error: unknown) => messageOf(error))
      : undefined;
  return {
    guard,
    sandbox,
    statePath,
    database: support === undefined ? { problem: NO_SQLITE } : { program: support.name },
    ...(databaseProblem === undefined ? {} : { databaseProblem }),
    ...(ripgrep === undefined ? {} : { ripgrep }),
    ...(stateProblem === undefined ? {} : { stateProblem }),
    ...(lockProblem === undefined ? {} : { lockProblem }),
  };
}

async function problemOfState(statePath: string): Promise<string | undefined> {
  const { openEmbedded } = await import("./open-state.js");
  const { state } = await openEmbedded(statePath);
  try {
    return await state.problem();
  } finally {
    await state.close();
  }
}
