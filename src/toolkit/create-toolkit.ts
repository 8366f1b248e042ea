/** The one place where tools, dialects, backends, stores and policy come together. */
import { haftDialect } from "../dialects/haft/haft-dialect.js";
import {
  type Approvals,
  type Approver,
  type Backend,
  type DefinedTool,
  type Dialect,
  type Faults,
  type Framework,
  type Gate,
  HaftError,
  type Hooks,
  type HostContext,
  type HostServices,
  type OutputBudget,
  type Policy,
  type RateLimit,
  type Redactor,
  type Session,
  type SessionEnd,
  type ToolBox,
  type ToolRegistry,
} from "../kernel/index.js";
import { allowAllPolicy } from "../policy/index.js";
import { BackendSet, type EndedAfterKill, requireTargets } from "./backend-set.js";
import { builtinRegistry } from "./builtin-registry.js";
import { requireKnown, requireTools } from "./check-options.js";
import type { ToolSettings } from "./config/config.js";
import { contextFactory } from "./context-factory.js";
import { dialectNamed } from "./dialect-named.js";
import { createHost } from "./host-services.js";
import { isOnThisMachine } from "./open-backend.js";
import { type OwnedBox, owning } from "./owned-box.js";
import { SessionUse } from "./session-use.js";

/** What a toolkit is made of; each part has a default. */
export interface ToolkitOptions {
  /** Absolute; where relative paths start and what ignore rules count from. Default: the current folder, or the backend's own. */
  readonly workspace?: string;
  /** Where state is kept. Default: `HAFT_STATE`, else `$XDG_STATE_HOME/haft`, else `~/.local/state/haft`. */
  readonly stateDir?: string;
  /** False keeps audit, locks, artifacts and sessions in this process only. Default true. */
  readonly persist?: boolean;
  /** Bytes that the artifacts of one session may take on disk; the oldest give way. Default 256 MiB. */
  readonly artifactQuotaBytes?: number;
  /** The target or targets that calls work on, the default first. Default "local". */
  readonly on?: string | readonly string[];
  /** Ready backends by the name that `on` uses for them; they are not closed here. */
  readonly backends?: Readonly<Record<string, Backend>>;
  /** A dialect or its name. Default `haftDialect`. */
  readonly dialect?: Dialect | string;
  /** Tools of the host, beside the built-in ones; one of the same name takes the built-in one's place. */
  readonly tools?: readonly DefinedTool[];
  /** Default `allowAllPolicy()`. */
  readonly policy?: Policy;
  /** How much happens without asking. For now only "full", the default: policy alone decides. */
  readonly autonomy?: "full";
  /** Who is asked. Default: nobody, and an "ask" is a denial. */
  readonly approver?: Approver;
  /** Milliseconds that the approver has. Default 120,000. */
  readonly approvalTimeoutMs?: number;
  /** The name of the conversation that `box` works in. Default: each box has one of its own, without a name. */
  readonly session?: string;
  /** When `write` and `edit` want a read before. Default: what the dialect says. */
  readonly gate?: Gate;
  /** Milliseconds after which a command that still runs goes on as a job and its call ends, in the dialects whose `bash` may. Default: it is waited for. */
  readonly yieldMs?: number;
  /** Built-in tools by Haft's own names: `false` switches one off, so that it is neither shown nor known. Default: all on. */
  readonly toolSettings?: ToolSettings;
  /** What commands find in their environment beside the usual few variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default `standardBudget()`: both ends of 64 KiB. */
  readonly budget?: OutputBudget;
  /** The bag of host handles that contexts carry. Default empty. */
  readonly framework?: Framework;
  readonly hooks?: Hooks;
  readonly rate?: RateLimit;
  readonly redactor?: Redactor;
  /** Who finds the call that an uncaught fault belongs to. Default: by asynchronous context, listening only while calls run. */
  readonly faults?: Faults;
}

/** Every option; the compiler asks for one that is missing here. */
const OPTIONS: Readonly<Record<keyof ToolkitOptions, true>> = {
  workspace: true,
  stateDir: true,
  persist: true,
  artifactQuotaBytes: true,
  on: true,
  backends: true,
  dialect: true,
  tools: true,
  policy: true,
  autonomy: true,
  approver: true,
  approvalTimeoutMs: true,
  session: true,
  gate: true,
  yieldMs: true,
  toolSettings: true,
  env: true,
  budget: true,
  framework: true,
  hooks: true,
  rate: true,
  redactor: true,
  faults: true,
};

