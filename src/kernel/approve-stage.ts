/** Gets the approval of a call for which the policy says "ask". */

import { approvalProblem, storedProblem, takenProblem } from "./answer-problem.js";
import { approvalRequest } from "./approval-request.js";
import { approvedCall, keysOnTarget, REMEMBERED_ANSWER, scopesOf, textsOnTarget, touchesOf } from "./approved-call.js";
import { type CallRun, cancelledBeforeStart, type Ending, ended, type Step } from "./call-run.js";
import type { Approval, Decision } from "./claims.js";
import { decide } from "./decide-stage.js";
import { callSafely, HaftError, messageOf } from "./errors.js";
import { readBasis } from "./read-beforehand.js";
import { fail, type ToolResult } from "./result.js";
import type { ApprovalRequest, Approver } from "./services.js";
import type { ApprovalScope, Approvals, ApprovedCall, StoredApproval, TakenApproval } from "./state.js";
import { after, withTimeout } from "./with-timeout.js";

type Asked = Extract<Decision, { effect: "ask" }>;

/** Arguments of a model are never consent: only a user, a host callback or an earlier answer of theirs approves an "ask". */
export function approve(run: CallRun): Step | Promise<Step> {
  const token = run.call.resume ?? undefined; // null counts as absent
  const asked = run.decision?.effect === "ask" ? run.decision : undefined;
  return token === undefined && asked === undefined ? undefined : answered(run, asked, token);
}

async function answered(run: CallRun, asked: Asked | undefined, token: string | undefined): Promise<Step> {
  try {
    return await approvalOf(run, asked, token);
  } catch (thrown) {
    if (thrown !== CANCELLED) throw thrown;
    run.approval = "cancelled";
    return cancelledBeforeStart(run.tool.name);
  }
}

async function approvalOf(run: CallRun, asked: Asked | undefined, token: string | undefined): Promise<Step> {
  const refused = await readBasis(run);
  if (refused !== undefined) return refused;
  const call = await approvedCall(run);
  if (token !== undefined) {
    if (run.basis !== undefined) run.askedMs = await askedOf(run, token);
    const taken = await take(run, token, call);
    if (taken.state !== "granted") return notGranted(run, taken);
    return asked && granted(run, asked, call, taken);
  }
  if (asked === undefined) return undefined;
  if (await isRemembered(run, asked)) {
    run.approver = REMEMBERED_ANSWER;
    run.approval = "remembered";
    run.approved = call;
    return undefined;
  }
  const stored = await storedAnswer(run, call);
  if (stored?.state === "granted") return granted(run, asked, call, stored);
  if (stored !== undefined) return notGranted(run, stored);
  if (approverOf(run) !== undefined) return requestApproval(run, asked, call);
  run.approval = "no-approver";
  return ended("denied", withoutApprover(asked, run.tool.name));
}

/**
 * Decides once more on a call that was approved, on where everything leads by now: while it waited, the user may have changed the
 * level, and anybody a symlink. An approval does not lift a denial, and is for what was shown only; what the policy has come to
 * allow by itself needs none.
 */
export function confirm(run: CallRun): Step | PromiseLike<Step> {
  const { approved } = run;
  return approved === undefined ? undefined : after(decide(run), (denied) => denied ?? requireSame(run, approved));
}

async function requireSame(run: CallRun, { touches }: ApprovedCall): Promise<Step> {
  if (run.decision?.effect !== "ask") return undefined;
  return (
    (await readBasis(run)) ??
    ((await touchesOf(run)) === touches ? undefined : notGranted(run, { state: "different-place" }))
  );
}

/** Whether the call would be asked about: the policy says "ask", and no earlier answer is remembered or can be read. */
export async function needsApproval(run: CallRun): Promise<boolean> {
  if (run.decision?.effect !== "ask") return false;
  return !(await isRemembered(run, run.decision).catch(() => false));
}

function approverOf({ context }: CallRun): Approver | undefined {
  return context.approver ?? context.host.approver;
}

/**
 * What was decided on an earlier request of exactly this call: a model sends the same call again without a token. Undefined where
 * there is none; what cannot be read counts as none, so that the user is asked again.
 */
async function storedAnswer(run: CallRun, call: ApprovedCall): Promise<TakenApproval | undefined> {
  const isSame = (one: ApprovedCall) =>
    one.tool === call.tool && one.digest === call.digest && one.touches === call.touches;
  const stored = await storedCalls(run);
  for (const one of stored.filter((one) => isSame(one.call))) {
    const taken = await take(run, one.request.token, call);
    if (taken.state === "granted" && run.basis !== undefined) run.askedMs = askedAt(one);
    if (taken.state === "granted" || taken.state === "denied" || taken.state === "pending") return taken;
  }
  return undefined;
}

