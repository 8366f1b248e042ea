import { describe, expect, it } from "vitest";
import type { Claim, PolicyCall } from "../kernel/index.js";
import { POLICY_CALL } from "../testing/policy-call.fixture.js";
import { autonomyPolicy } from "./autonomy-policy.js";

const call: PolicyCall = { ...POLICY_CALL, tool: "any" };

describe("what is typed or written to a program", () => {
  const strict = autonomyPolicy({
    rules: ["deny git push *", "ask touch *", "deny host:evil.example", "deny path:secret/**", "allow tool:any"],
  });
  const typed = (text: string, to: "job" | "pane" = "pane", more: Partial<PolicyCall> = {}) =>
    strict.decide([{ kind: "input", to, id: "default", text }], { ...call, autonomy: "full", ...more }).effect;

  it.each([
    ["deny", "git push origin\n"],
    ["deny", "cd a && git -C x push\n"],
    ["deny", "curl https://evil.example/a\n"],
    ["deny", "cat secret/a\n"],
    ["deny", "haft policy allow 'rm *'\n"],
    ["ask", "touch a\n"],
    ["allow", "git status\n"],
    ["allow", "see git push *, and do not touch a\n"],
  ])("is compared with the rules at full: %s %j", (effect, text) => {
    expect([typed(text), typed(text, "job")]).toEqual([effect, effect]);
  });

  it.each([
    ["deny", "<g><i><t><Space><p><u><s><h><Enter>"],
    ["deny", "git pus<h> origin\n"],
    ["deny", "gitt<BSpace> push\n"],
    ["deny", "gitx\x7f push\r"],
    ["deny", "echo <C-u>git push\n"],
    ["deny", "echo nothing<^C>git push\n"],
    ["deny", "git foo<C-w>push\n"],
    ["deny", "<r><m> -rf /\n"],
    ["deny", "rm -rf <KP/>\n"],
    ["deny", "git push <<>a\n"],
    ["ask", "touc<h> a\n"],
    ["allow", "git pusx<C-u>git status\n"],
  ])("keys are read as a shell reads them: %s %j", (effect, text) => {
    expect(typed(text)).toBe(effect);
  });

  it("is a question at every level in a language that is not read", () => {
    const about = { autonomy: "full", commandLanguage: "cmd" } as const;
    const claim: Claim = { kind: "input", to: "job", id: "1", text: "del a" };
    expect(autonomyPolicy().decide([claim], { ...call, ...about })).toMatchObject({ effect: "ask", rule: "input" });
  });
});
