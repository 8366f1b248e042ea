/** Pending approvals: stored by the host, granted by token, used once. */

import { BoundedMap } from "./bounded-collections.js";
import { HaftError } from "./errors.js";
import type { ApprovalRequest } from "./services.js";

/** What an approval is bound to beside its tool and session. */
export interface ApprovedCall {
  readonly inputDigest: string;
  /** Backend and claims, real places among them, as one text. */
  readonly touches: string;
}

interface Waiting {
  readonly request: ApprovalRequest;
  readonly of: ApprovedCall;
  state: "waiting" | { readonly by: string } | { readonly denied: string };
}

/** What became of a token that a call came back with. */
export type Resumed =
  | { readonly state: "granted"; readonly by: string }
  | { readonly state: "waiting"; readonly request: ApprovalRequest }
  | { readonly state: "denied"; readonly reason: string };

/** The most approvals that wait at once; the oldest is dropped, and its token is then unknown. */
const MAX_WAITING_APPROVALS = 1_000;
/** The most sessions whose lasting approvals are kept; the one that got its last longest ago is asked again. */
const MAX_REMEMBERING_SESSIONS = 10_000;

/**
 * The pending approvals of one host. A token stands for one tool, one session, one input and what it would touch: a call that comes back with
 * anything else is refused, and a granted token is gone after its first use.
 */
export class Approvals {
  readonly #waiting = new Map<string, Waiting>();
  readonly #remembered = new BoundedMap<string, Set<string>>(MAX_REMEMBERING_SESSIONS);

  /** For the pipeline: keeps a request that the approver has put off. */
  add(request: ApprovalRequest, of: ApprovedCall): void {
    const oldest = this.#waiting.keys().next();
    if (this.#waiting.size >= MAX_WAITING_APPROVALS && !oldest.done) this.#waiting.delete(oldest.value);
    this.#waiting.set(request.token, { request, of, state: "waiting" });
  }

  /** Every request that still waits for an answer. */
  list(): readonly ApprovalRequest[] {
    return [...this.#waiting.values()].filter((one) => one.state === "waiting").map((one) => one.request);
  }

  /**
   * Grants a request; the call runs when it is sent again with `resume`. `by` names the user or system for the record.
   * @throws `CONFIG_INVALID` when no such request waits: a refusal stands.
   */
  grant(token: string, by = "host"): void {
    const waiting = this.#find(token);
    if (waiting.state !== "waiting") throw notWaiting(token);
    waiting.state = { by };
  }

  /** Refuses a request, or takes a grant back that was not used yet. @throws `CONFIG_INVALID` when there is no such request. */
  deny(token: string, reason = "It was refused."): void {
    this.#find(token).state = { denied: reason };
  }

  /** For the pipeline: whether a user allowed all of these for the rest of the session. */
  isRemembered(sessionId: string, keys: readonly string[]): boolean {
    const known = this.#remembered.get(sessionId);
    return known !== undefined && keys.length > 0 && keys.every((key) => known.has(key));
  }

  /** For the pipeline: keeps what a user allowed for the rest of a session. */
  remember(sessionId: string, keys: readonly string[]): void {
    const known = this.#remembered.get(sessionId) ?? new Set();
    for (const key of keys) known.add(key);
    this.#remembered.set(sessionId, known);
  }

  /** Forgets what was allowed for a session that has ended. */
  forget(sessionId: string): void {
    this.#remembered.delete(sessionId);
  }

  /** For the pipeline: what became of the token of a call that is sent again. Uses it up when it was granted or refused. */
  resume(token: string, call: ApprovedCall & { readonly tool: string; readonly sessionId: string }): Resumed {
    const waiting = this.#waiting.get(token);
    if (waiting === undefined) {
      return {
        state: "denied",
        reason: "The approval token is unknown or already used. Send the call without `resume` to ask again.",
      };
    }
    const { request } = waiting;
    if (
      request.call.tool !== call.tool ||
      request.call.sessionId !== call.sessionId ||
      waiting.of.inputDigest !== call.inputDigest
    ) {
      return {
        state: "denied",
        reason:
          "The approval is for another call: the tool, the session or the input differs. Send exactly the approved call.",
      };
    }
    if (waiting.of.touches !== call.touches) {
      return {
        state: "denied",
        reason:
          "The call would touch something other than what was approved: a symlink, a directory or the working directory has changed. Send the call without `resume` to ask again.",
      };
    }
    if (waiting.state === "waiting") return { state: "waiting", request };
    this.#waiting.delete(token);
    if ("by" in waiting.state) return { state: "granted", by: waiting.state.by };
    return { state: "denied", reason: waiting.state.denied };
  }

  #find(token: string): Waiting {
    const waiting = this.#waiting.get(token);
    if (waiting === undefined) throw notWaiting(token);
    return waiting;
  }
}

function notWaiting(token: string): HaftError {
  return new HaftError(
    "CONFIG_INVALID",
    `No approval is pending for the token "${token}". \`approvals.list()\` lists the pending ones.`,
  );
}
