/** Rules × paths, tools and hosts: what each decides, and what it must not let pass. */
import { describe, expect, it } from "vitest";
import type { Access, Claim, Decision } from "../../kernel/index.js";
import { POLICY_CALL } from "../../testing/policy-call.fixture.js";
import { autonomyPolicy } from "../autonomy-policy.js";
import { command, decide } from "./decide-by-rules.fixture.js";
import type { PolicyRule } from "./index.js";

const call = POLICY_CALL;

const file = (access: Access, path: string, scope: "self" | "tree" = "self"): Claim => ({
  kind: "file",
  path,
  access: [access],
  scope,
});

describe("rules about files", () => {
  it.each([
    ["deny path:infra", "deny", file("read", "/ws/infra/a")],
    ["deny path:infra", "deny", file("write", "/ws/INFRA/a")],
    ["deny path:infra", "allow", file("read", "/ws/infrared")],
    ["deny path:**/secret", "deny", file("read", "/ws/a/b/secret/c")],
    ["deny path:*/secret", "allow", file("read", "/ws/a/b/secret")],
    ["deny path:infra", "deny", file("delete", "/ws/infra/a")],
    ["deny path:a/infra", "deny", file("delete", "/ws/a", "tree")],
    ["deny read path:a", "allow", file("write", "/ws/a/b")],
    ["ask path:a", "ask", file("read", "/ws/a/b")],
    ["allow path:.env", "allow", file("read", "/ws/.env")],
    ["allow path:.env", "ask", file("write", "/ws/.env")],
    ["allow path:**", "ask", file("read", "/ws/.env")],
    ["allow path:*", "ask", file("read", "/ws/server.key")],
    ["allow write path:.git/hooks/pre-push", "allow", file("write", "/ws/.git/hooks/pre-push")],
    ["allow write path:**", "deny", file("write", "/ws/haft.jsonc")],
    ["allow path:/", "allow", file("read", "/etc/hosts")],
    ["allow path:/", "deny", file("write", "/etc/hosts")],
    ["allow path:/", "ask", file("read", "/home/u/.ssh/id_rsa")],
    ["allow path:~/notes", "allow", file("read", "/home/u/notes", "tree")],
  ] as const)("%s → %s %j", (rule, effect, claim) => {
    expect(decide([rule], [claim], { tool: "read" }).effect).toBe(effect);
  });

  it("are left out of a tree that a tool reads, and may be asked for by name", () => {
    const rules = ["deny path:infra/**", "ask path:**/*.sql", "deny write path:docs", "deny path:packages/*/dist"];
    const { effect, grant } = decide(rules, [file("read", "/ws", "tree")]) as Extract<Decision, { effect: "allow" }>;
    expect([effect, grant.except]).toEqual(["allow", ["/ws/infra"]]);
    expect(grant.exceptNames).toEqual(expect.arrayContaining(["*.sql", "dist", ".env"]));
    const named = decide(rules, [file("read", "/ws/a.sql")]) as Extract<Decision, { effect: "ask" }>;
    expect([named.effect, named.grant.except, named.remember]).toEqual(["ask", [], ["read /ws/a.sql"]]);
    const elsewhere = decide(rules, [file("read", "/ws/src", "tree")]) as Extract<Decision, { effect: "allow" }>;
    expect(elsewhere.grant.except).toEqual([]);
  });
});

describe("a closed path that a tree would contain", () => {
  const policy = autonomyPolicy({ rules: ["deny path:infra/**"] });
  const at = (text: string, exists: boolean): Decision => {
    const claims = [command(text)];
    const asked = policy.lookup?.(claims, call);
    const entry = { path: "/ws/infra", real: "/ws/infra", kind: "directory" as const };
    const found = new Map(
      asked?.searches.map(({ id, glob }) => [id, exists && glob?.includes("[iI]") === true ? [entry] : []]),
    );
    const real = new Map(asked?.paths.map((path) => [path, path]));
    return policy.decide(claims, { ...call, files: { real, found } });
  };
  it.each([
    ["rg TODO", "allow", "deny"],
    ["grep -rn TODO .", "allow", "deny"],
    ["ls *", "allow", "deny"],
    ["git stash", "ask", "ask"],
    ["cat infra/a", "deny", "deny"],
    ["cat inf*/a", "allow", "deny"],
  ])("counts if it exists: %s", (text, absent, present) => {
    expect([at(text, false).effect, at(text, true).effect]).toEqual([absent, present]);
  });

  it("is asked about where the tree may change, with a way around it where it would be read", () => {
    expect(at("git merge f", true).reason).toContain('the rule "deny path:infra/**" closes a path in it.');
    expect(at("git merge f", false).reason).not.toContain("infra");
    expect(at("git checkout -b f", true).reason).toBe("`git checkout -b f` creates a branch.");
    expect(at("rg TODO", true).next).toContain("Name a directory without it, or use the tool `grep`, `find` or `ls`");
  });

  it("is looked for in any letter case", () => {
    const found = policy.lookup?.([command("rg x")], call)?.searches.find(({ id }) => id.includes("exists"));
    expect(found).toMatchObject({ path: "/", glob: "[wW][sS]/[iI][nN][fF][rR][aA]" });
  });
});

