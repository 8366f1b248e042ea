/** Who lets a call pass that policy asks about: a user, a host callback, or an earlier answer of theirs. */

import { type CallRun, type Ending, ended } from "./call-run.js";
import type { Approval, Decision } from "./claims.js";
import { isRecord } from "./coerce.js";
import { policyCallOf, refusal } from "./decide-stage.js";
import { fail } from "./result.js";
import type { ApprovalRequest } from "./services.js";

/** A model's argument is never consent: only a user, a host callback or an earlier answer of theirs lets an "ask" pass. */
export async function approve(run: CallRun): Promise<Ending | undefined> {
  const { decision, context } = run;
  const { host, session } = context;
  const token = run.call.resume ?? undefined; // null counts as absent
  const resumed = token === undefined ? undefined : resume(run, token);
  if (resumed !== undefined && "status" in resumed) return resumed;
  if (decision?.effect !== "ask") return undefined;
  if (resumed !== undefined) {
    run.approver = resumed.by;
    return undefined;
  }
  if (host.approvals.isRemembered(session.id, decision.remember)) {
    run.approver = "remembered";
    return undefined;
  }
  if (host.approver === undefined) return ended("denied", refusal(decision, "POLICY_APPROVAL_REQUIRED", run.tool.name));
  return requestApproval(run, decision);
}

function resume(run: CallRun, token: string): Ending | { readonly by: string } {
  const { approvals } = run.context.host;
  const answer = approvals.resume(token, {
    tool: run.tool.name,
    sessionId: run.context.session.id,
    inputDigest: run.inputDigest,
    touches: touchesOf(run),
  });
  if (answer.state === "granted") return { by: answer.by };
  if (answer.state === "waiting") return waitingFor(answer.request, run.tool.name);
  return ended(
    "denied",
    fail("POLICY_DENIED", `Did not run \`${run.tool.name}\`: ${answer.reason}`, { details: { rule: "approval" } }),
  );
}

async function requestApproval(
  run: CallRun,
  decision: Extract<Decision, { effect: "ask" }>,
): Promise<Ending | undefined> {
  const { host, session } = run.context;
  const request: ApprovalRequest = {
    token: host.ids.next("approval"),
    call: policyCallOf(run),
    claims: run.claims,
    rule: decision.rule,
    risk: decision.risk,
    reason: decision.reason,
  };
  const answer = await withApprovalTimeout(run, request);
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
    host.approvals.add(request, { inputDigest: run.inputDigest, touches: touchesOf(run) });
    return waitingFor(request, run.tool.name);
  }
  run.approver = answer.by;
  if (answer.scope !== "once") host.approvals.remember(session.id, decision.remember);
  return undefined;
}

/** What a user approves, in one text: the same input touches something else once a symlink or the working directory has changed. */
function touchesOf(run: CallRun): string {
  return JSON.stringify([run.backend.name, run.claims]);
}

/** A timeout denies the call, and so does anything but a valid answer. */
async function withApprovalTimeout(run: CallRun, request: ApprovalRequest): Promise<Approval> {
  const { host } = run.context;
  const { cancel } = run;
  const timeoutMs = host.approvalTimeoutMs ?? 120_000;
  const silence = new AbortController();
  const stopTimer = host.clock.timer(timeoutMs, () => silence.abort());
  const stop = () => silence.abort();
  cancel?.addEventListener("abort", stop, { once: true });
  const noAnswer = new Promise<{ denied: string }>((resolve) => {
    silence.signal.addEventListener("abort", () =>
      resolve({
        denied:
          cancel?.aborted === true
            ? "The call was cancelled while it waited for approval."
            : `It was not approved within ${timeoutMs} ms.`,
      }),
    );
  });
  if (cancel?.aborted === true) stop();
  try {
    const answer = await Promise.race([host.approver!.ask(request, { signal: silence.signal, timeoutMs }), noAnswer]);
    return isApproval(answer)
      ? answer
      : { denied: "The approver returned an invalid answer, and nothing runs without a valid one." };
  } catch {
    return { denied: "The approver failed, and nothing runs without an answer." };
  } finally {
    stopTimer();
    cancel?.removeEventListener("abort", stop);
  }
}

const SCOPES: readonly unknown[] = ["once", "session", "project"];

function isApproval(answer: unknown): answer is Approval {
  if (!isRecord(answer)) return false;
  if ("denied" in answer || "pending" in answer)
    return typeof answer.denied === "string" || typeof answer.pending === "string";
  return typeof answer.by === "string" && SCOPES.includes(answer.scope);
}

function waitingFor(request: ApprovalRequest, toolName: string): Ending {
  const message = `Did not run \`${toolName}\` yet: approval is pending (${request.reason}) Send the same call again with the token "${request.token}" once it has been granted.`;
  return {
    status: "input-required",
    result: fail("POLICY_APPROVAL_REQUIRED", message, { details: { token: request.token, rule: request.rule } }),
    inputRequired: {
      token: request.token,
      ask: { rule: request.rule, risk: request.risk, reason: request.reason, claims: request.claims },
    },
  };
}
