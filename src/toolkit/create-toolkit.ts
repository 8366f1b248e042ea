/** The one place where tools, dialects, backends, stores and policy come together. */
import { haftDialect } from "../dialects/haft/haft-dialect.js";
import type { Autonomy, Policy, SessionEnd } from "../kernel/index.js";
import { allowAllPolicy } from "../policy/index.js";
import type { BuiltinToolData } from "../tools/index.js";
import { builtinRegistry } from "./builtin-registry.js";
import { requireChoices, requireKnown, requireTools } from "./check-options.js";
import { contextFactory } from "./context-factory.js";
import { dialectNamed } from "./dialect-named.js";
import { createHost, type Host } from "./host-services.js";
import { leftOfAll } from "./left-of-all.js";
import { withOwnedContext } from "./owned-box.js";
import { redactorOf } from "./redactor-of.js";
import { settledTargets } from "./settled-targets.js";
import { TargetSet } from "./target-set.js";
import type { Toolkit } from "./toolkit.js";
import { TOOLKIT_OPTIONS, type ToolkitOptions } from "./toolkit-options.js";
import { ToolkitSessions } from "./toolkit-sessions.js";

/**
 * Puts a toolkit together. Nothing is opened, written or started before the first call on a target; an
 * unwritable state directory is reported by the first call that needs it (`STORE_UNWRITABLE`).
 *
 * @throws `CONFIG_INVALID` for an unknown option, choice, dialect or target, for a workspace that is relative or, on this machine, not
 *   there; `REGISTRY_INVALID_TOOL` for what `defineTool` did not make, and for two tools of one name; `STORE_NEWER` for a state
 *   directory that a newer version has written.
 * @example See README.md.
 */
export function createToolkit(
  options?: ToolkitOptions & { readonly dialect?: "haft" },
): Promise<Toolkit<BuiltinToolData>>;
export function createToolkit(options: ToolkitOptions): Promise<Toolkit>;
export async function createToolkit(options: ToolkitOptions = {}): Promise<Toolkit> {
  requireKnown(options, Object.keys(TOOLKIT_OPTIONS));
  requireChoices(options);
  const { autonomy = "full", persist = true, tools = [], backends = {}, schemes = {} } = options;
  requireTools(tools);
  const dialect =
    typeof options.dialect === "string" ? await dialectNamed(options.dialect) : (options.dialect ?? haftDialect);
  const registry = builtinRegistry(dialect, {
    ...(options.gate === undefined ? {} : { gate: options.gate }),
    ...(options.yieldMs === undefined ? {} : { yieldMs: options.yieldMs }),
    ...(options.toolSettings === undefined ? {} : { tools: options.toolSettings }),
  });
  registry.registerAll(tools);
  const chosen = await settledTargets(options);
  const { policy, prepare } = await policyOf(options.policy, autonomy);
  const redactor = redactorOf(options);
  const host = await createHost({ ...options, policy, autonomy, persist, redactor });
  const targets = new TargetSet(chosen, {
    backends,
    schemes,
    machine: host.machine,
    clock: host.services.clock,
    options: {
      ...(options.env === undefined ? {} : { env: options.env }),
      ...(host.statePath === undefined ? {} : { stateDir: host.statePath }),
    },
  });
  let closing: Promise<SessionEnd> | undefined;
  const contextOf = contextFactory(options, {
    host,
    targets,
    dialect,
    isClosed: () => closing !== undefined,
  });
  const sessions = new ToolkitSessions({ host, targets, registry, preparePolicy: prepare, contextOf });
  const toolkit: Toolkit = {
    registry,
    dialect,
    host: host.services,
    approvals: host.services.state.approvals,
    session: (id, about) => sessions.of(id, about?.owner),
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
    takeReports: () => targets.takeReports(),
    forgetJobs: () => targets.forgetJobs(),
    close() {
      closing ??= closeAll(sessions, targets, host);
      return closing;
    },
    [Symbol.asyncDispose]: async () => void (await toolkit.close()),
  };
  return toolkit;
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

/** A policy and what loads the rest of it, for the level that a session gets. */
interface PreparedPolicy {
  readonly policy: Policy;
  prepare(level: Autonomy): Promise<void>;
}

/** What parses commands is loaded only where it is needed: at once for a level below "full", else when a session gets one. */
async function policyOf(own: Policy | undefined, autonomy: Autonomy): Promise<PreparedPolicy> {
  if (own !== undefined) return { policy: own, prepare: async () => {} };
  const all = allowAllPolicy();
  let loaded: Policy | undefined;
  const prepare = async (level: Autonomy) => {
    if (level === "full") return;
    const { autonomyPolicy } = await import("../policy/autonomy-policy.js");
    loaded ??= autonomyPolicy();
  };
  await prepare(autonomy);
  return {
    prepare,
    policy: Object.freeze<Policy>({
      name: "autonomy",
      decide: (claims, call) => (call.autonomy === "full" ? all : (loaded ?? POLICY_NOT_LOADED)).decide(claims, call),
    }),
  };
}

const POLICY_NOT_LOADED: Policy = Object.freeze({
  name: "not-loaded",
  decide: () => ({
    effect: "deny" as const,
    rule: "policy-not-loaded",
    risk: "high" as const,
    reason: "The level of this session has just been set, and its policy is still being loaded.",
    next: "Repeat the call.",
  }),
});
