/** Asks the user of an MCP client whether a call may run, with a form that the client shows. */
import { randomUUID } from "node:crypto";
import type { InputResponseView, ServerContext } from "@modelcontextprotocol/server";
import {
  type Approval,
  type ApprovalDecision,
  type ApprovalRequest,
  type Approver,
  DEFAULT_APPROVAL_TIMEOUT_MS,
  type Documents,
  isRecord,
  type Json,
  messageOf,
} from "../../kernel/index.js";
import { approvalText } from "../approval-text.js";

/** What a form shows of a command, a diff or arguments: clients show it in a small window. */
const MAX_BODY_LINES = 100;
const MAX_BODY_CHARACTERS = 8_000;
const MAX_CLIENT_NAME = 100;
/** Forms whose answer is awaited; the oldest is forgotten first, and its answer then asks again. */
const MAX_ISSUED = 1_000;

/** The key of the form in an input-required result. */
export const APPROVAL_KEY = "approval";

const LABELS = {
  once: "Yes, once",
  session: "Yes, and for the rest of this session",
  project: "Yes, and from now on in this project",
  no: "No",
} as const;
type Answer = keyof typeof LABELS;

/** Whether a client shows forms. Without a mode it means forms. */
export function canElicit(capabilities: unknown): boolean {
  if (!isRecord(capabilities) || !isRecord(capabilities.elicitation)) return false;
  const { form, url } = capabilities.elicitation;
  return form !== undefined || url === undefined;
}

/** The user as the audit log names them. */
export function clientUser(info: unknown): string {
  const name = isRecord(info) && typeof info.name === "string" && info.name !== "" ? info.name : "an MCP client";
  return `the user of ${name.slice(0, MAX_CLIENT_NAME)}`;
}

/** The parameters of `elicitation/create`. */
export function approvalForm(request: ApprovalRequest) {
  const answers = answersTo(request);
  return {
    mode: "form" as const,
    message: messageFor(request),
    requestedSchema: {
      type: "object" as const,
      properties: {
        answer: {
          type: "string" as const,
          title: "Allow it?",
          enum: [...answers],
          enumNames: answers.map((one) => LABELS[one]),
        },
      },
      required: ["answer"],
    },
  };
}

/** Anything but an accepted form with one of its answers is a denial. */
export function approvalFrom(
  result: { readonly action?: unknown; readonly content?: unknown },
  request: ApprovalRequest,
  by: string,
): Exclude<Approval, { pending: true }> {
  if (result.action === "decline") return { denied: "The user declined it." };
  if (result.action === "cancel") return { denied: "The user closed the question without an answer." };
  const answer = result.action === "accept" && isRecord(result.content) ? result.content.answer : undefined;
  if (answer === "no") return { denied: "The user did not allow it." };
  const scope = answersTo(request).find((one) => one === answer);
  if (scope === undefined || scope === "no")
    return { denied: "The client returned no valid answer of the user, and nothing runs without one." };
  return { by, scope };
}

/** For clients that are asked while the call waits. A client that disconnects has not allowed it. */
export function elicitingApprover({ mcpReq }: ServerContext, by: string): Approver {
  return {
    async ask(request, { signal, timeoutMs = DEFAULT_APPROVAL_TIMEOUT_MS }) {
      const io = { timeout: timeoutMs, ...(signal === undefined ? {} : { signal }) };
      try {
        const params = approvalForm(request);
        return approvalFrom(await mcpReq.send({ method: "elicitation/create", params }, io), request, by);
      } catch (error) {
        return { denied: `The client did not ask its user: ${messageOf(error)}` };
      }
    },
  };
}

/** For clients that are asked by the result of the call, which they then repeat with the answer. */
export const asksByResult: Approver = Object.freeze({ ask: async () => ({ pending: true as const }) });

interface Issued {
  readonly request: ApprovalRequest;
  readonly session: string;
  /** Milliseconds since the epoch. */
  readonly issuedMs: number;
}

/**
 * The forms that calls have ended with, by an unguessable state that the client returns with the answer. The state is no consent:
 * it only says which stored request the answer is for, once, in the session that asked. The kernel compares the call itself.
 */
export class IssuedForms {
  readonly #issued: Forms;

  /** @param documents - Where the forms are kept of several servers that answer for each other. Default: in this process. */
  constructor(documents?: () => Promise<Documents>) {
    this.#issued = documents === undefined ? new FormsHere() : new StoredForms(documents);
  }

