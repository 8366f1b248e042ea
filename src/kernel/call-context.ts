/** What a tool runs in: the session, the services, and the ports bound to this call's grant. */
import type { BoundCall, Ports } from "./backend.js";
import { boundHttp, type RequestBinding } from "./bound-http.js";
import type { StateCaller } from "./bound-schedules.js";
import { boundState } from "./bound-state.js";
import {
  backendOf,
  type CallRun,
  claimContextBase,
  homeOf,
  MAX_AUDITED_CONNECTIONS,
  sourcePlace,
  sourceTargetOf,
} from "./call-run.js";
import type { CallSignal } from "./call-signal.js";
import type { ToolContext } from "./context.js";
import { elapsedMs } from "./deadline.js";
import { authorizeDirectory, authorizeRealPath, authorizeRequest, policyCallOf } from "./decide-stage.js";
import { callSafely } from "./errors.js";
import { type Fs, withMissingPart } from "./fs.js";
import type { CallHttp } from "./http.js";
import { withPathLocks } from "./path-lock.js";
import { RecordedFs } from "./recorded-fs.js";
import { incompleteSecretBytes } from "./redacted-stream.js";
import { sealPort } from "./seal-port.js";
import type { CallSession, Framework } from "./session.js";
import { callFramework, callSession } from "./session-in-call.js";
import type { CallState } from "./state.js";
import { toolServices } from "./tool-services.js";
import type { UndoLog } from "./undo-log.js";

/**
 * A class, because unused members cost nothing on a prototype: an object of closures and getters was a fifth of the
 * allocations of a small call. Its functions need no `this`, so a tool may destructure it.
 */
export class CallContext implements ToolContext {
  readonly #run: CallRun;
  #place: ReturnType<typeof claimContextBase> | undefined;
  #ports: Ports | undefined;
  #source: ToolContext["source"];
  #state: CallState | undefined;
  #http: CallHttp | undefined;
  #session: CallSession | undefined;
  #framework: Framework | undefined;
  readonly #end: CallSignal;
  readonly #endsAtMs: number;

  /**
   * @param end - Fires when the call is cancelled, at its deadline, and when it has settled: everything here ends with it.
   * @param deadlineMs - Milliseconds from now.
   */
  constructor(run: CallRun, end: CallSignal, deadlineMs: number) {
    this.#run = run;
    this.#end = end;
    this.#endsAtMs = elapsedMs(run.context.host.clock) + deadlineMs;
  }

