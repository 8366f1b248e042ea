/** The decision of a policy with these rules. */
import type { Claim, Decision } from "../../kernel/index.js";
import { POLICY_CALL } from "../../testing/policy-call.fixture.js";
import { autonomyPolicy } from "../autonomy-policy.js";
import type { Autonomy } from "../index.js";
import type { PolicyRule } from "./index.js";

interface Given {
  readonly autonomy?: Autonomy;
  readonly tool?: string;
}

export function decide(
  rules: readonly (string | PolicyRule)[],
  claims: readonly Claim[],
  { autonomy = "supervised", tool = "bash" }: Given = {},
): Decision {
  return autonomyPolicy({ rules }).decide(claims, { ...POLICY_CALL, tool, autonomy });
}

export const command = (text: string): Claim => ({ kind: "command", command: text, cwd: "/ws" });
