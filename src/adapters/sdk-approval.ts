/** Approvals that the user of an SDK gives: what is the same for each SDK. */
import { type Approver, HaftError, isRecord, type ToolBox, type ToolCall } from "../kernel/index.js";

/**
 * Who is asked about a call that the policy asks about. "sdk": the user, by the SDK, and an answer holds for exactly this call, once.
 * "box": the approver of the box.
 */
export type ApprovalsOption = "sdk" | "box";

/** Whether the SDK asks, which is the default. @throws `CONFIG_INVALID` for another value than the two. */
export function asksBySdk(caller: string, approvals: ApprovalsOption = "sdk"): boolean {
  if (approvals === "sdk" || approvals === "box") return approvals === "sdk";
  const message = `\`approvals\` of \`${caller}\` must be "sdk" or "box", not ${JSON.stringify(approvals)}.`;
  throw new HaftError("CONFIG_INVALID", message, { details: { option: "approvals" } });
}

/** Calls of which it is remembered what they would touch between the question and the answer; an older one counts as asked about by another process. */
export const MAX_ASKED = 1_000;

type Explainer = Pick<ToolBox, "explain">;

/**
 * A digest of what the call would touch, where the policy asks about it; "" where that is not known. A call that cannot be explained
 * is not asked about: it does not run without an approval, and its result says why.
 */
export async function touchesIfAsked(box: Explainer, call: ToolCall): Promise<string | undefined> {
  const explained = await box.explain(call).catch(() => undefined);
  return explained?.needsApproval === true ? (explained.request?.touches ?? "") : undefined;
}

/** Answers for the user of the SDK `by`, who has approved the call. `touches`: as when the user was asked, by this process. */
export function approvedBy(by: string, touches: string | undefined): Approver {
  return {
    ask: async (request) =>
      touches === undefined || touches === request.touches ? { by, scope: "once" } : { denied: CHANGED },
  };
}

const CHANGED =
  "What it would touch has changed since the user approved it, for example where a symlink leads. Send the call again to ask anew.";

/** Whether two values are the same JSON, in whatever order their properties are: a store may have changed it. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return sortedJson(one) === sortedJson(other);
}

/** JSON with the properties of objects in order. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isRecord(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
