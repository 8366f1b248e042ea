/** Gets the approval of a call for which the policy says "ask". */

import { approvalProblem } from "./answer-problem.js";
import { approvalRequest } from "./approval-request.js";
import { type CallRun, type Ending, ended } from "./call-run.js";
import type { Approval, Decision } from "./claims.js";
import { callSafely, messageOf } from "./errors.js";
import { fail, type ToolResult } from "./result.js";
import type { ApprovalRequest } from "./services.js";
import type { ApprovalScope, ApprovedCall, ApprovedSession, TakenApproval } from "./state.js";
import { withTimeout } from "./with-timeout.js";

type Asked = Extract<Decision, { effect: "ask" }>;

/** Arguments of a model are never consent: only a user, a host callback or an earlier answer of theirs approves an "ask". */
export async function approve(run: CallRun): Promise<Ending | undefined> {
  const { decision } = run;
  const { host } = run.context;
  const token = run.call.resume ?? undefined; // null counts as absent
  if (token === undefined && decision?.effect !== "ask") return undefined;
  const taken = token === undefined ? undefined : await host.state.approvals.take(token, await approvedCall(run));
  if (taken !== undefined && taken.state !== "granted") return notGranted(run, taken);
  if (decision?.effect !== "ask") return undefined;
  if (taken !== undefined) {
    run.approver = taken.by;
    return undefined;
  }
  if (await isRemembered(run, decision)) {
    run.approver = "remembered";
    return undefined;
  }
  if (host.approver === undefined) return ended("denied", withoutApprover(decision, run.tool.name));
  return requestApproval(run, decision);
}

function withoutApprover({ reason, rule, risk, next }: Asked, toolName: string): ToolResult {
  const step = next === undefined ? "" : ` ${next}`;
  const message = `Did not run \`${toolName}\`: ${reason} It needs an approval, and no user can be asked here.${step}`;
  return fail("POLICY_APPROVAL_REQUIRED", message, { details: { rule, risk, hint: NO_APPROVER } });
}

const NO_APPROVER = "Pass `approver` to `createToolkit`: it is asked about such calls.";

function notGranted(run: CallRun, taken: Exclude<TakenApproval, { state: "granted" }>): Ending {
  if (taken.state === "pending") return waitingFor(taken.request, run.tool.name);
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
    "The call would touch something other than what was approved: a symlink, the workspace, the working directory, or the environment or stdin of a command has changed. Send the call without `resume` to ask again.",
} as const;

async function requestApproval(run: CallRun, decision: Asked): Promise<Ending | undefined> {
  const { state } = run.context.host;
  // While the user is asked, the session may end, and another one of its name begin.
  const scopes = scopesOf(run);
  const request = await approvalRequest(run, decision);
  const answer = await answerOf(run, request);
  if ("denied" in answer) {
    const status = run.cancel?.aborted === true ? "cancelled" : "denied";
    return ended(
      status,
      fail("POLICY_DENIED", `Did not run \`${run.tool.name}\`: ${answer.denied}`, {
        details: { rule: decision.rule, deniedBy: "approver" },
      }),
    );
  }
  if ("pending" in answer) {
    await state.approvals.add({ request, call: await approvedCall(run) });
    return waitingFor(request, run.tool.name);
  }
  run.approver = answer.by;
  if (answer.scope !== "once")
    await remember(run, decision, answer.scope === "session" ? scopes.session : scopes.project, answer.by);
  return undefined;
}

/**
 * What a user approves: the same input touches something else once a symlink, the workspace or the working directory has
 * changed, or what a command gets. The digest is of the claims as they are, so that two secrets differ.
 */
async function approvedCall(run: CallRun): Promise<ApprovedCall> {
  const { host, session } = run.context;
  const touches = await host.digest(
    JSON.stringify([targetOf(run), run.opened?.machine, realWorkspace(run), run.claims, ...lookedUp(run)]),
  );
  return { tool: run.tool.name, session: session.id, digest: run.inputDigest, touches };
}

/** Where the paths of a command lead, if it is elsewhere. */
function lookedUp({ files }: CallRun) {
  if (files === undefined) return [];
  const real = [...files.real].filter(([path, place]) => path !== place);
  return [...real, ...files.found];
}

/** A project is a workspace on a target, by its real path: an approval ends where a symlink is changed. */
function scopesOf(run: CallRun) {
  const { context } = run;
  const version = context.session.version();
  const session: ApprovedSession = { session: context.session.id, ...(version === undefined ? {} : { version }) };
  return { session, project: { project: `${targetOf(run)}:${realWorkspace(run)}` } };
}

/** What the target is, not its name: the same name can stand for another target in the next process. */
function targetOf({ target }: CallRun): string {
  return target.spec ?? target.name;
}

function realWorkspace({ opened, workspace }: CallRun): string {
  return opened?.realCwd !== undefined && workspace === opened.cwd ? opened.realCwd : workspace;
}

/** What cannot be read counts as not remembered: the user is asked again. */
async function isRemembered(run: CallRun, { remember = [] }: Asked): Promise<boolean> {
  if (remember.length === 0) return false;
  const { session, project } = scopesOf(run);
  try {
    return await run.context.host.state.approvals.remembered({ ...session, ...project }, await digests(run, remember));
  } catch {
    return false;
  }
}

/** Keys may contain secrets, such as those of a command. As JSON, because UTF-8 has no lone surrogates: two keys would be one. */
function digests(run: CallRun, keys: readonly string[]): Promise<string[]> {
  return Promise.all(keys.map((key) => run.context.host.digest(JSON.stringify(key))));
}

/** The user has allowed the call, so it runs also where that cannot be remembered. */
async function remember(run: CallRun, { remember: keys = [] }: Asked, scope: ApprovalScope, by: string): Promise<void> {
  try {
    await run.context.host.state.approvals.remember(scope, await digests(run, keys), by);
  } catch (thrown) {
    const message = `The approval was not remembered for the ${"session" in scope ? "session" : "project"}: ${messageOf(thrown)}`;
    callSafely(() => run.context.onEvent?.({ kind: "notice", message, callId: run.call.id }));
  }
}

/** How long an approver may take unless the host says otherwise. */
const DEFAULT_APPROVAL_TIMEOUT_MS = 120_000;

/** A timeout denies the call, and so does anything but a valid answer. */
async function answerOf(run: CallRun, request: ApprovalRequest): Promise<Approval> {
  const { clock, approver, approvalTimeoutMs: ms = DEFAULT_APPROVAL_TIMEOUT_MS } = run.context.host;
  const silence = new AbortController();
  const unanswered = (why: "late" | "cancelled"): Approval => {
    silence.abort();
    return {
      denied:
        why === "cancelled"
          ? "The call was cancelled while it waited for approval."
          : `It was not approved within ${ms} ms.`,
    };
  };
  if (run.cancel?.aborted === true) return unanswered("cancelled");
  try {
    const ask = () => approver!.ask(request, { signal: silence.signal, timeoutMs: ms });
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

function waitingFor(request: ApprovalRequest, toolName: string): Ending {
  const message = `Did not run \`${toolName}\` yet: approval is pending. ${request.reason} The program that made the call can send it again with \`resume: "${request.token}"\` once the approval is granted.`;
  return {
    status: "input-required",
    result: fail("POLICY_APPROVAL_REQUIRED", message, { details: { token: request.token, rule: request.rule } }),
    inputRequired: request,
  };
}
