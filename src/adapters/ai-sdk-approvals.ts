/** Approvals of the AI SDK: who has approved a call is read from its messages, never from what a model sent. */
import { type Approver, BoundedMap, type Claim, isRecord, type ToolBox } from "../kernel/index.js";

/** A call; `given` is its input as it stands in the messages of the SDK. */
export interface CallId {
  readonly id: string;
  readonly name: string;
  readonly given: unknown;
  readonly input: unknown;
}

type Part = Readonly<Record<string, unknown>>;

/** Calls whose claims are remembered between the question and the answer; of an older one, the messages alone decide. */
const MAX_ASKED = 1_000;

const CHANGED =
  "What it would touch has changed since the user approved it, for example where a symlink leads. Send the call again to ask anew.";

export class SdkApprovals {
  readonly #asked = new BoundedMap<string, { readonly given: unknown; readonly claims: readonly Claim[] }>(MAX_ASKED);

  constructor(private readonly box: Pick<ToolBox, "explain">) {}

  /** Whether the policy asks about the call. The SDK asks this again when it runs an approved call. */
  async needsApproval(call: CallId, messages: readonly unknown[] = []): Promise<boolean> {
    if (isApproved(call, messages)) return true;
    // What cannot be explained is not asked about: the call itself reports why, and does not run without an approval.
    const explained = await this.box.explain(call).catch(() => undefined);
    if (explained?.needsApproval !== true) return false;
    this.#asked.set(call.id, { given: call.given, claims: explained.claims });
    return true;
  }

  /** Answers for a user who has approved the call in the SDK; undefined where the messages do not show that. */
  approverOf(call: CallId, messages: readonly unknown[] = []): Approver | undefined {
    if (!isApproved(call, messages)) return undefined;
    const asked = this.#asked.get(call.id);
    const claims = asked !== undefined && sameJson(asked.given, call.given) ? asked.claims : undefined;
    return {
      ask: async (request) => {
        // Claims in a request are redacted: where they differ for that reason, they are compared as the policy judges them.
        const isSame =
          claims === undefined ||
          sameJson(request.claims, claims) ||
          sameJson((await this.box.explain(call))?.claims, claims);
        return isSame ? { by: "ai-sdk", scope: "once" } : { denied: CHANGED };
      },
    };
  }
}

/**
 * Whether the last message has the user's approval of this call. The request and the call must be in one message of the assistant, both
 * only once, and the call with this very input: a model that sends two calls under one id has neither of them approved.
 */
export function isApproved({ id, name, given }: CallId, messages: readonly unknown[]): boolean {
  const answers = partsOf(messages.at(-1), "tool");
  const isAbout = (part: Part, type: string) => part.type === type && part.toolCallId === id;
  if (answers.some((part) => isAbout(part, "tool-result"))) return false;
  const asked = messages.flatMap((message) => {
    const parts = partsOf(message, "assistant");
    const requests = parts.filter((part) => isAbout(part, "tool-approval-request"));
    return requests.map(({ approvalId }) => ({
      parts,
      answers: answers.filter((part) => part.type === "tool-approval-response" && part.approvalId === approvalId),
    }));
  });
  const [answered, ...others] = asked.filter((one) => one.answers.length > 0);
  if (answered === undefined || others.length > 0) return false;
  const [call, ...sameId] = answered.parts.filter((part) => isAbout(part, "tool-call"));
  const requests = answered.parts.filter((part) => isAbout(part, "tool-approval-request"));
  return (
    call?.toolName === name &&
    sameId.length === 0 &&
    requests.length === 1 &&
    sameJson(call.input, given) &&
    answered.answers.every((part) => part.approved === true)
  );
}

function partsOf(message: unknown, role: string): readonly Part[] {
  return isRecord(message) && message.role === role && Array.isArray(message.content)
    ? message.content.filter(isRecord)
    : [];
}

/** Whether two values are the same JSON, whatever the order of their properties: a store may have changed it. */
function sameJson(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => sameJson(item, other[index]));
  if (!isRecord(one) || !isRecord(other)) return Object.is(one, other);
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && sameJson(one[name], other[name]))
  );
}
