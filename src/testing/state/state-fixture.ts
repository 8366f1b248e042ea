/** The fixture of the state suite, and what its cases share. */
import type { ApprovalRequest, ApprovedCall, State } from "../../kernel/index.js";
import type { Case } from "../plan.js";

/** What a case of the state suite works on. */
export interface StateFixture {
  /**
   * One more connection to the same state, empty at first, as another process would have it. A store that no other process can
   * share returns the same state each time.
   */
  open(): Promise<State>;
  /** Milliseconds since the epoch that the state takes for the present; `advance` moves it on. */
  advance(ms: number): void;
  dispose(): Promise<void>;
}

/** A case over two connections to the same state. */
export function onState(
  id: string,
  behavior: string,
  run: (state: State, other: State, fixture: StateFixture) => Promise<void>,
): Case<StateFixture> {
  return {
    id: `state:${id}`,
    behavior,
    run: async (fixture) => run(await fixture.open(), await fixture.open(), fixture),
  };
}

/** A request as the pipeline makes it, and the call that it is bound to. */
export function approvalOf(
  token: string,
  more: Partial<ApprovedCall> = {},
): { readonly request: ApprovalRequest; readonly call: ApprovedCall } {
  const call = { tool: "write", session: "s1", digest: "d1", touches: "t1", ...more };
  return {
    call,
    request: {
      token,
      call: {
        callId: "c1",
        tool: call.tool,
        effect: "write",
        target: "local",
        sessionId: call.session,
        cwd: "/ws",
        workspace: "/ws",
        home: "/home/t",
        autonomy: "full",
        sandboxed: false,
        taint: [],
      },
      claims: [{ kind: "file", path: "/ws/a", access: ["write"], scope: "self" }],
      rule: "writes",
      risk: "medium",
      reason: "It writes.",
      arguments: { path: "a", content: "x" },
    },
  };
}
