/** What waits for an approval when its session ends. */
import type { Approvals } from "../kernel/index.js";

/** Denies and deletes the requests of a session: no call of it can use them any more. What cannot be deleted expires. @returns How many there were. */
export async function forgetRequests(approvals: Approvals, session: string): Promise<number> {
  const requests = await approvals.list({ session }).catch(() => []);
  for (const { request, call } of requests) {
    await approvals.decide(request.token, { denied: "Its session has ended." }).catch(() => false);
    await approvals.take(request.token, call).catch(() => undefined);
  }
  return requests.length;
}
