/** The state of one call in the pipeline, filled in by its stages. */

import { resolvePath } from "../text/index.js";
import type { Backend } from "./backend.js";
import { CallEvents } from "./call-events.js";
import { type CallLifetime, callLifetime } from "./call-lifetime.js";
import type { Claim, Decision, Grant, Place } from "./claims.js";
import { type Coerced, coerceBag } from "./coerce.js";
import type { ClaimContext, HostContext, SourcePlace } from "./context.js";
import { cancelOf } from "./create-context.js";
import { HaftError, messageOf } from "./errors.js";
import { unclaimed } from "./guard.js";
import { type CallStatus, fail, type ToolResult } from "./result.js";
import type { AuditEnd, AuditedApproval, PolicyFiles } from "./services.js";
import type { ApprovedCall } from "./state.js";
import type { SourceTarget, Target } from "./target.js";
import type { DefinedTool, ToolCall } from "./tool.js";
import type { ToolOutcome } from "./tool-outcome.js";

/** How a call ends, in any stage. */
export interface Ending {
  readonly status: CallStatus;
  readonly result: ToolResult;
  readonly inputRequired?: NonNullable<ToolOutcome["inputRequired"]>;
}

/** The result of a stage: the end of the call, or undefined to continue with the next stage. */
export type Step = Ending | undefined;

/** Connections of one call that its audit entry lists. */
export const MAX_AUDITED_CONNECTIONS = 100;

/** Mutable on purpose: it belongs to one call. */
export interface CallRun {
  readonly tool: DefinedTool;
  readonly call: ToolCall;
  readonly context: HostContext;
  /** Cancels the call; undefined if it cannot be cancelled. */
  readonly cancel: AbortSignal | undefined;
  /** What the tool can use besides its backend; ends with the call. */
  readonly life: CallLifetime;
  readonly events: CallEvents;
  readonly startedMs: number;
  /** The arguments as JSON text; the message of the error where they cannot be converted. */
  readonly inputJson: string;
  /** The arguments as an object where that is possible. A call whose arguments have a problem is audited and refused. */
  readonly coerced: Coerced;
  inputDigest: string;
  audit: string;
  /** The arguments after repair, as the dialect names them. */
  args: Readonly<Record<string, unknown>>;
  /** The decoded input of the tool. */
  input: unknown;
  limits: unknown;
  /** Where the call runs: chosen with `on`, else the default. */
  target: Target;
  /** Undefined until the target is open; see `backendOf`. */
  opened: Backend | undefined;
  /** The call waits for its target to open. */
  isOpening: boolean;
  /** On the target. Before it is open, a guess for messages where nothing is known. */
  cwd: string;
  /** On the target; empty while it is not known. */
  workspace: string;
  /** The same call on the target that it reads from, with the claims and the grant there; undefined if that is its own. */
  source: CallRun | undefined;
  /** It is the source of another one. */
  readonly isSource: boolean;
  /** The arguments as an object, without those that choose targets. */
  bag: unknown;
  notes: string[];
  /** As the tool stated them. */
  stated: readonly Claim[];
  /** Those that are judged: without optional ones that do not pass, and with the real places that symlinks lead to. */
  claims: readonly Claim[];
  decision: Decision | undefined;
  grant: Grant | undefined;
  /** What the policy's lookups found. */
  files: PolicyFiles | undefined;
  /** Where claimed paths were found to lead, and what policy allowed there. */
  readonly realPlaces: Place[];
  /** Where the requests of the call could connect to: the first `MAX_AUDITED_CONNECTIONS`, and one more where there were more. */
  readonly connections: Extract<Claim, { kind: "network" }>[];
  /** A server has answered a request of the call. */
  isAnswered: boolean;
  approver: string | null;
  /** What became of the question; undefined where the call needed no approval. */
  approval: AuditedApproval | undefined;
  /** What the call was approved for; undefined where it needed no approval, or has none. */
  approved: ApprovedCall | undefined;
  /** What the call depends on beside what it touches, as its tool says (see `ToolSpec.basis`); undefined where that was not read. */
  basis: string | undefined;
  /** When the user was asked about it, by the clock of the state; undefined as `basis`. */
  askedMs: number | undefined;
  /** What this call's approval allows beyond it. */
  remembered: AuditEnd["remembered"] | undefined;
  settleRate: ((succeeded: boolean) => void) | undefined;
}

