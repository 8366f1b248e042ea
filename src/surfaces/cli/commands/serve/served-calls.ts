/** The calls of a server: a toolkit that the first call opens, and a session for each client session. */
import type { Approver, DefinedTool, StartedTerminal, State } from "../../../../kernel/index.js";
import type { Toolkit } from "../../../../toolkit/index.js";
import { MAX_SESSIONS, type McpCalls } from "../../../mcp/index.js";
import { endedAfterKill } from "../../survivor-watch.js";
import { ServedSessions } from "./served-sessions.js";
import { ServedToolkit, type ServedToolkitOptions } from "./served-toolkit.js";

/** Milliseconds between two checks for sessions that expired or were ended by `haft sessions`. */
const SESSION_CHECK_MS = 5_000;

export interface ServedCallsOptions extends Omit<ServedToolkitOptions, "onMoved"> {
  readonly collection: string;
  /** Whether other servers may use the lasting sessions at the same time. Default false. */
  readonly isShared?: boolean;
  /** The current tool of another server; such tools change while the toolkit is open. */
  foreignTool?(name: string): DefinedTool | undefined;
  /** How a user decides on a request in the queue, as a sentence for the model. */
  pendingHint?(token: string): string;
  /** A notice for the user. */
  onNote(line: string): void;
  /** Default `MAX_SESSIONS`. One with a running call is never closed. */
  readonly maxSessions?: number;
  /** Milliseconds since the epoch, to expire idle sessions. Default: the toolkit's clock. */
  now?(): number;
  /** Default 5000. */
  readonly checkIntervalMs?: number;
}

export interface ServedCalls extends McpCalls {
  /**
   * Opens the default target before a call needs it, and starts its terminal.
   *
   * @throws Why it cannot be opened; the next call tries again.
   */
  openTarget(): Promise<StartedTerminal>;
  /** The state of the toolkit, which it opens. */
  state(): Promise<State>;
  /** For the toolkit: asks the client that made the call; what a client cannot ask its user waits in the queue. */
  readonly approver: Approver;
  /** Closes every session and kills its background processes. Sessions that a client can resume stay stored. Idempotent. */
  close(): Promise<{ readonly left: readonly string[] }>;
}

export function servedCalls(options: ServedCallsOptions): ServedCalls {
  const { collection, onNote } = options;
  const sessions = new ServedSessions({ maxSessions: MAX_SESSIONS, isShared: false, ...options });
  const inFlight = new Set<Promise<unknown>>();
  const served = new ServedToolkit({
    open: (root) => options.open(root),
    needsRoots: options.needsRoots,
    /** Todo lists move along; background processes are killed after the running calls. */
    async onMoved(from, to) {
      await sessions.moveTo(to);
      sessions.trackEnd(
        from,
        Promise.allSettled(inFlight).then(() => from.close()),
      );
    },
  });
  /** By the id of a running call. */
  const approvers = new Map<string, Approver>();
  let callIds: string | undefined;
  let callCount = 0;
  let isReported = false;
  let checkTimer: NodeJS.Timeout | undefined;

  const open = (): Promise<Toolkit> => {
    checkTimer ??= setInterval(() => sessions.check(), options.checkIntervalMs ?? SESSION_CHECK_MS).unref();
    return served.open();
  };

  return {
    approver: approverOfCalls(approvers, options),
    // The question may have been asked by another server, before any call of this one.
    decide: async (token, decision) => ((await served.current()) ?? (await open())).approvals.decide(token, decision),
    state: async () => (await open()).host.state,
    openTarget: () => open().then((toolkit) => toolkit.startTerminal()),
    get takeRoots() {
      return served.takeRoots;
    },
    rootsChanged: () => served.forgetRoots(),
    async run(call, { approver, ...runOptions }, named) {
      const toolkit = await open();
      const { box: usual, session } = await sessions.of(named, toolkit);
      const foreign = options.foreignTool?.(call.name);
      if (foreign !== undefined) toolkit.registry.register(foreign);
      // A box has the tools of the time it was created.
      const box = foreign === undefined ? usual : session.box(collection);
      // Call ids need to be unique, not secret, so one random prefix is enough.
      callIds ??= toolkit.host.ids.next("call");
      const id = `${callIds}-${(++callCount).toString(36)}`;
      if (approver !== undefined) approvers.set(id, approver);
      const running = box.runner.run({ ...call, id }, runOptions);
      inFlight.add(running);
      try {
        return await running;
      } finally {
        inFlight.delete(running);
        approvers.delete(id);
        if (!isReported) {
          isReported = true;
          endedAfterKill(await toolkit.takeReports()).forEach(onNote);
        }
      }
    },
    async artifacts(named) {
      // Reading artifacts must not choose a workspace: that is up to the client's next call.
      const toolkit = options.needsRoots ? await served.current() : await open();
      if (toolkit === undefined) return undefined;
      const { session } = await sessions.of(named, toolkit);
      const { artifacts } = session.session;
      const { redactor } = toolkit.host;
      return redactor === undefined ? artifacts : { ...artifacts, redact: (text) => redactor.redact(text) };
    },
    end: (key, forgets) => sessions.end(key, { forgets }),
    endOf: (client) => sessions.endOf(client),
    async close() {
      clearInterval(checkTimer);
      const toolkit = await served.current();
      await sessions.close();
      return toolkit === undefined ? { left: [] } : toolkit.close();
    },
  };
}

/** Asks the approver of the running call; a call without one waits in the queue. */
function approverOfCalls(
  approvers: ReadonlyMap<string, Approver>,
  options: Pick<ServedCallsOptions, "pendingHint">,
): Approver {
  return {
    ask: async (request, io) => (await approvers.get(request.call.callId)?.ask(request, io)) ?? { pending: true },
    pendingHint: (token) => options.pendingHint?.(token),
  };
}
