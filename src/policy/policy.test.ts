import { describe, expect, it } from "vitest";
import { type Access, type Claim, covers, type Decision, type PolicyCall } from "../kernel/index.js";
import { POLICY_CALL } from "../testing/policy-call.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";
import { resolvePath } from "../text/index.js";
import { allowAllPolicy, denyByDefaultPolicy } from "./index.js";

const call: PolicyCall = {
  ...POLICY_CALL,
  tool: "any",
  target: "memory",
  cwd: "/project",
  workspace: "/project",
  home: "/home/user",
  autonomy: "full",
};
const file = (path: string, access: readonly Access[] = ["read"]): Claim => ({
  kind: "file",
  path,
  access,
  scope: "self",
});
const command = (cwd = "/project"): Claim => ({ kind: "command", command: "true", cwd });
const rooted = denyByDefaultPolicy({ roots: ["/project/"] });

describe("allow all", () => {
  it("grants what is claimed and nothing more", () => {
    const decision = allowAllPolicy().decide([file("/etc/hosts"), command("/")], call);
    expect(decision).toMatchObject({ effect: "allow", grant: { id: "c1", commands: [{ command: "true", cwd: "/" }] } });
    const { grant } = decision as Extract<Decision, { effect: "allow" }>;
    expect(covers(grant, "/etc/hosts", "read")).toBe(true);
    expect(covers(grant, "/etc/hosts", "write")).toBe(false);
    expect(covers(grant, "/etc/passwd", "read")).toBe(false);
  });
});

describe("deny by default", () => {
  verifies("IP-009", "refuses a relative path that leaves the root, which allow-all lets pass", () => {
    const outside = file(resolvePath(call.cwd, "../x"), ["read"]);
    expect(outside).toMatchObject({ path: "/x" });
    const decision = rooted.decide([outside], call);
    expect(decision).toMatchObject({ effect: "deny", rule: "outside-roots" });
    expect(decision.reason).toContain('"/x"');
    expect(decision.reason).toContain('"/project"');
    expect(decision.next).toContain("root");
    expect(allowAllPolicy().decide([outside], call).effect).toBe("allow");
  });

  it.each([
    ["/project", "allow"],
    ["/project/a/b", "allow"],
    ["/project/a/../b", "allow"],
    ["/project/../x", "deny"],
    ["/project/a/../../x", "deny"],
    ["/project-two/a", "deny"],
    ["/", "deny"],
    ["/projects", "deny"],
  ])("judges %s by where it leads on paper: %s", (path, effect) => {
    expect(rooted.decide([file(path, ["write", "create"])], call).effect).toBe(effect);
  });

  it("lets the strictest claim win", () => {
    expect(rooted.decide([file("/project/a"), file("/etc/hosts")], call).effect).toBe("deny");
    expect(rooted.decide([file("/project/a"), file("/project/b")], call).effect).toBe("allow");
  });

  it("denies commands unless they are allowed, and then only in a root", () => {
    const withCommands = denyByDefaultPolicy({ roots: ["/project"], commands: true });
    expect(rooted.decide([command()], call)).toMatchObject({ effect: "deny", rule: "no-commands" });
    expect(withCommands.decide([command()], call)).toMatchObject({ effect: "allow", risk: "medium" });
    expect(withCommands.decide([command("/project/..")], call)).toMatchObject({
      effect: "deny",
      rule: "outside-roots",
    });
  });

  it("allows jobs and what is said to them where commands are allowed", () => {
    const withCommands = denyByDefaultPolicy({ roots: ["/project"], commands: true });
    const claims: readonly Claim[] = [
      { kind: "job", action: "list" },
      { kind: "job", action: "stop", id: "job-1" },
      { kind: "input", to: "job", id: "job-1", text: "x" },
    ];
    for (const claim of claims) {
      expect(rooted.decide([claim], call)).toMatchObject({ effect: "deny", rule: "no-commands" });
      expect(withCommands.decide([claim], call).effect).toBe("allow");
    }
  });

  it("can keep the roots read-only", () => {
    const readOnly = denyByDefaultPolicy({ roots: ["/project"], writes: false });
    expect(readOnly.decide([file("/project/a", ["read"])], call).effect).toBe("allow");
    expect(readOnly.decide([file("/project/a", ["read", "write"])], call)).toMatchObject({ rule: "read-only" });
  });

  it.each<Claim>([
    { kind: "network", method: "GET", url: "https://example.com/" },
    { kind: "network-open", purpose: "browse" },
    { kind: "input", to: "pane", id: "1", text: "x" },
    { kind: "state", collection: "memory", access: "read" },
    { kind: "server", server: "a", tool: "b" },
    { kind: "external", source: "ai-sdk", tool: "b" },
    { kind: "delegate", agent: "a", tools: [] },
    { kind: "secret", name: "KEY", hosts: [] },
  ])("denies what is not named: $kind", (claim) => {
    expect(rooted.decide([claim], call)).toMatchObject({ effect: "deny", rule: "not-named" });
  });

  it("allows no file without a root, and refuses a root that is not absolute", () => {
    expect(denyByDefaultPolicy({ roots: [] }).decide([file("/a")], call).effect).toBe("deny");
    expect(() => denyByDefaultPolicy({ roots: ["relative"] })).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID" }),
    );
  });

  it("allows a call that claims nothing", () => {
    expect(rooted.decide([], call).effect).toBe("allow");
  });
});