export function newRun(tool: DefinedTool, call: ToolCall, context: HostContext): CallRun {
  const input = plainCopy(call.input);
  const own = { ...call, id: call.id ?? context.host.ids.next("call"), input: input.value };
  return {
    tool,
    call: own,
    context,
    cancel: cancelOf(context),
    life: callLifetime(own.id, tool.name, context),
    events: new CallEvents(own.id, context),
    startedMs: context.host.clock.now(),
    inputJson: input.json,
    coerced: input.problem === undefined ? coerced(input.value) : notPlain(input.problem),
    inputDigest: "",
    audit: "",
    args: {},
    input: undefined,
    limits: tool.body.limits,
    target: context.target,
    opened: undefined,
    isOpening: false,
    cwd: context.cwd ?? "/",
    workspace: context.workspace ?? "",
    source: undefined,
    isSource: false,
    bag: undefined,
    notes: [],
    stated: [],
    claims: [],
    decision: undefined,
    grant: undefined,
    files: undefined,
    realPlaces: [],
    connections: [],
    isAnswered: false,
    approver: null,
    approval: undefined,
    approved: undefined,
    basis: undefined,
    askedMs: undefined,
    remembered: undefined,
    settleRate: undefined,
  };
}

/** A target that was chosen, and its directories as far as they are known before it is open. */
export function placeOn({ session }: HostContext, target: Target): Pick<CallRun, "target" | "cwd" | "workspace"> {
  return {
    target,
    cwd: session.cwd(target.name) ?? target.workspace ?? "/",
    workspace: target.workspace ?? "",
  };
}

export function sourceRun(run: CallRun, target: Target): CallRun {
  const { context } = run;
  const { cwd = "/", workspace = "" } = context;
  const place = target.name === context.target.name ? { target, cwd, workspace } : placeOn(context, target);
  return { ...run, ...place, isSource: true, opened: undefined, realPlaces: [] };
}

/** All claims of a call; those on its source target name it. */
export function allClaims({ claims, source }: CallRun): readonly Claim[] {
  if (source === undefined) return claims;
  const { name } = source.target;
  return [...claims, ...source.claims.map((claim) => (claim.kind === "file" ? { ...claim, target: name } : claim))];
}

/** The source target of a call, for what shows or stores the call. */
export function sourceTargetOf({ source }: CallRun): { readonly source?: SourceTarget } {
  if (source === undefined) return {};
  const { name, spec } = source.target;
  return { source: { target: name, ...(spec === undefined || spec === name ? {} : { spec }) } };
}

/** A private copy of the arguments, so that what is audited, judged and run is the same. */
function plainCopy(value: unknown): JsonText & { readonly value: unknown } {
  const written = toJson(value);
  if (written.problem !== undefined) return { ...written, value: undefined };
  return { ...written, value: typeof value === "object" ? JSON.parse(written.json) : value };
}

function coerced(input: unknown): Coerced {
  const one = coerceBag(input);
  // Arguments that came as text are bounded too.
  const problem = "problem" in one || one.value === input ? undefined : toJson(one.value).problem;
  return problem === undefined ? one : notPlain(problem);
}

function notPlain(problem: string): Coerced {
  return { problem: `the arguments cannot be converted to JSON: ${problem}` };
}

/** `problem` is why a value cannot be converted; `json` is then the same text. */
interface JsonText {
  readonly json: string;
  readonly problem?: string;
}

const MAX_ARGUMENT_DEPTH = 128;
const MAX_ARGUMENT_VALUES = 1_000_000;

