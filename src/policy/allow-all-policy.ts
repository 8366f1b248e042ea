/** The policy of a host that leaves all judgement to its backend or its sandbox. */
import { grantFor, type Policy } from "../kernel/index.js";

/** Allows whatever a call claims, and nothing that it does not claim: the ports still hold a call to its claims. */
export function allowAllPolicy(): Policy {
  return Object.freeze({
    name: "allow-all",
    decide: (claims, call) => ({
      effect: "allow",
      rule: "allow-all",
      risk: "low",
      reason: "This host allows every claim.",
      grant: grantFor(call.callId, claims),
    }),
  } satisfies Policy);
}
