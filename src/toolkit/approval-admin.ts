/** The requests for approval in a state directory, for whoever decides on them from another process. */
import type { ApprovalDecision, Approvals, StoredApproval } from "../kernel/index.js";
import type { StateAdminOptions } from "./state-admin.js";

/** Decisions are written to the audit log. */
export interface ApprovalAdmin extends Pick<Approvals, "list"> {
  /** Whether the decision holds now; false for a request that was used, decided or has expired meanwhile. */
  decide(one: StoredApproval, decision: ApprovalDecision, by: string): Promise<boolean>;
  /** Deletes what was approved for projects, so that users are asked again. Returns for how many. */
  forgetProjects(): Promise<number>;
  close(): Promise<void>;
}

/** The name of decisions in the audit log, in place of a tool's. */
const AUDITED_AS = "approvals";

/** Reading creates no files. */
export async function approvalAdmin(options: StateAdminOptions = {}): Promise<ApprovalAdmin> {
  const [{ sha256, systemIds }, { fileAudit }, { openEmbedded }] = await Promise.all([
    import("../host/index.js"),
    import("../stores/files/index.js"),
    import("./open-state.js"),
  ]);
  const { state, directory, forgetApprovedProjects } = await openEmbedded(options.stateDir, options.store);
  const audit = fileAudit(directory);
  return {
    list: (filter) => state.approvals.list(filter),
    forgetProjects: forgetApprovedProjects,
    async decide({ request, call }, decision, by) {
      const { token } = request;
      const input = JSON.stringify({ token, tool: call.tool, by, ...decision });
      const id = await audit.begin({
        callId: systemIds.next("decision"),
        sessionId: call.session,
        tool: AUDITED_AS,
        backend: request.call.target,
        ...(request.call.spec === undefined ? {} : { spec: request.call.spec }),
        workspace: request.call.workspace,
        inputDigest: sha256(input),
        input,
      });
      const holds = await state.approvals.decide(token, decision);
      const approval = "denied" in decision ? "denied" : "granted";
      await audit.end(id, {
        status: holds ? "ok" : "failed",
        tookMs: 0,
        ...(holds ? { approver: by, approval, rule: request.rule } : {}),
      });
      return holds;
    },
    async close() {
      audit.close();
      await state.close();
    },
  };
}