/** Bounded while the text is built: a small object whose members share references can be gigabytes of JSON. */
export function toJson(value: unknown): JsonText {
  const holders: unknown[] = [];
  let values = 0;
  function bounded(this: unknown, _key: string, member: unknown): unknown {
    if (++values > MAX_ARGUMENT_VALUES) throw new Error(`they have more than ${MAX_ARGUMENT_VALUES} values`);
    while (holders.length > 0 && holders.at(-1) !== this) holders.pop();
    // JSON has no infinity: it would become null, and null counts as absent.
    if (typeof member === "number" && !Number.isFinite(member))
      throw new Error(`they contain the number ${member}, which JSON cannot express`);
    if (typeof member !== "object" || member === null) return member;
    if (holders.push(member) > MAX_ARGUMENT_DEPTH)
      throw new Error(`they are nested more than ${MAX_ARGUMENT_DEPTH} levels deep`);
    return member;
  }
  try {
    return { json: JSON.stringify(value, bounded) ?? "null" };
  } catch (thrown) {
    const problem = messageOf(thrown);
    return { json: problem, problem };
  }
}

/** Directories and limits of a call: all of the view but the session, which is expensive to create. */
export function claimContextBase(run: CallRun): Omit<ClaimContext, "session" | "clock"> {
  const { opened, target, cwd, workspace } = run;
  const home = homeOf(run);
  const names = Object.values(run.context.targets ?? {}).flatMap((one) => (one.terminal === true ? [one.name] : []));
  const terminals = names.length === 0 ? {} : { terminals: Object.freeze(names) };
  return {
    cwd,
    home,
    workspace,
    backend: Object.freeze({ name: target.name, flags: Object.freeze({ ...opened?.flags }), ...terminals }),
    limits: run.limits,
    ...(run.source === undefined ? {} : { source: sourcePlace(run.source) }),
    resolve: (path) => resolvePath(cwd, path, home),
  };
}

export function sourcePlace(source: CallRun): SourcePlace {
  const { target, cwd, workspace } = source;
  const home = homeOf(source);
  return Object.freeze({
    target: target.name,
    cwd,
    home,
    workspace,
    resolve: (path: string) => resolvePath(cwd, path, home),
  });
}

/** A tool that claims nothing may run before its target is open; where nothing is known by then, "/" is as good as any. */
export function homeOf({ opened, target }: Pick<CallRun, "opened" | "target">): string {
  return opened?.home ?? target.home ?? "/";
}

/** The backend of a call. @throws `CALL_UNCLAIMED` where it is not open: all calls wait for it but those that claim nothing. */
export function backendOf({ opened, target: { name } }: Pick<CallRun, "opened" | "target">): Backend {
  if (opened !== undefined) return opened;
  throw unclaimed(`use the target "${name}"`, { target: name }, "anything on it");
}

export function ended(status: CallStatus, result: ToolResult): Ending {
  return { status, result };
}

/** The ending of a call that was cancelled before anything of it ran. */
export function cancelledBeforeStart(toolName: string): Ending {
  return ended("cancelled", fail("CALL_CANCELLED", `Cancelled before ${toolName} could begin.`));
}

/** A refusal of the arguments. `problem` is a clause without its full stop. */
export function invalid(run: CallRun, problem: string, details: Readonly<Record<string, unknown>> = {}): Ending {
  const message = `Did not run \`${run.tool.name}\`: ${problem.replace(/\.$/, "")}.`;
  return ended("invalid", fail("CALL_INVALID", message, { details: { ...details, problem } }));
}

/** The result for anything thrown. A foreign error keeps its message and loses its stack. */
export function resultOfThrown(thrown: unknown, toolName: string): ToolResult {
  if (HaftError.is(thrown)) {
    const hint = thrown.hint === undefined ? "" : ` ${thrown.hint}`;
    return fail(thrown.code, thrown.message + hint, { details: thrown.details });
  }
  return fail("CALL_THREW", `\`${toolName}\` failed: ${messageOf(thrown)}`, { details: { thrown: messageOf(thrown) } });
}
