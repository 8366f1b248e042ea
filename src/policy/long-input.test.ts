import { describe, expect, it } from "vitest";
import type { Autonomy, Claim, PolicyCall } from "../kernel/index.js";
import { POLICY_CALL } from "../testing/policy-call.fixture.js";
import { autonomyPolicy } from "./autonomy-policy.js";

const call: PolicyCall = { ...POLICY_CALL, tool: "any" };
const command = (text: string): Claim => ({ kind: "command", command: text, cwd: "/ws" });

describe("what is too long to be analyzed", () => {
  const padding = `#${"x".repeat(70_000)}`;
  const deep = (open: string, close: string) => `${open.repeat(40)}rm -rf /ws${close.repeat(40)}`;
  const many = `${": ;".repeat(5_000)} rm -rf /ws`;
  const input = (to: "job" | "pane", text: string): Claim => ({ kind: "input", to, id: "1", text });

  it.each([
    ["a long text", command(`rm -rf /ws ${padding}`)],
    ["a long text that a rule would deny", command(`git push origin ${padding}`)],
    ["many commands", command(many)],
    ["deep substitutions", command(deep("$(", ")"))],
    ["deep wrappers", command(deep("env ", ""))],
    ["long text for a pane", input("pane", `rm -rf /ws ${padding}\n`)],
    ["much that is typed", input("pane", `${many}\n`)],
  ] satisfies readonly (readonly [string, Claim])[])(
    "is asked about at every level, whatever rules allow: %s",
    (_, claim) => {
      const strict = autonomyPolicy({ rules: ["deny git push *", "allow tool:bash"] });
      const at = (autonomy: Autonomy) => strict.decide([claim], { ...call, tool: "bash", autonomy });
      for (const autonomy of ["supervised", "full"] as const) expect(at(autonomy).effect).toBe("ask");
      expect(at("full")).toMatchObject({ rule: "command-too-long", next: expect.stringMatching(/shorter parts/) });
      expect(at("readonly")).toMatchObject({ effect: "deny" });
    },
  );
});
