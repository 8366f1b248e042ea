import { afterEach, expect, it, vi } from "vitest";
import { systemIds } from "../../host/index.js";
import type { ApprovalRequest } from "../../kernel/index.js";
import { memoryState } from "../../stores/memory/index.js";
import { POLICY_CALL } from "../../testing/policy-call.fixture.js";
import { approvalForm, approvalFrom, canElicit, clientUser, IssuedForms } from "./elicitation.js";

afterEach(() => void vi.useRealTimers());

const request: ApprovalRequest = {
  token: "approval-1",
  call: POLICY_CALL,
  claims: [],
  rule: "changes",
  risk: "medium",
  reason: "It changes something.",
  canRemember: true,
  arguments: { command: "make" },
  preview: { kind: "command", command: "make \u202e", directory: "/ws", isTruncated: false },
};
const { canRemember: _, ...once } = request;
const accepted = (answer: unknown) => ({ kind: "elicit", action: "accept", content: { answer } }) as const;

it("a form has the answers that the policy allows, and shows what would run", () => {
  const { message, requestedSchema } = approvalForm(request);
  expect(requestedSchema.properties.answer.enum).toEqual(["once", "session", "project", "no"]);
  expect(approvalForm(once).requestedSchema.properties.answer.enum).toEqual(["once", "no"]);
  expect(message).toContain(
    "bash would run this command:\n\n    make \\u202e\n\nwarning: invisible and control characters are shown as escapes\ndirectory: /ws\n",
  );
  expect(message).toContain("why: It changes something.\nrule: changes, risk medium\n");
});

it("a long command is cut, the form says so, and it is allowed once only", () => {
  const of = (command: string) =>
    ({ ...request, preview: { kind: "command", command, directory: "/ws", isTruncated: false } }) as const;
  const shown = (command: string) => approvalForm(of(command)).message;
  for (const long of ["x".repeat(20_000), "x\n".repeat(500)]) {
    expect(approvalForm(of(long)).requestedSchema.properties.answer.enum).toEqual(["once", "no"]);
    expect(approvalFrom(accepted("session"), of(long), "ada")).toHaveProperty("denied");
  }
  expect(shown("x".repeat(20_000))).toContain("…\n    (the rest of this text is not shown)");
  expect(shown("x\n".repeat(500))).toContain("(400 more lines are not shown)");
  expect(shown("x".repeat(20_000)).length).toBeLessThan(9_000);
});

it("only an accepted form with one of its answers allows a call", () => {
  for (const scope of ["once", "session", "project"] as const)
    expect(approvalFrom(accepted(scope), request, "ada")).toEqual({ by: "ada", scope });
  const others = [
    accepted("no"),
    accepted("always"),
    accepted(true),
    accepted(undefined),
    { action: "accept" },
    { action: "decline", content: { answer: "once" } },
    { action: "cancel", content: { answer: "once" } },
    { content: { answer: "once" } },
    {},
  ];
  for (const other of others) expect(approvalFrom(other, request, "ada")).toHaveProperty("denied");
  for (const scope of ["session", "project"])
    expect(approvalFrom(accepted(scope), once, "ada")).toHaveProperty("denied");
});

it("a client can be asked when it declares forms", () => {
  expect(
    [{ elicitation: {} }, { elicitation: { form: {} } }, { elicitation: { form: {}, url: {} } }].every(canElicit),
  ).toBe(true);
  expect([undefined, {}, { elicitation: { url: {} } }, { elicitation: true }].some(canElicit)).toBe(false);
  expect([clientUser({ name: "desk" }), clientUser({}), clientUser(undefined)]).toEqual([
    "the user of desk",
    "the user of an MCP client",
    "the user of an MCP client",
  ]);
});

it.each(["in this process", "in documents that servers share"])(
  "a returned state counts once, in the session that asked, and within 120 seconds: %s",
  async (place) => {
    vi.useFakeTimers();
    const documents = memoryState({ ids: systemIds, now: Date.now }).documents("forms");
    const server = () => new IssuedForms(place === "in this process" ? undefined : async () => documents);
    const forms = server();
    const other = place === "in this process" ? forms : server();
    const answered = (
      state: unknown,
      session = "one",
      view: Parameters<IssuedForms["answered"]>[2] = accepted("project"),
    ) => other.answered(state, session, view, "ada");
    const state = await forms.issue(request, "one");
    expect(state).not.toContain(request.token);
    for (const wrong of [undefined, "", "\0", request.token, `${state}x`, {}])
      expect(await answered(wrong)).toBeUndefined();
    expect(await answered(state, "two")).toBeUndefined();
    expect(await answered(state)).toEqual({ token: "approval-1", decision: { granted: "ada", scope: "project" } });
    expect(await answered(state)).toBeUndefined();
    const decide = async (view: Parameters<IssuedForms["answered"]>[2]) =>
      (await answered(await forms.issue(request, "one"), "one", view))?.decision;
    expect(await decide(accepted("once"))).toEqual({ granted: "ada" });
    expect(await decide({ kind: "missing" })).toHaveProperty("denied");
    const late = await forms.issue(request, "one");
    vi.advanceTimersByTime(120_001);
    expect((await answered(late))?.decision).toEqual({ denied: "It was not approved within 120000 ms." });
  },
);
