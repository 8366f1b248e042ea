/**
 * The path of one call. Each stage lets the call continue or ends it. Audit is outermost, so every call has an audit entry.
 *
 *   coerce, target ▸ audit ▸ cancelled? ▸ repair, validate, decode ▸ open ▸ claims ▸ decide ▸ reserve rate ▸ approve
 *          ▸ confirm ▸ run ▸ redact ▸ render ▸ clamp
 */

import { approvalRequest } from "./approval-request.js";
import { approve, confirm, needsApproval } from "./approve-stage.js";
import { auditBegin, auditEnd } from "./audit-call.js";
import {
  allClaims,
  type CallRun,
  cancelledBeforeStart,
  type Ending,
  ended,
  newRun,
  resultOfThrown,
  type Step,
} from "./call-run.js";
import type { Claim, Decision } from "./claims.js";
import type { HostContext } from "./context.js";
import { DEFAULT_DEADLINE_MS } from "./deadline.js";
import { decide, reserveRate, stateClaims } from "./decide-stage.js";
import { callSafely, HaftError, ignoreRejection } from "./errors.js";
import { openTargets } from "./open-stage.js";
import { outcomeOf } from "./outcome.js";
import { chooseTarget, prepare } from "./prepare-stage.js";
import { readBasis } from "./read-beforehand.js";
import { fail, type ToolResult } from "./result.js";
import { execute } from "./run-stage.js";
import type { ApprovalRequest } from "./services.js";
import type { DefinedTool, ToolCall } from "./tool.js";
import type { ToolOutcome } from "./tool-outcome.js";
import type { Validator } from "./validate.js";
import { after, withTimeout } from "./with-timeout.js";

/** Runs one call from arguments to outcome. Rejects only for a cancel in a dialect that wants cancelled calls to reject. */
export async function runCall(
  tool: DefinedTool,
  validate: Validator,
  call: ToolCall,
  context: HostContext,
): Promise<ToolOutcome> {
  const outcome = await audited(tool, call, context, chooseTarget, (run, chosen) => settle(run, validate, chosen));
  if (tool.dialect?.hardCancelRejects !== true) return outcome;
  const { aborted, reason } = context.signal;
  if (aborted && isHard(reason)) throw reason;
  return outcome;
}

/** A call that never reaches a tool, such as one of an unknown name: recorded and answered like any other. */
export async function refuseCall(
  tool: DefinedTool,
  call: ToolCall,
  context: HostContext,
  ending: () => Ending,
): Promise<ToolOutcome> {
  const noChoice = () => undefined;
  return audited(tool, call, context, noChoice, (run) => endingOf(run, async () => ending()));
}

async function audited(
  tool: DefinedTool,
  call: ToolCall,
  context: HostContext,
  choose: (run: CallRun) => Step,
  work: (run: CallRun, chosen: Step) => Promise<Ending>,
): Promise<ToolOutcome> {
  const run = newRun(tool, call, context);
  const chosen = choose(run);
  const auditFailure = await auditBegin(run);
  const ending = auditFailure ?? (await work(run, chosen));
  run.life.end();
  const outcome = await outcomeOf(run, ending);
  if (auditFailure === undefined) await auditEnd(run, outcome);
  callSafely(() => ignoreRejection(run.settleRate?.(ending.status === "ok")));
  return outcome;
}

function settle(run: CallRun, validate: Validator, chosen: Step): Promise<Ending> {
  return endingOf(
    run,
    async () =>
      cancelledBefore(run) ??
      unusable(run) ??
      chosen ??
      (await inTime(run, () => untilDecided(run, validate))) ??
      reserveRate(run) ??
      (await approve(run)) ??
      (await inTime(run, () => confirm(run))) ??
      (await execute(run)),
  );
}

async function endingOf(run: CallRun, work: () => Promise<Ending>): Promise<Ending> {
  try {
    return await work();
  } catch (thrown) {
    return ended("failed", resultOfThrown(thrown, run.tool.name));
  }
}

