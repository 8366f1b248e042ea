/** An approver for one user: calls of one turn ask at the same time, and one answer must not be taken for two questions. */
import type { Approval } from "./claims.js";
import type { Approver } from "./services.js";

/**
 * Asks `approver` one question at a time, in the order in which calls ask, as a user at a terminal needs it. The time for an answer
 * counts from when the call asked, so it may be over before the question is shown: then it is not shown. A question is over when it
 * is answered or its call has ended, and `approver` must stop asking then, which `signal` says.
 */
export function oneAtATime(approver: Approver): Approver {
  let before: Promise<unknown> = Promise.resolve();
  return {
    ask(request, io) {
      const turn = before;
      const answer = turn.then((): Approval | Promise<Approval> =>
        io.signal?.aborted === true
          ? { denied: "The call ended before its question was shown." }
          : approver.ask(request, io),
      );
      before = turn.then(() => Promise.race([answer.catch(() => undefined), abortOf(io.signal)]));
      return answer;
    },
    pendingHint: (token) => approver.pendingHint?.(token),
  };
}

function abortOf(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    else signal?.addEventListener("abort", () => resolve(), { once: true });
  });
}
