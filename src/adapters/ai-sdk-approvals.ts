/** Approvals of the AI SDK: who has approved a call is read from its messages, never from what a model sent. */
import { type Approver, BoundedMap, BoundedSet, isRecord, type ToolBox } from "../kernel/index.js";
import { approvedBy, isSameJson, MAX_ASKED, sortedJson, touchesIfAsked } from "./sdk-approval.js";

/** A call; `given` is its input as it stands in the messages of the SDK. */
export interface CallId {
  readonly id: string;
  readonly name: string;
  readonly given: unknown;
  readonly input: unknown;
}

const MAX_ASKED_OF_ID = 20;

type Part = Readonly<Record<string, unknown>>;

export class AiSdkApprovals {
  /**
   * What the calls would touch that the user was asked about, by name and id, and by input: some models number their calls, so that
   * two conversations have the same ids. Of a name and id that are not here, the messages alone decide.
   */
  readonly #asked = new BoundedMap<string, BoundedMap<string, string>>(MAX_ASKED);
  readonly #used = new BoundedSet<unknown>(MAX_ASKED);

  constructor(private readonly box: Pick<ToolBox, "explain">) {}

  /** Whether the policy asks about the call. The SDK asks this again when it runs an approved call. */
  async needsApproval(call: CallId, messages: readonly unknown[] = []): Promise<boolean> {
    if (userApprovalOf(call, messages) !== undefined) return true;
    const touches = await touchesIfAsked(this.box, call);
    if (touches === undefined) return false;
    const ofId = this.#asked.get(keyOf(call)) ?? new BoundedMap<string, string>(MAX_ASKED_OF_ID);
    ofId.set(sortedJson(call.given), touches);
    this.#asked.set(keyOf(call), ofId);
    return true;
  }

  /** Answers once for a user who has approved the call in the SDK; undefined where the messages do not show that. */
  approverOf(call: CallId, messages: readonly unknown[] = []): Approver | undefined {
    const approval = userApprovalOf(call, messages);
    if (approval === undefined || this.#used.has(approval.id)) return undefined;
    const asked = this.#asked.get(keyOf(call));
    const touches = asked?.get(sortedJson(call.given));
    // The messages show an input that the user was not asked about.
    if (asked !== undefined && touches === undefined) return undefined;
    this.#used.add(approval.id);
    asked?.delete(sortedJson(call.given));
    return approvedBy("ai-sdk", touches);
  }
}

function keyOf({ name, id }: CallId): string {
  return JSON.stringify([name, id]);
}

/**
 * The user's approval of this call in the last message. The request and the call must be in one message of the assistant, both only
 * once, and the call with this very input: a model that sends two calls under one id has neither of them approved.
 */
export function userApprovalOf(
  { id, name, given }: CallId,
  messages: readonly unknown[],
): { readonly id: unknown } | undefined {
  const answers = partsOf(messages.at(-1), "tool");
  const isAbout = (part: Part, type: string) => part.type === type && part.toolCallId === id;
  if (id === "" || answers.some((part) => isAbout(part, "tool-result"))) return undefined;
  const asked = messages.flatMap((message) => {
    const parts = partsOf(message, "assistant");
    const requests = parts.filter((part) => isAbout(part, "tool-approval-request"));
    return requests.map(({ approvalId }) => ({
      approvalId,
      parts,
      answers: answers.filter((part) => part.type === "tool-approval-response" && part.approvalId === approvalId),
    }));
  });
  const [answered, ...others] = asked.filter((one) => one.answers.length > 0);
  if (answered === undefined || others.length > 0) return undefined;
  const [call, ...sameId] = answered.parts.filter((part) => isAbout(part, "tool-call"));
  const requests = answered.parts.filter((part) => isAbout(part, "tool-approval-request"));
  const isApproved =
    call?.toolName === name &&
    sameId.length === 0 &&
    requests.length === 1 &&
    isSameJson(call.input, given) &&
    answered.answers.every((part) => part.approved === true);
  return isApproved ? { id: answered.approvalId } : undefined;
}

function partsOf(message: unknown, role: string): readonly Part[] {
  return isRecord(message) && message.role === role && Array.isArray(message.content)
    ? message.content.filter(isRecord)
    : [];
}