  async issue(request: ApprovalRequest, session: string): Promise<string> {
    const state = randomUUID();
    await this.#issued.put(state, { request, session, issuedMs: Date.now() });
    return state;
  }

  /** What the user decided, and on which request; undefined for a call that answers no form, which is then asked about. */
  async answered(
    state: unknown,
    session: string,
    view: InputResponseView,
    by: string,
  ): Promise<{ readonly token: string; readonly decision: ApprovalDecision } | undefined> {
    if (typeof state !== "string") return undefined;
    const issued = await this.#issued.take(state, session);
    if (issued === undefined) return undefined;
    const { token } = issued.request;
    if (isLate(issued))
      return { token, decision: { denied: `It was not approved within ${DEFAULT_APPROVAL_TIMEOUT_MS} ms.` } };
    const approval = approvalFrom(view.kind === "elicit" ? view : {}, issued.request, by);
    if ("denied" in approval) return { token, decision: approval };
    const scope = approval.scope === "once" ? {} : { scope: approval.scope };
    return { token, decision: { granted: approval.by, ...scope } };
  }
}

const isLate = ({ issuedMs }: Issued) => Math.abs(Date.now() - issuedMs) > DEFAULT_APPROVAL_TIMEOUT_MS;

interface Forms {
  put(state: string, one: Issued): Promise<void>;
  /** Once, and only for the session that was asked. */
  take(state: string, session: string): Promise<Issued | undefined>;
}

class FormsHere implements Forms {
  readonly #issued = new Map<string, Issued>();

  async put(state: string, one: Issued): Promise<void> {
    this.#issued.set(state, one);
    for (const oldest of this.#issued.keys()) {
      if (this.#issued.size <= MAX_ISSUED) break;
      this.#issued.delete(oldest);
    }
  }

  async take(state: string, session: string): Promise<Issued | undefined> {
    const one = this.#issued.get(state);
    if (one?.session !== session) return undefined;
    this.#issued.delete(state);
    return one;
  }
}

class StoredForms implements Forms {
  readonly #documents: () => Promise<Documents>;

  constructor(documents: () => Promise<Documents>) {
    this.#documents = documents;
  }

  async put(state: string, one: Issued): Promise<void> {
    const documents = await this.#documents();
    for await (const { key, value } of documents.list())
      if (isLate(value as unknown as Issued)) await documents.update(key, () => undefined);
    await documents.update(state, () => one as unknown as Json);
  }

  async take(state: string, session: string): Promise<Issued | undefined> {
    // A client may return anything, also what cannot be a key.
    if (!/^[0-9a-f-]{36}$/.test(state)) return undefined;
    const documents = await this.#documents();
    let taken: Issued | undefined;
    await documents.update(state, (old) => {
      const one = old as unknown as Issued | undefined;
      taken = one?.session === session ? one : undefined;
      return taken === undefined ? old : undefined;
    });
    return taken;
  }
}

/** What was not shown whole is allowed once at most. */
function answersTo(request: ApprovalRequest): readonly Answer[] {
  const { body, rows } = approvalText(request);
  const isWhole = [body, ...rows.map(({ lines }) => lines)].every((lines) => bounded(lines).length === lines.length);
  return request.canRemember === true && isWhole ? ["once", "session", "project", "no"] : ["once", "no"];
}

function messageFor(request: ApprovalRequest): string {
  const { title, body, rows } = approvalText(request);
  return [
    title,
    "",
    ...bounded(body).map((line) => `    ${line}`),
    "",
    ...rows.map(({ name, lines }) => `${name}: ${bounded(lines).join("\n    ")}`),
  ].join("\n");
}

function bounded(lines: readonly string[]): readonly string[] {
  let characters = 0;
  const shown: string[] = [];
  for (const line of lines.slice(0, MAX_BODY_LINES)) {
    const rest = MAX_BODY_CHARACTERS - characters;
    if (line.length > rest) {
      shown.push(`${line.slice(0, rest)}…`, "(the rest of this text is not shown)");
      return shown;
    }
    shown.push(line);
    characters += line.length;
  }
  return lines.length > MAX_BODY_LINES
    ? [...shown, `(${lines.length - MAX_BODY_LINES} more lines are not shown)`]
    : shown;
}