async function storedCalls(run: CallRun): Promise<readonly StoredApproval[]> {
  const session = run.context.session.id;
  const stored = await inStore(run, async (approvals) => {
    try {
      return await approvals.list({ session });
    } catch {
      return [] satisfies readonly StoredApproval[];
    }
  });
  requireValid("list", storedProblem(stored));
  return stored;
}

/** When the user was asked. What is not found was too long ago for any time that counts from it. */
async function askedOf(run: CallRun, token: string): Promise<number> {
  const one = (await storedCalls(run)).find(({ request }) => request.token === token);
  return one === undefined ? 0 : askedAt(one);
}

/** Of a request that an earlier version has stored, when that was. */
function askedAt({ call, createdMs }: StoredApproval): number {
  return call.askedMs ?? createdMs;
}

async function take(run: CallRun, token: string, call: ApprovedCall): Promise<TakenApproval> {
  const taken = await inStore(run, (approvals) => approvals.take(token, call));
  requireValid("take", takenProblem(taken));
  return taken;
}

/** Milliseconds that the state may take for one answer. */
const STATE_TIMEOUT_MS = 10_000;
const CANCELLED = new Error("The call was cancelled.");

/**
 * What the state answers. Without an answer in time nothing runs, and a cancelled call does not wait for one.
 * @throws `STORE_CONFLICT` when it does not answer, `CANCELLED`, and what the state does.
 */
async function inStore<T>(run: CallRun, work: (approvals: Approvals) => Promise<T>): Promise<T> {
  const { clock, state } = run.context.host;
  if (run.cancel?.aborted === true) throw CANCELLED;
  return withTimeout<T>(
    { clock, ms: STATE_TIMEOUT_MS, signal: run.cancel },
    async () => work(state.approvals),
    (why) => {
      if (why === "cancelled") throw CANCELLED;
      throw refusedByStore(`the state did not answer within ${STATE_TIMEOUT_MS} ms`);
    },
  );
}

function requireValid(method: "list" | "take", problem: string | undefined): void {
  if (problem !== undefined) throw refusedByStore(`the state gave an invalid answer to \`${method}\`: ${problem}`);
}

function refusedByStore(why: string): HaftError {
  return new HaftError("STORE_CONFLICT", `Nothing runs without the approvals that are stored, and ${why}.`);
}

async function granted(
  run: CallRun,
  decision: Asked,
  call: ApprovedCall,
  { by, scope }: Omit<Extract<TakenApproval, { state: "granted" }>, "state">,
  scopes = scopesOf(run),
): Promise<undefined> {
  run.approver = by;
  run.approval = "granted";
  run.approved = call;
  if (scope !== undefined) await remember(run, decision, scopes[scope], by);
}

function withoutApprover({ reason, rule, risk, next }: Asked, toolName: string): ToolResult {
  const step = next === undefined ? "" : ` ${next}`;
  const message = `Did not run \`${toolName}\`: ${reason} It needs an approval, and no user can be asked here.${step}`;
  return fail("POLICY_APPROVAL_REQUIRED", message, { details: { rule, risk, hint: NO_APPROVER } });
}

const NO_APPROVER = "Pass `approver` to `createToolkit`: it is asked about such calls.";

function notGranted(run: CallRun, taken: Exclude<TakenApproval, { state: "granted" }>): Ending {
  if (taken.state === "pending") return waitingFor(run, taken.request);
  run.approval = taken.state === "denied" ? "denied" : "invalid";
  const reason = taken.state === "denied" ? taken.reason : NOT_GRANTED[taken.state];
  return ended(
    "denied",
    fail("POLICY_DENIED", `Did not run \`${run.tool.name}\`: ${reason}`, { details: { rule: "approval" } }),
  );
}

const NOT_GRANTED = {
  unknown: "The approval token is unknown or already used. Send the call without `resume` to ask again.",
  "different-call":
    "The approval is for another call: the tool, the session or the input differs. Send exactly the approved call, in the session that asked.",
  "different-place":
    "The call would touch something other than what was approved: a symlink, the workspace, the working directory, the schedule, or the environment or stdin of a command has changed. Send the call without `resume` to ask again.",
} as const;

