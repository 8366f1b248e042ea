/** The toolkit behind a server: opened by the first call, one session for each that the server names. */
import { messageOf, type ToolBox } from "../../kernel/index.js";
import type { Toolkit, ToolkitSession } from "../../toolkit/index.js";
import { type McpCalls, type McpSession, oneToEnd } from "../mcp/index.js";
import { endedAfterKill } from "./survivor-watch.js";

/** Sessions that are open. A client names as many conversations as it likes; beyond these its own one not used for longest is closed. */
const MAX_SESSIONS = 1_000;
/** A session whose last call ended this long ago has ended. */
const IDLE_MS = 24 * 60 * 60 * 1000;
/** Milliseconds between two looks for sessions that have ended by themselves or were ended by `haft sessions`. */
const LOOK_EVERY_MS = 5_000;

export interface ServedCallsOptions {
  readonly collection: string;
  /** Opens the toolkit. `roots` are the client's folders, file URLs; none when it was not asked or has none. */
  open(roots: readonly string[]): Promise<Toolkit>;
  /** Whether the client's folders decide where to work. */
  readonly needsRoots: boolean;
  /** Something that the operator should know. */
  onNote(line: string): void;
  /** Default 1000. One with a running call is never closed. */
  readonly maxSessions?: number;
  /** Milliseconds since the epoch, for the idle end of sessions. Default: the toolkit's clock. */
  now?(): number;
  /** Milliseconds between two looks for sessions that have ended. Default 5000. */
  readonly lookEveryMs?: number;
}

export interface ServedCalls extends McpCalls {
  /** Ends every session and what it left running. Those that a client can name again keep what they hold. Idempotent. */
  close(): Promise<{ readonly left: readonly string[] }>;
}

interface Served {
  readonly session: ToolkitSession;
  readonly box: ToolBox;
  readonly client: string;
  readonly isLasting: boolean;
  readonly isBusy: boolean;
}

export function servedCalls(options: ServedCallsOptions): ServedCalls {
  /** The last used stand last. */
  const sessions = new Map<string, Served>();
  /** Ends that are under way, of sessions by their keys and of toolkits. */
  const endings = new Map<unknown, Promise<void>>();
  const inFlight = new Set<Promise<unknown>>();
  let roots: readonly string[] | undefined = options.needsRoots ? undefined : [];
  let opened: { readonly roots: readonly string[]; readonly toolkit: Promise<Toolkit> } | undefined;
  let callIds: string | undefined;
  let callCount = 0;
  let isReported = false;
  let looking: NodeJS.Timeout | undefined;

  const open = (): Promise<Toolkit> => {
    const wanted = roots ?? [];
    if (opened !== undefined && isSame(opened.roots, wanted)) return opened.toolkit;
    const before = opened?.toolkit;
    const toolkit = (before === undefined ? options.open(wanted) : moved(before, wanted)).catch((error: unknown) => {
      // What was wrong may be mended before the next call.
      if (opened?.toolkit === toolkit) opened = undefined;
      throw error;
    });
    opened = { roots: wanted, toolkit };
    looking ??= setInterval(look, options.lookEveryMs ?? LOOK_EVERY_MS).unref();
    return toolkit;
  };

  /** The client works in other folders now: what its sessions plan goes along; what they left running in the old ones ends, once their calls have. */
  const moved = async (before: Promise<Toolkit>, wanted: readonly string[]): Promise<Toolkit> => {
    const next = await options.open(wanted);
    const old = await before.catch(() => undefined);
    if (old === undefined) return next;
    for (const [key, served] of [...sessions]) {
      const items = await served.session.session.todo.read();
      const there = opening(next, { key, ...served }, options.collection);
      if (items.length > 0) await there.session.session.todo.replace(items);
      sessions.set(key, there);
    }
    tellLeft(
      old,
      Promise.allSettled(inFlight).then(() => old.close()),
    );
    return next;
  };

  const tellLeft = (what: unknown, ending: Promise<{ readonly left: readonly string[] }>): void => {
    const told = ending.then(
      ({ left }) => {
        for (const one of left) options.onNote(`could not end ${one}`);
      },
      (error: unknown) => options.onNote(`could not end a session: ${messageOf(error)}`),
    );
    endings.set(what, told);
    void told.then(() => endings.get(what) === told && endings.delete(what));
  };

  /** `forgets`: nobody will name it again. */
  const end = (key: string, forgets = true): void => {
    const served = sessions.get(key);
    if (served === undefined) return;
    sessions.delete(key);
    tellLeft(key, forgets ? served.session.end() : served.session.close());
  };

  const look = (): void => {
    const nowMs = options.now?.() ?? Date.now();
    for (const [key, { session }] of sessions) {
      const idleSinceMs = session.idleSinceMs();
      if (idleSinceMs === undefined) continue;
      if (session.isGone() || nowMs - idleSinceMs > IDLE_MS) end(key);
    }
  };

  const use = async (named: McpSession): Promise<{ readonly toolkit: Toolkit; readonly served: Served }> => {
    const { key } = named;
    const toolkit = await open();
    // Whoever names a session that is just ending gets a new one, once nothing of the old one is left.
    if (endings.has(key)) await endings.get(key);
    const served = sessions.get(key) ?? opening(toolkit, named, options.collection);
    sessions.delete(key);
    sessions.set(key, served);
    if (sessions.size > (options.maxSessions ?? MAX_SESSIONS)) {
      const others = new Map([...sessions].slice(0, -1));
      const unused = oneToEnd(others);
      if (unused !== undefined) end(unused, false);
    }
    return { toolkit, served };
  };

  return {
    get takeRoots() {
      if (roots !== undefined) return undefined;
      return (told: readonly string[]) => {
        // A client that does not answer again has not left its folders.
        roots = told.length === 0 && opened !== undefined ? opened.roots : told;
      };
    },
    rootsChanged() {
      if (options.needsRoots) roots = undefined;
    },
    async run(call, runOptions, named) {
      const { toolkit, served } = await use(named);
      // One draw of chance serves all: a call's id is told apart, not kept secret.
      callIds ??= toolkit.host.ids.next("call");
      const id = `${callIds}-${(++callCount).toString(36)}`;
      const running = served.box.runner.run({ ...call, id }, runOptions);
      inFlight.add(running);
      const outcome = await running.finally(() => inFlight.delete(running));
      if (!isReported) {
        isReported = true;
        endedAfterKill(await toolkit.takeReports()).forEach(options.onNote);
      }
      return outcome;
    },
    async artifacts(named) {
      return (await use(named)).served.session.session.artifacts;
    },
    end,
    async close() {
      clearInterval(looking);
      const toolkit = await opened?.toolkit.catch(() => undefined);
      const ends = [...sessions].map(([, { session, isLasting }]) => (isLasting ? session.close() : session.end()));
      const left = (await Promise.all(ends)).flatMap((one) => one.left);
      await Promise.all(endings.values());
      if (toolkit === undefined) return { left };
      return { left: [...left, ...(await toolkit.close()).left] };
    },
  };
}

function opening(toolkit: Toolkit, { key, client, isLasting }: McpSession, collection: string): Served {
  const session = isLasting ? toolkit.session(key) : toolkit.session();
  return {
    session,
    box: session.box(collection),
    client,
    isLasting,
    get isBusy() {
      return session.idleSinceMs() === undefined;
    },
  };
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index]);
}