  /** By the time of the machine at this moment, so that what is left stays right when that jumps. */
  get deadline(): number {
    const { clock } = this.#run.context.host;
    return Math.round(clock.now() + this.#endsAtMs - elapsedMs(clock));
  }

  get signal() {
    return this.#end.toolSignal;
  }

  get cwd() {
    return this.#run.cwd;
  }
  get home() {
    return homeOf(this.#run);
  }
  get workspace() {
    return this.#run.workspace;
  }
  get limits() {
    return this.#run.limits;
  }
  get backend() {
    return this.#placed.backend;
  }
  get resolve() {
    return this.#placed.resolve;
  }
  get session() {
    this.#session ??= callSession(this.#run);
    return this.#session;
  }
  get contextId() {
    return this.#run.context.contextId;
  }
  get callId() {
    return this.#run.call.id;
  }
  get budget() {
    return Object.freeze({ ...this.#run.context.budget });
  }
  get framework() {
    this.#framework ??= callFramework(this.#run);
    return this.#framework;
  }
  get fs() {
    return this.#bound.fs;
  }
  get source() {
    const { source } = this.#run;
    if (source === undefined) return undefined;
    this.#source ??= Object.freeze({
      ...sourcePlace(source),
      fs: backendOf(source).bind(source.grant!, boundCall(source, this.#end.signal, this)).fs,
    });
    return this.#source;
  }
  get shell() {
    return this.#bound.shell;
  }
  get search() {
    return this.#bound.search;
  }
  get terminal() {
    return this.#bound.terminal;
  }
  get http() {
    const run = this.#run;
    this.#http ??= boundHttp(run.context.host.http, requestBinding(run, this.#end.signal));
    return this.#http;
  }
  get state() {
    const run = this.#run;
    const { host } = run.context;
    this.#state ??= boundState({
      state: host.state,
      grant: run.grant!,
      clock: host.clock,
      ...(host.redactor === undefined ? {} : { redactor: host.redactor }),
      ...(host.embed === undefined ? {} : { embed: host.embed }),
      caller: stateCaller(run),
      requireLife: run.life.requireLife,
    });
    return this.#state;
  }
  get media() {
    return toolServices(this.#run.context.host).media;
  }
  get clock() {
    return toolServices(this.#run.context.host).clock;
  }
  get ids() {
    return toolServices(this.#run.context.host).ids;
  }
  get digest() {
    return toolServices(this.#run.context.host).digest;
  }
  get artifacts() {
    return this.#run.life.artifacts;
  }
  get realPlace(): ToolContext["realPlace"] {
    const { cwd, home, workspace } = this;
    const { signal } = this.#end;
    const { fs } = backendOf(this.#run).root;
    return async () => {
      const places = await fs.resolve([workspace, cwd], { signal });
      const [realWorkspace, realCwd] = places.map(withMissingPart);
      return { workspace: realWorkspace!, cwd: realCwd!, home };
    };
  }
  get lock(): ToolContext["lock"] {
    const run = this.#run;
    const { signal } = this.#end;
    return async (paths, options, body) =>
      withPathLocks(run, boundCall(run, signal, this), [paths].flat(), options, body);
  }
  get emit(): ToolContext["emit"] {
    const run = this.#run;
    const end = this.#end;
    return (event) => {
      if (!end.aborted) run.events.emit(event);
    };
  }

  get #placed() {
    this.#place ??= claimContextBase(this.#run);
    return this.#place;
  }

  // Bound when the tool first touches its backend: many tools do not, and binding is a fifth of a small call's cost.
  get #bound(): Ports {
    this.#ports ??= bind(this.#run, this.#end.signal, this);
    return this.#ports;
  }
}

sealPort(CallContext);

function bind(run: CallRun, signal: AbortSignal, time: Pick<BoundCall, "deadline">): Ports {
  const call = boundCall(run, signal, time);
  const ports = backendOf(run).bind(run.grant!, call);
  const { undoLog } = run.context.host;
  const mayChange = run.grant!.files.some(({ access }) => access.some((one) => one !== "read"));
  if (undoLog === undefined || !mayChange) return ports;
  return { ...ports, fs: recordedFs(run, ports.fs, call, undoLog) };
}

/** Whose memories and schedules the call uses. */
function stateCaller(run: CallRun): StateCaller {
  const { context, approver, askedMs, basis, target, workspace } = run;
  const { session } = context;
  const { stateOwner: owner = session.owner } = session;
  return {
    session: session.id,
    ...(typeof owner === "string" ? { owner } : {}),
    autonomy: policyCallOf(run).autonomy,
    ...(approver === null ? {} : { approvedBy: approver }),
    ...(basis === undefined ? {} : { basis }),
    ...(askedMs === undefined ? {} : { askedMs }),
    target: target.name,
    workspace,
  };
}

function recordedFs(run: CallRun, fs: Fs, call: BoundCall, log: UndoLog): Fs {
  const { context, target, tool, workspace } = run;
  const { root, machine } = backendOf(run);
  const recorder = log.record({
    callId: run.call.id,
    sessionId: context.session.id,
    tool: tool.name,
    target: target.name,
    ...(target.spec === undefined || target.spec === target.name ? {} : { spec: target.spec }),
    ...sourceTargetOf(run),
    machine,
    workspace,
  });
  let isReported = false;
  return new RecordedFs(fs, {
    recorder,
    maxFileBytes: log.maxFileBytes,
    root: root.fs,
    grant: run.grant!,
    call,
    digest: context.host.digest,
    lost(message) {
      if (isReported) return;
      isReported = true;
      run.notes = [...run.notes, message];
      callSafely(() => context.onEvent?.({ kind: "notice", message, callId: run.call.id }));
    },
  });
}

function requestBinding(run: CallRun, signal: AbortSignal): RequestBinding {
  return {
    grant: run.grant!,
    backend: run.target.name,
    signal,
    isApproved: run.decision?.effect === "ask",
    requireLife: run.life.requireLife,
    authorize: (request) => authorizeRequest(run, request),
    requested: (url) => run.context.session.trust.shownUrl(url),
    connecting: ({ method, url, address }) => {
      const { connections } = run;
      const isKnown = connections.some((one) => one.method === method && one.url === url && one.address === address);
      if (isKnown || connections.length > MAX_AUDITED_CONNECTIONS) return;
      connections.push({ kind: "network", method, url, ...(address === undefined ? {} : { address }) });
    },
    answered: () => {
      run.isAnswered = true;
    },
  };
}

function boundCall(run: CallRun, signal: AbortSignal, time: Pick<BoundCall, "deadline">): BoundCall {
  const { context, call, workspace } = run;
  const { session } = context;
  const { redactor } = context.host;
  return {
    id: call.id,
    signal,
    get deadline() {
      return time.deadline;
    },
    sessionId: session.id,
    ...(session.owner === undefined ? {} : { owner: session.owner }),
    workspace,
    authorizeRealPath: async (asked, real) => authorizeRealPath(run, asked, real),
    authorizeDirectory: async (command, cwd, real) => authorizeDirectory(run, command, cwd, real),
    ...(redactor === undefined ? {} : { incompleteSecretBytes: (bytes) => incompleteSecretBytes(redactor, bytes) }),
  };
}
