/** The one place where tools, dialects, backends, stores and policy come together. */
import { haftDialect } from "../dialects/haft/haft-dialect.js";
import {
  type Autonomy,
  DEFAULT_AUTONOMY,
  type Dialect,
  type Policy,
  requireKnownOptions,
  type SessionEnd,
} from "../kernel/index.js";
import { type BuiltinToolData, builtinTools } from "../tools/index.js";
import { builtinRegistry } from "./builtin-registry.js";
import { requireChoices, requireTools } from "./check-options.js";
import type { ChosenTarget } from "./chosen-target.js";
import { contextFactory } from "./context-factory.js";
import { dialectNamed } from "./dialect-named.js";
import { hasTerminal } from "./has-terminal.js";
import { createHost, type Host } from "./host-services.js";
import { leftOfAll } from "./left-of-all.js";
import { withOwnedContext } from "./owned-box.js";
import { presetOf } from "./policy-preset.js";
import { redactorOf } from "./redactor-of.js";
import { toolkitSchedules } from "./schedules/toolkit-schedules.js";
import { settledTargets } from "./settled-targets.js";
import type { OpenBackendOptions } from "./target-schemes.js";
import { TargetSet } from "./target-set.js";
import type { Toolkit } from "./toolkit.js";
import { TOOLKIT_OPTIONS, type ToolkitOptions } from "./toolkit-options.js";
import { toolkitPolicy } from "./toolkit-policy.js";
import { ToolkitSessions } from "./toolkit-sessions.js";
import { httpOptions, requireWeb, searchProviders } from "./web-options.js";

/**
 * Puts a toolkit together. Nothing is opened, written or started before the first call on a target; an
 * unwritable state directory is reported by the first call that needs it (`STORE_UNWRITABLE`).
 *
 * @throws `CONFIG_INVALID` for an unknown option, choice, dialect or target, for a rule that is not one, for a workspace that is relative or, on this machine, not
 *   there; `REGISTRY_INVALID_TOOL` for what `defineTool` did not make, and for two tools of one name; `STORE_NEWER` for a state
 *   directory that a newer version has written, `CONFIG_MISSING_PACKAGE` for one whose database nothing here opens.
 * @example See README.md.
 */
export function createToolkit(
  options?: ToolkitOptions & { readonly dialect?: "haft" },
): Promise<Toolkit<BuiltinToolData>>;
export function createToolkit(options: ToolkitOptions): Promise<Toolkit>;
export async function createToolkit(options: ToolkitOptions = {}): Promise<Toolkit> {
  requireKnownOptions("createToolkit", options, Object.keys(TOOLKIT_OPTIONS));
  requireWeb(options.web);
  requireChoices(options);
  const { autonomy = DEFAULT_AUTONOMY, persist = true, backends = {}, schemes = {} } = options;
  requireTools(options.tools ?? []);
  const { policy, isDenied } = await toolkitPolicy(options);
  const dialect =
    typeof options.dialect === "string" ? await dialectNamed(options.dialect) : (options.dialect ?? haftDialect);
  const chosen = await settledTargets(options);
  const host = await hostOf(options, { policy, dialect, autonomy, persist });
  const registry = registryOf(options, dialect, { isDenied, chosen, host });
  const targets = new TargetSet(chosen, {
    backends,
    schemes,
    machine: host.machine,
    clock: host.services.clock,
    options: openOptions(options, host),
  });
  let closing: Promise<SessionEnd> | undefined;
  const contextOf = contextFactory(options, {
    host,
    targets,
    dialect,
    isClosed: () => closing !== undefined,
  });
  const sessions = new ToolkitSessions({ host, targets, registry, contextOf });
  const schedules = toolkitSchedules({
    host: host.services,
    autonomy,
    targets,
    session: (owner) => sessions.of(undefined, owner === undefined ? {} : { owner }),
  });
  const toolkit: Toolkit = {
    registry,
    dialect,
    host: host.services,
    approvals: host.services.state.approvals,
    schedules,
    session: (id, about) => sessions.of(id, about),
    box(collection) {
      const session = sessions.of(options.session);
      return withOwnedContext(
        session.box(collection),
        options.session === undefined ? session.close : async () => NOTHING_LEFT,
      );
    },
    sessions: () => sessions.all(),
    changes: async () => (await import("./changed-calls.js")).changedCalls(host.services),
    undo: async (request = {}) => (await import("./undo.js")).undoCalls(request, host.services, targets.all),
    startTerminal: async () => (await (await targets.first.open()).startTerminal?.()) ?? {},
    takeReports: () => targets.takeReports(),
    forgetJobs: () => targets.forgetJobs(),
    close() {
      closing ??= schedules.stop().then(() => closeAll(sessions, targets, host));
      return closing;
    },
    [Symbol.asyncDispose]: async () => void (await toolkit.close()),
  };
  return toolkit;
}