describe("rules about tools and hosts", () => {
  const issue: Claim = { kind: "server", server: "github", tool: "create_issue" };
  it.each([
    [["allow tool:github__*"], "github__create_issue", "allow", issue],
    [["allow tool:github__list"], "github__create_issue", "ask", issue],
    [["allow tool:github__*", "deny tool:*__create_issue"], "github__create_issue", "deny", issue],
    [["ask tool:write"], "write", "ask", file("write", "/ws/a")],
    [["deny tool:write"], "write", "deny", file("write", "/ws/a")],
    [["allow tool:delete"], "delete", "allow", file("delete", "/ws/a")],
    [["allow tool:read"], "read", "ask", file("read", "/ws/.env")],
    [
      ["allow host:example.com"],
      "fetch",
      "allow",
      { kind: "network", method: "POST", url: "https://example.com:8443/x" },
    ],
    [["allow host:example.com"], "fetch", "ask", { kind: "network", method: "POST", url: "https://a.example.com/" }],
    [["allow host:localhost"], "fetch", "allow", { kind: "network", method: "GET", url: "http://localhost:80/" }],
    [["allow host:*"], "fetch", "ask", { kind: "network", method: "GET", url: "http://localhost:80/" }],
    [["deny host:*"], "fetch", "deny", { kind: "network", method: "GET", url: "https://example.com/" }],
  ] as const)("%j, %s → %s", (rules, tool, effect, claim) => {
    expect(decide(rules, [claim], { tool }).effect).toBe(effect);
  });

  it("ask each time about a tool that is to be asked about", () => {
    expect(decide(["ask tool:write"], [file("write", "/ws/a")], { tool: "write" })).not.toHaveProperty("remember");
  });
});

describe("a command that looks like another rule", () => {
  it.each([
    ["deny ./a:b *", "./a:b x"],
    ["deny /opt/a:b/run", "/opt/a:b/run"],
    ['deny "a:b" *', "a:b x"],
    ["deny 'read' infra/x", "read infra/x"],
    ["deny read -r x", "read -r x"],
    ["deny read line", "read line"],
    ["deny write ada", "write ada"],
    ["deny npm run test:unit", "npm run test:unit"],
  ])("%s is about the program", (rule, line) => {
    expect(decide([rule], [command(line)], { tool: "bash" }).effect).toBe("deny");
  });
});

describe("a rule is refused", () => {
  it.each([
    ["npm test", "begins with allow, ask or deny"],
    ["allow npm test && rm x", '"&"'],
    ["allow npm $(x)", '"$"'],
    ["allow 'npm test", "quote"],
    ["allow *", "every program"],
    ["allow allow npm test", 'begins with "allow"'],
    ["allow", "empty"],
    ["allow path:", "empty"],
    ["deny read tool:x", "path: only"],
    ["deny read:infra/**", 'The rule "deny read:infra/**" is invalid: for a path write "deny read path:infra/**".'],
    ["deny write: infra", 'for a path write "deny write path:infra".'],
    ["deny read infra/**", 'for a path write "deny read path:infra/**".'],
    ["ask write .env", 'for a path write "ask write path:.env".'],
    ["deny write *", 'for a path write "deny write path:*".'],
    ["deny read paths:x", 'for a path write "deny read path:x".'],
    ["deny paths:x", '"paths:" is none of path:, read path:, write path:, host: and tool:.'],
    ["deny Path:x", '"Path:" is none of'],
    ["deny http://example.com/", '"http:" is none of'],
    [{ effect: "deny", command: "read:infra/**" }, 'for a path write "deny read path:infra/**".'],
    ["deny host:https://example.com/", "without a port"],
    ["deny host:example.com:80", "without a port"],
    [{ effect: "allow", command: "ls", tool: "read" }, "exactly one of"],
    [{ effect: "deny" }, "exactly one of"],
    [{ effect: "deny", command: "ls", access: "read" }, "access"],
    [
      { effect: "allow", command: "git status *", notMatch: ["git status -s"] },
      '"git status -s", which its "notMatch"',
    ],
    [{ effect: "allow", command: "git status *", match: ["git status; ls"] }, "does not match"],
    [{ effect: "deny", command: "git push *", match: ["ls"] }, "does not match"],
    [{ effect: "deny", path: "infra/**", match: ["infrared/x"] }, "does not match"],
    [{ effect: "deny", tool: "a__*", notMatch: ["a__b"] }, '"a__b"'],
    [{ effect: "allow", host: "*.a.b", match: ["a.b"] }, '"a.b"'],
  ] satisfies readonly (readonly [string | PolicyRule, string])[])("%j: %s", (rule, why) => {
    expect(() => autonomyPolicy({ rules: ["deny path:x", rule] })).toThrow(why);
    expect(() => autonomyPolicy({ rules: [rule] })).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  });

  it("is not when its examples hold", () => {
    const rules: readonly PolicyRule[] = [
      {
        effect: "allow",
        command: "git status *",
        match: ["git status -s"],
        notMatch: ["git status && ls", "git push"],
      },
      { effect: "deny", command: "git push *", match: ["ls; git -C x push"], notMatch: ["git pull"] },
      { effect: "deny", path: "infra/**", match: ["infra", "infra/a/b"], notMatch: ["src", "/infra"] },
      { effect: "allow", host: "*.a.b", match: ["x.a.b"], notMatch: ["xa.b"] },
    ];
    expect(() => autonomyPolicy({ rules })).not.toThrow();
  });
});
