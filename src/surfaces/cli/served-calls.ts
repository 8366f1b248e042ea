/** The toolkit behind a server: opened by the first call, one session for each that the server names. */
import type { DefinedTool } from "../../kernel/index.js";
import type { Toolkit } from "../../toolkit/index.js";
import type { McpCalls } from "../mcp/index.js";
import { ServedSessions } from "./served-sessions.js";
import { ServedToolkit, type ServedToolkitOptions } from "./served-toolkit.js";
import { endedAfterKill } from "./survivor-watch.js";

/** Sessions that are open. A client names as many conversations as it likes; beyond these its own one not used for longest is closed. */
const MAX_SESSIONS = 1_000;
/** Milliseconds between two looks for sessions that have ended by themselves or were ended by `haft sessions`. */
const CHECK_INTERVAL_MS = 5_000;

export interface ServedCallsOptions extends Omit<ServedToolkitOptions, "onMoved"> {
  readonly collection: string;
  /** A tool of another server as it is now; such tools come and change while the toolkit is open. */
  foreignTool?(name: string): DefinedTool | undefined;
  /** Something that the operator should know. */
  onNote(line: string): void;
  /** Default 1000. One with a running call is never closed. */
  readonly maxSessions?: number;
  /** Milliseconds since the epoch, for the idle end of sessions. Default: the toolkit's clock. */
  now?(): number;
  /** Milliseconds between two looks for sessions that have ended. Default 5000. */
  readonly checkIntervalMs?: number;
}

export interface ServedCalls extends McpCalls {
  /** Ends every session and what it left running. Those that a client can name again keep what they hold. Idempotent. */
  close(): Promise<{ readonly left: readonly string[] }>;
}

export function servedCalls(options: ServedCallsOptions): ServedCalls {
  const { collection, maxSessions = MAX_SESSIONS, now, onNote } = options;
  const sessions = new ServedSessions({ collection, maxSessions, onNote, ...(now === undefined ? {} : { now }) });
  const inFlight = new Set<Promise<unknown>>();
  const served = new ServedToolkit({
    open: (root) => options.open(root),
    needsRoots: options.needsRoots,
    /** What the sessions plan goes along; what they left running ends, once their calls have. */
    async onMoved(from, to) {
      await sessions.moveTo(to);
      sessions.ending(
        from,
        Promise.allSettled(inFlight).then(() => from.close()),
      );
    },
  });
  let callIds: string | undefined;
  let callCount = 0;
  let isReported = false;
  let checkTimer: NodeJS.Timeout | undefined;

  const open = (): Promise<Toolkit> => {
    checkTimer ??= setInterval(() => sessions.check(), options.checkIntervalMs ?? CHECK_INTERVAL_MS).unref();
    return served.open();
  };

  return {
    get takeRoots() {
      return served.takeRoots;
    },
    rootsChanged: () => served.forgetRoots(),
    async run(call, runOptions, named) {
      const toolkit = await open();
      const { box: usual, session } = await sessions.of(named, toolkit);
      const foreign = options.foreignTool?.(call.name);
      if (foreign !== undefined) toolkit.registry.register(foreign);
      // A box holds the tools that there were when it was made.
      const box = foreign === undefined ? usual : session.box(collection);
      // One draw of chance serves all: a call's id is told apart, not kept secret.
      callIds ??= toolkit.host.ids.next("call");
      const running = box.runner.run({ ...call, id: `${callIds}-${(++callCount).toString(36)}` }, runOptions);
      inFlight.add(running);
      try {
        return await running;
      } finally {
        inFlight.delete(running);
        if (!isReported) {
          isReported = true;
          endedAfterKill(await toolkit.takeReports()).forEach(onNote);
        }
      }
    },
    async artifacts(named) {
      // A look is no reason to settle where to work, nor to go elsewhere: the client tells its folders at its next call.
      const toolkit = options.needsRoots ? await served.current() : await open();
      if (toolkit === undefined) return undefined;
      const { session } = await sessions.of(named, toolkit);
      return session.session.artifacts;
    },
    end: (key) => sessions.end(key, { forgets: true }),
    endOf: (client) => sessions.endOf(client),
    async close() {
      clearInterval(checkTimer);
      const toolkit = await served.current();
      await sessions.close();
      return toolkit === undefined ? { left: [] } : toolkit.close();
    },
  };
}
