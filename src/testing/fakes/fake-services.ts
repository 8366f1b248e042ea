/** Deterministic services of a host. */
import type { Approval, ApprovalRequest, Approver, Audit, AuditBegin, AuditEnd, Ids } from "../../kernel/index.js";

/** "call-1", "call-2", "job-3": one count for all kinds. Guessable, so for tests only. */
export function sequentialIds(): Ids {
  let count = 0;
  return {
    next(kind) {
      count += 1;
      return `${kind}-${count}`;
    },
  };
}

/** An approver that returns scripted answers and records its requests. */
export interface ScriptedApprover extends Approver {
  /** The requests so far. */
  readonly requests: readonly ApprovalRequest[];
}

/** Returns the answers in order, or the result of a function; denies when there are no more. */
export function scriptedApprover(
  answers: readonly (Approval | ((request: ApprovalRequest) => Approval))[],
): ScriptedApprover {
  const requests: ApprovalRequest[] = [];
  return {
    requests,
    async ask(request) {
      const answer = answers[requests.length] ?? { denied: "No answer was scripted for this question." };
      requests.push(request);
      return typeof answer === "function" ? answer(request) : answer;
    },
  };
}

/** One call as it was recorded. */
export interface AuditRecord {
  readonly id: string;
  readonly begin: AuditBegin;
  /** Absent while the call runs. */
  readonly end?: AuditEnd;
}

/** An audit that a test can read. */
export interface RecordingAudit extends Audit {
  readonly entries: readonly AuditRecord[];
}

/** Records every entry. Rejects an end without a begin, and a second end. */
export function recordingAudit(): RecordingAudit {
  const entries: AuditRecord[] = [];
  return {
    entries,
    async begin(begin) {
      const id = `audit-${entries.length + 1}`;
      entries.push({ id, begin });
      return id;
    },
    async end(id, end) {
      const index = entries.findIndex((entry) => entry.id === id);
      const entry = entries[index];
      if (entry === undefined) throw new Error(`The audit entry "${id}" was never begun.`);
      if (entry.end !== undefined) throw new Error(`The audit entry "${id}" has ended already.`);
      entries[index] = { ...entry, end };
    },
  };
}