/** The services of the host, with the policy that the dialect has where the options name none. */
async function hostOf(
  options: ToolkitOptions,
  {
    policy,
    dialect,
    autonomy,
    persist,
  }: { readonly policy: Policy; readonly dialect: Dialect; readonly autonomy: Autonomy; readonly persist: boolean },
): Promise<Host> {
  const preset = options.policy === undefined ? await presetOf(dialect, policy, options.web?.allowedHosts) : undefined;
  const rate = options.rate ?? preset?.rate;
  return createHost({
    ...options,
    policy: preset?.policy ?? policy,
    autonomy,
    persist,
    redactor: redactorOf(options),
    http: options.web?.http,
    web: httpOptions(options.web),
    fenceUntrusted: options.web?.fence === true,
    ...(rate === undefined ? {} : { rate }),
  });
}

/** What each target is opened with. */
function openOptions({ env, sandbox }: ToolkitOptions, { statePath }: Host): Omit<OpenBackendOptions, "cwd"> {
  return {
    ...(env === undefined ? {} : { env }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(statePath === undefined ? {} : { stateDir: statePath }),
  };
}

/** The built-in tools that the host can serve and those of its own, without what a rule denies. */
function registryOf(
  { gate, yieldMs, toolSettings, tools = [], web, backends }: ToolkitOptions,
  dialect: Dialect,
  {
    isDenied,
    chosen,
    host,
  }: {
    readonly isDenied: (tool: string) => boolean;
    readonly chosen: readonly ChosenTarget[];
    readonly host: Host;
  },
): Toolkit["registry"] {
  const denied = builtinTools.filter(({ name }) => isDenied(name));
  const registry = builtinRegistry(dialect, {
    ...(gate === undefined ? {} : { gate }),
    ...(yieldMs === undefined ? {} : { yieldMs }),
    search: searchProviders(web),
    severalTargets: chosen.length > 1,
    terminal: chosen.some((one) => hasTerminal(one, backends)),
    schedules: host.services.state.schedules !== undefined,
    memories: host.services.state.memories !== undefined,
    tools: { ...toolSettings, ...Object.fromEntries(denied.map(({ name }) => [name, false])) },
  });
  try {
    registry.registerAll(tools.filter(({ name }) => !isDenied(name)));
  } catch (error) {
    host.close();
    throw error;
  }
  return registry;
}

/** Closes every part, even if others fail. @throws what failed, as one error */
async function closeAll(sessions: ToolkitSessions, targets: TargetSet, host: Host): Promise<SessionEnd> {
  // An unnamed session cannot be resumed: what is stored of its jobs is deleted while its backends are open.
  const unnamed = await sessions.closeUnnamed();
  // Commands first: what they still print belongs to the sessions' artifacts.
  const closed = await Promise.allSettled([targets.close().then((left) => ({ left }))]);
  const named = await sessions.closeAll();
  host.close();
  return { left: leftOfAll([...closed, ...unnamed, ...named]) };
}

const NOTHING_LEFT: SessionEnd = Object.freeze({ left: [] });
