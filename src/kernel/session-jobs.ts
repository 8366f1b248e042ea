/** The background commands of each session, so that a backend can end them with it. */
import { BoundedMap } from "./bounded-collections.js";
import type { Shell, ShellHandle, ShellOptions, SpawnOptions } from "./shell.js";

/** What is left of a session's background commands, for users. */
export interface SessionEnd {
  /** Processes that could not be ended, or whose end could not be observed. */
  readonly left: readonly string[];
}

/** Number of ended sessions that are remembered, for calls that are still running. */
const REMEMBERED_ENDS = 10_000;

/** One per backend; `root` is its unguarded shell, whose `attach` finds the jobs. */
export class SessionJobs {
  readonly #root: Shell;
  readonly #jobs = new Map<string, Map<string, ShellHandle>>();
  /** Session id → sequence number of its last end. */
  readonly #ended = new BoundedMap<string, number>(REMEMBERED_ENDS);
  #ends = 0;

  constructor(root: Shell) {
    this.#root = root;
  }

  /** The shell of a call. Jobs with lifetime "session" and processes that survive a command belong to its session. */
  ofCall(shell: Shell, sessionId: string): Shell {
    const bornAt = this.#ends;
    return {
      exec: async (command: string, options: ShellOptions) => {
        const result = await shell.exec(command, options);
        if (result.job !== undefined) await this.#add(sessionId, result.job, bornAt);
        return result;
      },
      spawn: async (command: string, options: SpawnOptions) => {
        // Read once: a getter could give the shell another lifetime.
        const own = { ...options };
        const handle = await shell.spawn(command, own);
        if (own.lifetime === "session") await this.#add(sessionId, handle.id, bornAt);
        return handle;
      },
      attach: (id) => shell.attach(id),
      jobs: (options) => shell.jobs(options),
    };
  }

  /**
   * Ends all of a session's jobs as a cancel would: TERM, `DEFAULT_GRACE_MS`, KILL. Those that a running call leaves later are ended then. Idempotent.
   *
   * @param options.forgets - Also deletes what is stored of them.
   */
  async end(sessionId: string, options: { readonly forgets?: boolean } = {}): Promise<SessionEnd> {
    const jobs = [...(this.#jobs.get(sessionId)?.values() ?? [])];
    this.#jobs.delete(sessionId);
    this.#ended.set(sessionId, ++this.#ends);
    const left = await Promise.all(jobs.map(leftOf));
    if (options.forgets === true) await this.#forget(sessionId);
    return { left: left.flat() };
  }

  /** What cannot be deleted stays until it expires. */
  async #forget(sessionId: string): Promise<void> {
    const all = await this.#root.jobs().catch(() => []);
    const own = all.filter(({ session, lifetime }) => session === sessionId && lifetime === "session");
    await Promise.allSettled(own.map(async ({ id }) => (await this.#root.attach(id))?.forget?.()));
  }

  async #add(sessionId: string, id: string, bornAt: number): Promise<void> {
    // A backend that was closed meanwhile has ended the command itself.
    const job = await this.#root.attach(id).catch(() => null);
    if (job === null) return;
    if ((this.#ended.get(sessionId) ?? 0) > bornAt) return void leftOf(job);
    const own = this.#jobs.get(sessionId) ?? new Map<string, ShellHandle>();
    this.#jobs.set(sessionId, own);
    own.set(id, job);
    const forget = () => {
      own.delete(id);
      if (own.size === 0 && this.#jobs.get(sessionId) === own) this.#jobs.delete(sessionId);
    };
    // A job whose leader has ended but left processes running must still be ended.
    job.result.then((result) => {
      if (result.tree.state !== "alive") forget();
    }, forget);
  }
}

async function leftOf(job: ShellHandle): Promise<readonly string[]> {
  try {
    const tree = await job.kill("TERM");
    if (tree.state === "gone") return [];
    return tree.survivors.length === 0 ? [job.id] : tree.survivors.map(({ pid, name }) => `${pid} (${name})`);
  } catch {
    return [job.id];
  }
}
