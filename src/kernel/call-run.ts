/** One call on its way through the pipeline: what each stage has found out so far. */

import { resolvePath } from "../text/index.js";
import type { Backend } from "./backend.js";
import { type CallLifetime, callLifetime } from "./call-lifetime.js";
import type { Claim, Decision, Grant } from "./claims.js";
import type { ClaimContext, HostContext } from "./context.js";
import { cancelOf } from "./create-context.js";
import { HaftError, messageOf } from "./errors.js";
import { type CallStatus, fail, type ToolResult } from "./result.js";
import type { DefinedTool, ToolCall } from "./tool.js";

/** How a call ends, from whichever stage. */
export interface Ending {
  readonly status: CallStatus;
  readonly result: ToolResult;
  readonly inputRequired?: { readonly token: string; readonly ask: unknown };
}

/** What a stage comes to: the end of the call, or nothing, and the next one has its turn. */
export type Step = Ending | undefined;

/** Mutable on purpose: it belongs to one call and dies with it. */
export interface CallRun {
  readonly tool: DefinedTool;
  readonly call: ToolCall;
  readonly context: HostContext;
  /** Cancels the call; undefined where nobody can. */
  readonly cancel: AbortSignal | undefined;
  /** What the tool reaches beside its backend; over once the call is. */
  readonly life: CallLifetime;
  readonly startedMs: number;
  /** The arguments as JSON text; the message of the error where they are not JSON data. */
  readonly inputJson: string;
  /** Why the arguments are not JSON data. Such a call is audited and refused. */
  readonly notPlain: string | undefined;
  inputDigest: string;
  audit: string;
  /** The arguments after repair, in the words of the dialect. */
  args: Readonly<Record<string, unknown>>;
  /** What the tool itself takes. */
  input: unknown;
  limits: unknown;
  backend: Backend;
  cwd: string;
  notes: string[];
  claims: readonly Claim[];
  decision: Decision | undefined;
  grant: Grant | undefined;
  approver: string | null;
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
    startedMs: context.host.clock.now(),
    inputJson: input.json,
    notPlain: input.problem,
    inputDigest: "",
    audit: "",
    args: {},
    input: undefined,
    limits: tool.body.limits,
    backend: context.backend,
    cwd: context.cwd,
    notes: [],
    claims: [],
    decision: undefined,
    grant: undefined,
    approver: null,
    settleRate: undefined,
  };
}

/** A private copy of the arguments, so that what is audited, judged and run is the same. */
function plainCopy(value: unknown): { readonly value: unknown; readonly json: string; readonly problem?: string } {
  try {
    const json = JSON.stringify(value) ?? "null";
    return { json, value: typeof value === "object" ? JSON.parse(json) : value };
  } catch (thrown) {
    const problem = messageOf(thrown);
    return { value: undefined, json: problem, problem };
  }
}

/** Where a call works and within what limits: all of the view but the session, which costs something to make. */
export function realPlaceOf(run: CallRun): Omit<ClaimContext, "session"> {
  const { backend, cwd } = run;
  return {
    cwd,
    home: backend.home,
    workspace: run.context.workspace,
    backend: { name: backend.name, flags: backend.flags },
    limits: run.limits,
    resolve: (path) => resolvePath(cwd, path, backend.home),
  };
}

/** The read-only view of a call for `claims`. */
export function presenceOf(run: CallRun): ClaimContext {
  return {
    ...realPlaceOf(run),
    get session() {
      return run.life.session;
    },
  };
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

/** Anything thrown, as the result that it is. A fault that is not ours keeps its message and loses its stack. */
export function resultOfThrown(thrown: unknown, toolName: string): ToolResult {
  if (HaftError.is(thrown)) {
    const hint = thrown.hint === undefined ? "" : ` ${thrown.hint}`;
    return fail(thrown.code, thrown.message + hint, { details: thrown.details });
  }
  return fail("CALL_THREW", `\`${toolName}\` failed: ${messageOf(thrown)}`, { details: { thrown: messageOf(thrown) } });
}
