/** The sessions of a server's clients: opened on first use, closed when there are too many, ended when idle. */
import { type Clock, messageOf, SESSION_IDLE_MS, type ToolBox } from "../../../../kernel/index.js";
import type { Toolkit, ToolkitSession } from "../../../../toolkit/index.js";
import { type McpSession, sessionToEvict } from "../../../mcp/index.js";

type Ended = Promise<{ readonly left: readonly string[] }>;

interface Served {
  readonly session: ToolkitSession;
  readonly box: ToolBox;
  readonly client: string;
  readonly stateOwner?: string | null;
  readonly isLasting: boolean;
  readonly isBusy: boolean;
}

interface ServedSessionsOptions {
  readonly collection: string;
  /** Beyond this many, the least recently used one of the client with the most is closed; never one with a running call. */
  readonly maxSessions: number;
  /** Other servers may use lasting sessions while they are idle here: their state says when they end. */
  readonly isShared: boolean;
  /** Milliseconds since the epoch. Default: the toolkit's clock. */
  now?(): number;
  /** A notice for the user. */
  onNote(line: string): void;
}

export class ServedSessions {
  readonly #options: ServedSessionsOptions;
  /** Least recently used first. */
  #sessions = new Map<string, Served>();
  #clock: Clock | undefined;
  /** Pending ends: of sessions by key, and of toolkits. */
  readonly #endings = new Map<unknown, Promise<void>>();

  constructor(options: ServedSessionsOptions) {
    this.#options = options;
  }

  /** The session of this key. If it is ending, or another process ended it, a new one is opened after its end. */
  async of(named: McpSession, toolkit: Toolkit): Promise<Served> {
    const { key } = named;
    this.#clock = toolkit.host.clock;
    const open = this.#sessions.get(key);
    if (open?.isBusy === false && open.session.isGone()) this.end(key, { forgets: true });
    // The token of the client has another name since.
    else if (open !== undefined && open.stateOwner !== named.stateOwner) this.end(key, { forgets: false });
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

  /** Ends the session of this key. `forgets`: delete what it stored. */
  end(key: string, { forgets }: { readonly forgets: boolean }): void {
    const served = this.#sessions.get(key);
    if (served === undefined) return;
    this.#sessions.delete(key);
    this.trackEnd(key, forgets ? served.session.end() : served.session.close());
  }

  /** Ends all sessions of a client. Lasting ones stay stored for a day. */
  endOf(client: string): void {
    for (const [key, served] of this.#sessions) {
      if (served.client === client) this.end(key, { forgets: !served.isLasting });
    }
  }

  /** Reports what could not be killed; `close` waits for it. */
  trackEnd(what: unknown, end: Ended): void {
    const { onNote } = this.#options;
    const reported = end.then(
      ({ left }) => {
        for (const one of left) onNote(`could not kill ${one}`);
      },
      (error: unknown) => onNote(`could not end a session: ${messageOf(error)}`),
    );
    this.#endings.set(what, reported);
    void reported.then(() => this.#endings.get(what) === reported && this.#endings.delete(what));
  }

  /** Ends idle sessions and those that another process ended. */
  check(): void {
    const nowMs = (this.#options.now ?? this.#clock?.now)?.();
    if (nowMs === undefined) return;
    for (const [key, { session, isLasting }] of this.#sessions) {
      const idleSinceMs = session.idleSinceMs();
      if (idleSinceMs === undefined) continue;
      if (session.isGone()) this.end(key, { forgets: true });
      else if (nowMs - idleSinceMs > SESSION_IDLE_MS)
        this.end(key, { forgets: !(isLasting && this.#options.isShared) });
    }
  }

  /** Moves the sessions to another toolkit with their todo lists only, and reports what is not moved. */
  async moveTo(toolkit: Toolkit): Promise<void> {
    const before = [...this.#sessions];
    this.#sessions = new Map();
    for (const [key, served] of before) {
      try {
        const items = await served.session.session.todo.read();
        const { session: _, box: __, isBusy: ___, ...about } = served;
        const there = await this.of({ key, ...about }, toolkit);
        if (items.length > 0) await there.session.session.todo.replace(items);
      } catch (error) {
        this.#options.onNote(`the todo list of a session was not moved to the new workspace: ${messageOf(error)}`);
      }
      if (!served.isLasting) await this.#reportRemoved(served);
    }
  }

  async #reportRemoved({ session }: Served): Promise<void> {
    const { onNote } = this.#options;
    try {
      const { length } = await session.session.artifacts.list();
      if (length > 0) onNote(`deleted ${length} artifacts of the session in the old workspace`);
    } catch (error) {
      onNote(`deleted the artifacts of a session in the old workspace; could not count them: ${messageOf(error)}`);
    }
  }

  /** Ends all sessions; lasting ones stay stored. */
  async close(): Promise<void> {
    for (const [key, { isLasting }] of this.#sessions) this.end(key, { forgets: !isLasting });
    await Promise.all(this.#endings.values());
  }

  #opened(toolkit: Toolkit, { key, client, isLasting, stateOwner }: McpSession): Served {
    // Over HTTP jobs belong to one client; over stdio there is only one.
    const state = stateOwner === undefined ? {} : { stateOwner };
    const owners = client === "stdio" ? {} : { owner: client, ...state };
    const session = toolkit.session(isLasting ? key : undefined, owners);
    return {
      session,
      box: session.box(this.#options.collection),
      client,
      ...state,
      isLasting,
      get isBusy() {
        return session.idleSinceMs() === undefined;
      },
    };
  }
}