/** One conversation of a toolkit. */
export interface ToolkitSession extends AsyncDisposable {
  readonly id: string;
  readonly session: Session;
  /** A box whose calls belong to this session. Default "all". @throws `REGISTRY_UNKNOWN_COLLECTION` */
  box(collection?: string): ToolBox;
  /** The context of one dispatch, as a box's factory makes it; `cwd`, absolute, takes the workspace's place. Opens the backends. */
  context(cwd?: string): Promise<HostContext>;
  /**
   * Ends what its calls left running, but for jobs of the host and those to be kept, and writes down what the session
   * remembers; one without a name leaves nothing behind. Later calls of its boxes are refused with `STORE_CLOSED`. Idempotent.
   */
  close(): Promise<SessionEnd>;
  /** Closes it and removes all that it has kept, a name or not. Idempotent. */
  end(): Promise<SessionEnd>;
  /** Milliseconds since the epoch: when the last call of its boxes ended, or when it was opened; undefined while one runs. */
  idleSinceMs(): number | undefined;
  /** Whether it was ended from elsewhere, such as by `haft sessions end`. What it had kept is gone. */
  isGone(): boolean;
}

/** Everything that one host shares: tools, backends, state, and the conversations that use them. */
export interface Toolkit extends AsyncDisposable {
  readonly registry: ToolRegistry;
  readonly dialect: Dialect;
  readonly host: HostServices;
  /** What waits for a person: `approvals.grant(token)`, then the same call again with `resume: token`. */
  readonly approvals: Approvals;
  /**
   * The conversation of this name, the same object each time; without a name, a new one.
   *
   * @param options.owner - Who it belongs to, where a host has several clients: jobs that outlive their session are told to
   *   sessions of the same owner only. Default: nobody, and such sessions share them.
   */
  session(id?: string, options?: { readonly owner?: string }): ToolkitSession;
  /** A box with a session of its own, or the one that the toolkit was made with. Default "all". @throws `REGISTRY_UNKNOWN_COLLECTION` */
  box(collection?: string): OwnedBox;
  /** The conversations that are open. */
  sessions(): readonly ToolkitSession[];
  /** What was ended here after an earlier host was killed; each is told once, and only once a call has opened the backends. */
  takeReports(): Promise<readonly EndedAfterKill[]>;
  /** Ends every background command that was started here, whatever its lifetime, and forgets it with its output. */
  forgetJobs(): Promise<void>;
  /** Closes sessions and backends, with what calls left running; `left` names what could not be ended. Idempotent. */
  close(): Promise<{ readonly left: readonly string[] }>;
}

/**
 * Puts a toolkit together. Nothing is opened, written or started before the first call: backends open then, and an
 * unwritable state folder is told by the first call that needs it (`STORE_UNWRITABLE`).
 *
 * @throws `CONFIG_INVALID` for an unknown option, dialect or target, for a workspace that is relative or, on this machine, not
 *   there; `REGISTRY_INVALID_TOOL` for what `defineTool` did not make, and for two tools of one name; `STORE_NEWER` for a state
 *   folder that a newer version has written.
 * @example See README.md.
 */