/** The result of `work`, or the ending of a call that was cancelled or waited `DEFAULT_DEADLINE_MS` before that. */
async function inTime(run: CallRun, work: () => Step | PromiseLike<Step>): Promise<Step> {
  const { name } = run.tool;
  const bound = { clock: run.context.host.clock, ms: DEFAULT_DEADLINE_MS, signal: run.cancel };
  const late = () => {
    const opening = [run, run.source].find((one) => one?.isOpening === true);
    const what = opening
      ? `the target "${opening.target.name}" did not open`
      : run.approved
        ? "its paths were not resolved"
        : "the tool did not state its claims";
    return `Stopped \`${name}\` before it began: ${what} within ${DEFAULT_DEADLINE_MS} ms.`;
  };
  return withTimeout<Step>(bound, work, (why) =>
    why === "cancelled" ? cancelledBeforeStart(name) : ended("timed-out", fail("CALL_TIMEOUT", late())),
  );
}

/** Schemas, hooks and claims may be third-party code. They touch nothing, so a cancelled call does not wait for them. */
function untilDecided(run: CallRun, validate: Validator): Step | PromiseLike<Step> {
  return after(beforeClaims(run, validate), (stopped) =>
    after(stopped ?? openTargets(run), (unopened) =>
      after(unopened ?? stateClaims(run), (refused) => refused ?? decide(run)),
    ),
  );
}

function cancelledBefore(run: CallRun): Ending | undefined {
  return run.cancel?.aborted === true ? cancelledBeforeStart(run.tool.name) : undefined;
}

/** The ending of every call in a context that has a problem. */
function unusable({ context: { problem }, tool }: CallRun): Ending | undefined {
  if (problem === undefined) return undefined;
  const status = HaftError.is(problem, "POLICY_DENIED") ? "denied" : "failed";
  return ended(status, resultOfThrown(problem, tool.name));
}

function beforeClaims(run: CallRun, validate: Validator): Step | PromiseLike<Step> {
  return after(prepare(run, validate), (stopped) => {
    if (stopped !== undefined) return stopped;
    const hook = run.context.host.hooks?.beforeClaims;
    const input = hook === undefined ? run.input : hook({ tool: run.tool.name, input: run.input });
    return after(input, (own) => {
      run.input = frozen(own);
      return undefined;
    });
  });
}

/** The claims and the decision of a call, without auditing, asking or running anything. */
export async function explainCall(
  tool: DefinedTool,
  validate: Validator,
  call: ToolCall,
  context: HostContext,
): Promise<Explanation> {
  const run = newRun(tool, call, context);
  const stopped = await inTime(run, () => unusable(run) ?? chooseTarget(run) ?? untilDecided(run, validate)).catch(
    (thrown: unknown) => ended("failed", resultOfThrown(thrown, tool.name)),
  );
  const isAsked = stopped === undefined && (await needsApproval(run));
  const request = isAsked ? await shownRequest(run) : undefined;
  run.life.end();
  return {
    tool: tool.name,
    effect: tool.effect,
    target: run.target.name,
    workspace: run.workspace,
    input: run.input,
    repairs: run.notes,
    claims: allClaims(run),
    ...(run.decision === undefined ? {} : { decision: run.decision }),
    needsApproval: isAsked,
    ...(request === undefined ? {} : { request }),
    ...(stopped === undefined ? {} : { stopped: stopped.result }),
  };
}

/** Undefined where the redactor fails: then nothing is shown, and the call itself would not ask. */
async function shownRequest(run: CallRun): Promise<Explanation["request"]> {
  if (run.decision?.effect !== "ask") return undefined;
  try {
    await readBasis(run);
    const { token: _, ...request } = await approvalRequest(run, run.decision);
    return request;
  } catch {
    return undefined;
  }
}

/** What a call would touch and how policy would decide, without running it. */
export interface Explanation {
  readonly tool: string;
  readonly effect: DefinedTool["effect"];
  /** The name of the target. */
  readonly target: string;
  /** On the target; empty where that is not known, since it could not be opened. */
  readonly workspace: string;
  readonly input: unknown;
  readonly repairs: readonly string[];
  readonly claims: readonly Claim[];
  /** Absent if the call ended before. */
  readonly decision?: Decision;
  /** The policy asks, and no approval that was remembered for the session or the project settles it. */
  readonly needsApproval: boolean;
  /** With `needsApproval`: what an approver would get, redacted, with the preview of what the call would do. */
  readonly request?: Omit<ApprovalRequest, "token">;
  /** Why the call would end before it runs. */
  readonly stopped?: ToolResult;
}

function frozen(value: unknown): unknown {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array || Object.isFrozen(value))
    return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

function isHard(reason: unknown): boolean {
  return typeof reason === "object" && reason !== null && (reason as { hard?: unknown }).hard === true;
}
