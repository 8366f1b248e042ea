/** The conversations of one toolkit: opened by name, each ended once. */
import {
  AUTONOMY_LEVELS,
  type Autonomy,
  DEFAULT_AUTONOMY,
  HaftError,
  type HostContext,
  otherOwner,
  type SessionEnd,
  type ToolBox,
  type ToolRegistry,
} from "../kernel/index.js";
import type { DocumentSession } from "../stores/index.js";
import type { Host, SessionOwners } from "./host-services.js";
import { leftOfAll } from "./left-of-all.js";
import { forgetRequests } from "./session-requests.js";
import { SessionUse } from "./session-use.js";
import type { TargetSet } from "./target-set.js";
import type { ToolkitSession } from "./toolkit.js";

/** What sessions are made of. */
interface SessionParts {
  readonly host: Host;
  readonly targets: TargetSet;
  readonly registry: ToolRegistry;
  contextOf(session: DocumentSession, isEnded: () => boolean, cwd?: string): HostContext | Promise<HostContext>;
}

export class ToolkitSessions {
  readonly #parts: SessionParts;
  readonly #open = new Map<string, ToolkitSession>();
  /** Those without a name. */
  readonly #temporary = new WeakSet<ToolkitSession>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** The one of this name, the same each time; without a name a new one. @throws `POLICY_DENIED` if it is open for another owner. */
  of(id: string | undefined, about: SessionOwners = {}): ToolkitSession {
    const open = id === undefined ? undefined : this.#open.get(id);
    if (open === undefined) return this.#openNew(id, about);
    const { owner, stateOwner } = open.session;
    if (owner !== about.owner || stateOwner !== about.stateOwner) throw otherOwner(open.id);
    return open;
  }

  all(): readonly ToolkitSession[] {
    return [...this.#open.values()];
  }

  closeUnnamed(): Promise<PromiseSettledResult<SessionEnd>[]> {
    return Promise.allSettled(
      this.all()
        .filter((session) => this.#temporary.has(session))
        .map((session) => session.close()),
    );
  }

  closeAll(): Promise<PromiseSettledResult<SessionEnd>[]> {
    return Promise.allSettled(this.all().map((session) => session.close()));
  }

  #openNew(id: string | undefined, about: SessionOwners): ToolkitSession {
    const { host, targets, registry, contextOf } = this.#parts;
    const { clock } = host.services;
    const session = host.session(id, about);
    let ended: Promise<SessionEnd> | undefined;
    const isEnded = () => ended !== undefined;
    const use = new SessionUse(clock.now, session.settle);
    const box = (collection?: string) => registry.toToolBox(() => contextOf(session, isEnded), collection, { clock });
    const opened: ToolkitSession = {
      id: session.id,
      session,
      get autonomy() {
        return session.trust.autonomy ?? host.services.autonomy ?? DEFAULT_AUTONOMY;
      },
      setAutonomy(level) {
        requireLevel(level);
        session.trust.autonomy = level;
      },
      box: (collection) => use.counted(withTarget(box(collection), Object.keys(targets.all))),
      context: async (cwd) => contextOf(session, isEnded, cwd),
      close: () => {
        ended ??= this.#end(opened, session.close, id === undefined);
        return ended;
      },
      end: async () => {
        ended ??= this.#end(opened, session.close, true);
        const left = await ended;
        await session.end();
        return left;
      },
      idleSinceMs: () => use.idleSinceMs(),
      isGone: session.isGone,
      [Symbol.asyncDispose]: async () => void (await opened.close()),
    };
    this.#open.set(session.id, opened);
    if (id === undefined) this.#temporary.add(opened);
    return opened;
  }

  async #end(session: ToolkitSession, close: () => Promise<void>, forgets: boolean): Promise<SessionEnd> {
    const { targets } = this.#parts;
    const { id } = session;
    // A name may be in use again.
    if (this.#open.get(id) === session) this.#open.delete(id);
    // Commands first: what they still print belongs to the session's artifacts.
    const jobs = await Promise.allSettled([targets.endSession(id, { forgets }).then((left) => ({ left }))]);
    const closed = await Promise.allSettled([close().then(() => undefined)]);
    if (forgets) await forgetRequests(this.#parts.host.services.state.approvals, id);
    return { left: leftOfAll([...closed, ...jobs]) };
  }
}

function requireLevel(level: Autonomy | undefined): void {
  if (level === undefined || AUTONOMY_LEVELS.includes(level)) return;
  const taken = AUTONOMY_LEVELS.map((one) => JSON.stringify(one)).join(", ");
  throw new HaftError("CONFIG_INVALID", `Did not set the autonomy: it takes ${taken}, not ${JSON.stringify(level)}.`);
}

/** A box that advertises the choice of target where there is one. */
function withTarget(box: ToolBox, names: readonly string[]): ToolBox {
  return { ...box, descriptors: (targets = names) => box.descriptors(targets) };
}
