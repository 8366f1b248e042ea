/** What a tool runs in: the session, the services, and the ports bound to this call's grant. */
import type { Ports } from "./backend.js";
import { type CallRun, placeOf } from "./call-run.js";
import type { ToolContext, ToolEvent } from "./context.js";
import { judgeMoved } from "./decide-stage.js";

/**
 * @param signal - Fires when the call is cancelled, at its deadline, and when it has settled: everything here ends with it.
 * @param deadline - Milliseconds since the epoch.
 */
export function callContext(run: CallRun, signal: AbortSignal, deadline: number): ToolContext {
  const { context, backend, call, life } = run;
  const { host } = context;
  let bound: Ports | undefined;
  // Bound when the tool first touches its backend: many tools do not, and binding is a fifth of a small call's cost.
  const ports = () => {
    bound ??= backend.bind(run.grant!, {
      id: call.id,
      signal,
      deadline,
      sessionId: context.session.id,
      ...(context.session.owner === undefined ? {} : { owner: context.session.owner }),
      workspace: context.workspace,
      moved: async (asked, real) => judgeMoved(run, asked, real),
    });
    return bound;
  };
  return {
    ...placeOf(run),
    get session() {
      return life.session;
    },
    contextId: context.contextId,
    callId: call.id,
    budget: context.budget,
    get framework() {
      return life.framework;
    },
    get fs() {
      return ports().fs;
    },
    get shell() {
      return ports().shell;
    },
    get search() {
      return ports().search;
    },
    get terminal() {
      return ports().terminal;
    },
    http: host.http,
    clock: host.clock,
    ids: host.ids,
    digest: host.digest,
    stores: life.stores,
    artifacts: life.artifacts,
    signal,
    deadline,
    lock: (key, io, body) => life.lock(`${backend.name}:${key}`, { signal, ...io }, body),
    emit: (event) => {
      if (!signal.aborted) tell(run, event);
    },
  };
}

/** A listener that fails is the host's affair, and no failure of the tool that spoke. */
function tell(run: CallRun, event: ToolEvent): void {
  try {
    run.context.onEvent?.({ ...event, callId: run.call.id });
  } catch {}
}
