/** The background commands of each session, so that a backend can end them with it. */
import { BoundedMap } from "./bounded-collections.js";
import type { Shell, ShellHandle, ShellOptions, SpawnOptions } from "./shell.js";

/** What is left of a session's background commands, for users. */
export interface SessionEnd {
  /** What could not be ended, or not be seen to end. */
  readonly left: readonly string[];
}

/** Sessions whose end is remembered, for calls that are still under way. */
const REMEMBERED_ENDS = 10_000;

/** One for each backend; `root` is its unguarded shell, whose `attach` finds what was spawned. */
export class SessionJobs {
  readonly #root: Shell;
  readonly #jobs = new Map<string, Map<string, ShellHandle>>();
  /** When a session ended last, counted in ends. */
  readonly #ended = new BoundedMap<string, number>(REMEMBERED_ENDS);
  #ends = 0;

  constructor(root: Shell) {
    this.#root = root;
  }

  /** The shell of a call; what it starts with the lifetime "session", and what survives a command of it, belongs to its session. */
  ofCall(shell: Shell, sessionId: string): Shell {
    const bornAt = this.#ends;
    return {
      exec: async (command: string, options: ShellOptions) => {
        const result = await shell.exec(command, options);
        if (result.job !== undefined) await this.#add(sessionId, result.job, bornAt);
        return result;
      },
      spawn: async (command: string, options: SpawnOptions) => {
        const handle = await shell.spawn(command, options);
        if (options.lifetime === "session") await this.#add(sessionId, handle.id, bornAt);
        return handle;
      },
      attach: (id) => shell.attach(id),
      jobs: (options) => shell.jobs(options),
    };
  }

  /**
   * Ends them all, each as a cancel would: TERM, 3 s, KILL. What a call that is still under way leaves later is ended then. Idempotent.
   *
   * @param options.forgets - And removes what is stored of them.
   */
  async end(sessionId: string, options: { readonly forgets?: boolean } = {}): Promise<SessionEnd> {
    const jobs = [...(this.#jobs.get(sessionId)?.values() ?? [])];
    this.#jobs.delete(sessionId);
    this.#ended.set(sessionId, ++this.#ends);
    const left = await Promise.all(jobs.map(leftOf));
    if (options.forgets === true) await this.#forget(sessionId);
    return { left: left.flat() };
  }

  /** What cannot be removed stays until it is too old. */
  async #forget(sessionId: string): Promise<void> {
    const all = await this.#root.jobs().catch(() => []);
    const own = all.filter(({ session, lifetime }) => session === sessionId && lifetime === "session");
    await Promise.allSettled(own.map(async ({ id }) => (await this.#root.attach(id))?.forget?.()));
  }

  async #add(sessionId: string, id: string, bornAt: number): Promise<void> {
    // A backend that is closed meanwhile has ended the command itself.
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
    // What has ended and left something running is still to be ended.
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