export async function createToolkit(options: ToolkitOptions = {}): Promise<Toolkit> {
  requireKnown(options, Object.keys(OPTIONS));
  const { workspace, policy = allowAllPolicy(), persist = true, tools = [], backends: given = {} } = options;
  requireTools(tools);
  if (workspace !== undefined && !workspace.startsWith("/"))
    throw new HaftError(
      "CONFIG_INVALID",
      `The workspace "${workspace}" is not absolute. Give the whole path of the folder.`,
    );
  const dialect =
    typeof options.dialect === "string" ? await dialectNamed(options.dialect) : (options.dialect ?? haftDialect);
  const registry = builtinRegistry(dialect, {
    ...(options.gate === undefined ? {} : { gate: options.gate }),
    ...(options.yieldMs === undefined ? {} : { yieldMs: options.yieldMs }),
    ...(options.toolSettings === undefined ? {} : { tools: options.toolSettings }),
  });
  registry.registerAll(tools);
  const targets = [options.on ?? "local"].flat();
  requireTargets(targets, given);
  if (workspace !== undefined && targets.some((name) => isOnThisMachine(name) && !Object.hasOwn(given, name)))
    await requireFolder(workspace);
  const host = await createHost({ ...options, policy, persist });
  const backends = new BackendSet(targets, given, {
    ...(workspace === undefined ? {} : { cwd: workspace }),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(host.statePath === undefined ? {} : { stateDir: host.statePath }),
  });
  const open = new Map<string, ToolkitSession>();
  let closing: Promise<{ readonly left: readonly string[] }> | undefined;

  const contextOf = contextFactory(options, {
    host,
    backends,
    dialect,
    workspace,
    isClosed: () => closing !== undefined,
  });

  const temporary = new WeakSet<ToolkitSession>();
  const isTemporary = (session: ToolkitSession) => temporary.has(session);
  const openSession = (id: string | undefined, owner?: string): ToolkitSession => {
    const session = { ...host.openSession(id), ...(owner === undefined ? {} : { owner }) };
    let ended: Promise<SessionEnd> | undefined;
    const isEnded = () => ended !== undefined;
    const use = new SessionUse(host.services.clock.now, session.touch);
    const opened: ToolkitSession = {
      id: session.id,
      session,
      box: (collection) =>
        use.counted(
          aimed(
            registry.toToolBox(() => contextOf(session, isEnded), collection, { clock: host.services.clock }),
            backends.names,
          ),
        ),
      context: async (cwd) => contextOf(session, isEnded, cwd),
      close() {
        ended ??= endSession(opened, session.close, id === undefined);
        return ended;
      },
      async end() {
        ended ??= endSession(opened, session.close, true);
        const left = await ended;
        await session.end();
        return left;
      },
      idleSinceMs: () => use.idleSinceMs(),
      isGone: session.isGone,
      [Symbol.asyncDispose]: async () => void (await opened.close()),
    };
    open.set(session.id, opened);
    if (id === undefined) temporary.add(opened);
    return opened;
  };

  const sessionOf = (id: string | undefined, about: { readonly owner?: string } = {}): ToolkitSession =>
    (id === undefined ? undefined : open.get(id)) ?? openSession(id, about.owner);

  const toolkit: Toolkit = {
    registry,
    dialect,
    host: host.services,
    approvals: host.services.approvals,
    session: sessionOf,
    box(collection) {
      const session = sessionOf(options.session);
      return owning(session.box(collection), options.session === undefined ? session.close : async () => NOTHING_LEFT);
    },
    sessions: () => [...open.values()],
    takeReports: () => backends.takeReports(),
    forgetJobs: () => backends.forgetJobs(),
    close() {
      closing ??= closeAll();
      return closing;
    },
    [Symbol.asyncDispose]: async () => void (await toolkit.close()),
  };
  return toolkit;

  async function endSession(
    session: ToolkitSession,
    close: () => Promise<void>,
    forgets: boolean,
  ): Promise<SessionEnd> {
    const { id } = session;
    // A name may be in use again.
    if (open.get(id) === session) open.delete(id);
    host.services.approvals.forget(id);
    // Commands first: what they still print belongs to the session's artifacts.
    const [jobs] = await Promise.allSettled([backends.endSession(id, { forgets })]);
    await close();
    if (jobs.status === "rejected") throw jobs.reason;
    return { left: jobs.value };
  }

  /** Every part is closed, whatever becomes of the others; the first that failed is told. */
  async function closeAll(): Promise<{ readonly left: readonly string[] }> {
    // Nobody comes back to a session without a name: what is kept of its jobs goes while its backends are open.
    const unnamed = await Promise.allSettled([...open.values()].filter(isTemporary).map((session) => session.close()));
    // Commands first: what they still print belongs to the sessions' artifacts.
    const [closed] = await Promise.allSettled([backends.close()]);
    const named = await Promise.allSettled([...open.values()].map((session) => session.close()));
    const sessions = [...unnamed, ...named];
    host.close();
    if (closed.status === "rejected") throw closed.reason;
    const failed = sessions.find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return {
      left: [...closed.value, ...sessions.flatMap((one) => (one.status === "fulfilled" ? one.value.left : []))],
    };
  }
}

async function requireFolder(workspace: string): Promise<void> {
  const { folderProblem } = await import("../backends/local/index.js");
  const problem = folderProblem(workspace);
  if (problem !== undefined) throw new HaftError("CONFIG_INVALID", problem, { details: { workspace } });
}

const NOTHING_LEFT: SessionEnd = Object.freeze({ left: [] });

/** A box that advertises the choice of target where there is one. */
function aimed(box: ToolBox, names: readonly string[]): ToolBox {
  return { ...box, descriptors: (targets = names) => box.descriptors(targets) };
}
