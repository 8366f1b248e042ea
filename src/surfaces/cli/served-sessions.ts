/** The sessions of a server's clients: opened when they are named, closed when there are too many, ended when nobody comes back. */
import { type Clock, messageOf, type ToolBox } from "../../kernel/index.js";
import type { Toolkit, ToolkitSession } from "../../toolkit/index.js";
import { type McpSession, sessionToEvict } from "../mcp/index.js";

/** A session whose last call ended this long ago has ended. */
const IDLE_MS = 24 * 60 * 60 * 1000;

type Ended = Promise<{ readonly left: readonly string[] }>;

export interface Served {
  readonly session: ToolkitSession;
  readonly box: ToolBox;
  readonly client: string;
  readonly isLasting: boolean;
  readonly isBusy: boolean;
}

export interface ServedSessionsOptions {
  readonly collection: string;
  /** Beyond so many one is closed: of the client that has the most, the one not used for longest; never one with a running call. */
  readonly maxSessions: number;
  /** Milliseconds since the epoch. Default: the toolkit's clock. */
  now?(): number;
  /** Something that the operator should know. */
  onNote(line: string): void;
}

export class ServedSessions {
  readonly #options: ServedSessionsOptions;
  /** The last used stand last. */
  #sessions = new Map<string, Served>();
  #clock: Clock | undefined;
  /** Ends that are under way, of sessions by their keys and of toolkits. */
  readonly #endings = new Map<unknown, Promise<void>>();

  constructor(options: ServedSessionsOptions) {
    this.#options = options;
  }

  /** The session of this name. Whoever names one that is just ending gets a new one, once nothing of the old one is left. */
  async of(named: McpSession, toolkit: Toolkit): Promise<Served> {
    const { key } = named;
    this.#clock = toolkit.host.clock;
    if (this.#endings.has(key)) await this.#endings.get(key);
    const served = this.#sessions.get(key) ?? this.#opened(toolkit, named);
    this.#sessions.delete(key);
    this.#sessions.set(key, served);
    if (this.#sessions.size > this.#options.maxSessions) {
      const unused = sessionToEvict(new Map([...this.#sessions].slice(0, -1)));
      if (unused !== undefined) this.end(unused, { forgets: false });
    }
    return served;
  }

  /** Ends the session of this key. `forgets`: nobody will name it again, and nothing of it is kept. */
  end(key: string, { forgets }: { readonly forgets: boolean }): void {
    const served = this.#sessions.get(key);
    if (served === undefined) return;
    this.#sessions.delete(key);
    this.ending(key, forgets ? served.session.end() : served.session.close());
  }

  /** Ends all sessions of a client. What they have kept is the person's to look at, for a day. */
  endOf(client: string): void {
    for (const [key, served] of this.#sessions) {
      if (served.client === client) this.end(key, { forgets: !served.isLasting });
    }
  }

  /** Tells the operator what could not be ended; `close` waits for it. */
  ending(what: unknown, end: Ended): void {
    const { onNote } = this.#options;
    const reported = end.then(
      ({ left }) => {
        for (const one of left) onNote(`could not end ${one}`);
      },
      (error: unknown) => onNote(`could not end a session: ${messageOf(error)}`),
    );
    this.#endings.set(what, reported);
    void reported.then(() => this.#endings.get(what) === reported && this.#endings.delete(what));
  }

  /** Ends those that were idle for too long and those that were ended from elsewhere. */
  check(): void {
    const nowMs = (this.#options.now ?? this.#clock?.now)?.();
    if (nowMs === undefined) return;
    for (const [key, { session }] of this.#sessions) {
      const idleSinceMs = session.idleSinceMs();
      if (idleSinceMs === undefined) continue;
      if (session.isGone() || nowMs - idleSinceMs > IDLE_MS) this.end(key, { forgets: true });
    }
  }

  /** All of them go on in another toolkit, with their plans and nothing else. What cannot be taken along is told. */
  async moveTo(toolkit: Toolkit): Promise<void> {
    const before = [...this.#sessions];
    this.#sessions = new Map();
    for (const [key, served] of before) {
      try {
        const items = await served.session.session.todo.read();
        const there = await this.of({ key, client: served.client, isLasting: served.isLasting }, toolkit);
        if (items.length > 0) await there.session.session.todo.replace(items);
      } catch (error) {
        this.#options.onNote(`the plan of a session was not taken along to the new folder: ${messageOf(error)}`);
      }
      if (!served.isLasting) await this.#reportRemoved(served);
    }
  }

  async #reportRemoved({ session }: Served): Promise<void> {
    const { onNote } = this.#options;
    try {
      const { length } = await session.session.artifacts.list();
      if (length > 0) onNote(`the artifacts of the session in the old folder were removed with it: ${length}`);
    } catch (error) {
      onNote(`the artifacts of a session in the old folder were removed, uncounted: ${messageOf(error)}`);
    }
  }

  /** Ends them all; those that a client can name again keep what they hold. */
  async close(): Promise<void> {
    for (const [key, { isLasting }] of this.#sessions) this.end(key, { forgets: !isLasting });
    await Promise.all(this.#endings.values());
  }

  #opened(toolkit: Toolkit, { key, client, isLasting }: McpSession): Served {
    // Over HTTP one client's jobs are nobody else's; over stdio there is nobody else.
    const owner = client === "stdio" ? {} : { owner: client };
    const session = toolkit.session(isLasting ? key : undefined, owner);
    return {
      session,
      box: session.box(this.#options.collection),
      client,
      isLasting,
      get isBusy() {
        return session.idleSinceMs() === undefined;
      },
    };
  }
}