async function requestApproval(run: CallRun, decision: Asked, call: ApprovedCall): Promise<Ending | undefined> {
  // While the user is asked, the session may end, and another one of its name begin.
  const scopes = scopesOf(run);
  const request = await approvalRequest(run, decision);
  const answer = await answerOf(run, request);
  if ("denied" in answer) {
    const status = run.cancel?.aborted === true ? "cancelled" : "denied";
    run.approval ??= "denied";
    return ended(
      status,
      fail("POLICY_DENIED", `Did not run \`${run.tool.name}\`: ${answer.denied}`, {
        details: { rule: decision.rule, deniedBy: "approver" },
      }),
    );
  }
  if ("pending" in answer) {
    await inStore(run, (approvals) => approvals.add({ request, call }));
    return waitingFor(run, request);
  }
  const { by, scope } = answer;
  const isLonger = scope !== "once" && request.canRemember === true;
  return granted(run, decision, call, isLonger ? { by, scope } : { by }, scopes);
}

/** What cannot be read counts as not remembered: the user is asked again. */
async function isRemembered(run: CallRun, { remember = [] }: Asked): Promise<boolean> {
  if (remember.length === 0) return false;
  const { session, project } = scopesOf(run);
  const keys = await digests(run, remember);
  return inStore(run, async (approvals) => {
    try {
      return (await approvals.remembered({ ...session, ...project }, keys)) === true;
    } catch {
      return false;
    }
  });
}

/** Keys may contain secrets, such as those of a command. As JSON, because UTF-8 has no lone surrogates: two keys would be one. */
function digests(run: CallRun, keys: readonly string[]): Promise<string[]> {
  return Promise.all(keysOnTarget(run, keys).map((key) => run.context.host.digest(key)));
}

/** The user has allowed the call, so it runs also where that cannot be remembered. */
async function remember(
  run: CallRun,
  { remember: keys = [], rememberedText = [] }: Asked,
  scope: ApprovalScope,
  by: string,
): Promise<void> {
  try {
    const allowed = await digests(run, keys);
    await inStore(run, (approvals) => approvals.remember(scope, allowed, by));
    const text = textsOnTarget(run, rememberedText);
    if (keys.length > 0) run.remembered = { scope: "session" in scope ? "session" : "project", text };
  } catch (thrown) {
    if (thrown === CANCELLED) throw thrown;
    const message = `The approval was not remembered for the ${"session" in scope ? "session" : "project"}: ${messageOf(thrown)}`;
    callSafely(() => run.context.onEvent?.({ kind: "notice", message, callId: run.call.id }));
  }
}

/** How long an approver may take unless the host says otherwise. */
export const DEFAULT_APPROVAL_TIMEOUT_MS = 120_000;

/** A timeout denies the call, and so does anything but a valid answer. */
async function answerOf(run: CallRun, request: ApprovalRequest): Promise<Approval> {
  const { clock, approvalTimeoutMs: ms = DEFAULT_APPROVAL_TIMEOUT_MS } = run.context.host;
  const silence = new AbortController();
  const unanswered = (why: "late" | "cancelled"): Approval => {
    silence.abort();
    run.approval = why === "cancelled" ? "cancelled" : "timeout";
    return {
      denied:
        why === "cancelled"
          ? "The call was cancelled while it waited for approval."
          : `It was not approved within ${ms} ms.`,
    };
  };
  if (run.cancel?.aborted === true) return unanswered("cancelled");
  try {
    const ask = () => approverOf(run)!.ask(request, { signal: silence.signal, timeoutMs: ms });
    const answer = await withTimeout<Approval>({ clock, ms, signal: run.cancel }, ask, unanswered);
    const problem = approvalProblem(answer);
    return problem === undefined
      ? answer
      : { denied: `The approver returned an invalid answer, and nothing runs without a valid one: ${problem}.` };
  } catch (thrown) {
    const why = messageOf(thrown).replace(/\.$/, "");
    return { denied: `The approver failed, and nothing runs without an answer: ${why}.` };
  }
}

function waitingFor(run: CallRun, request: ApprovalRequest): Ending {
  run.approval = "pending";
  const { token, reason, rule } = request;
  const { target } = request.call;
  // Paths in the reason are those of the target.
  const on = target === "local" ? "" : ` on "${target}"`;
  const hint = approverOf(run)?.pendingHint?.(token);
  const next =
    hint === undefined
      ? `Send the same call again once it is granted; its token is "${token}".`
      : `${hint} Then send the same call again.`;
  const message = `Did not run \`${run.tool.name}\`${on} yet: approval is pending. ${reason} ${next}`;
  return {
    status: "input-required",
    result: fail("POLICY_APPROVAL_REQUIRED", message, { details: { token, rule } }),
    inputRequired: request,
  };
}
