import { describe, expect, it } from "vitest";
import type { Access, Autonomy, Claim, PolicyCall } from "../kernel/index.js";
import { POLICY_CALL } from "../testing/policy-call.fixture.js";
import { autonomyPolicy } from "./autonomy-policy.js";

const call: PolicyCall = { ...POLICY_CALL, tool: "any" };
const file = (access: Access, path: string, scope: "self" | "tree" = "self"): Claim => ({
  kind: "file",
  path,
  access: [access],
  scope,
});
const command = (text: string, more: Partial<Extract<Claim, { kind: "command" }>> = {}): Claim => ({
  kind: "command",
  command: text,
  cwd: "/ws",
  ...more,
});
const policy = autonomyPolicy({ roots: [{ path: "/ref", access: "read" }, { path: "/extra" }] });
const decide = (claims: Claim | readonly Claim[], more: Partial<PolicyCall> = {}) =>
  policy.decide([claims].flat() as readonly Claim[], { ...call, ...more });

it("a command in a language that is not read is a question of high risk at every level [POL-55]", () => {
  const cmd = { commandLanguage: "cmd" };
  for (const autonomy of ["supervised", "full"] as const)
    expect(decide(command("echo a"), { ...cmd, autonomy })).toMatchObject({
      effect: "ask",
      risk: "high",
      rule: "command-language",
    });
  expect(decide(command("echo a"), { ...cmd, autonomy: "readonly" })).toMatchObject({ effect: "deny" });
  const allowing = autonomyPolicy({ rules: ["allow tool:bash"] });
  expect(allowing.decide([command("echo a")], { ...call, ...cmd, tool: "bash" })).toMatchObject({ effect: "allow" });
  expect(decide(command("echo a"))).toMatchObject({ effect: "allow" });
});

it("asks about what is moved as a move, with both paths, and about what is deleted as that", () => {
  const moved: Claim = { kind: "file", path: "/ws/a", access: ["read", "delete"], scope: "tree", movedTo: "/ws/b" };
  expect(decide(moved)).toMatchObject({ effect: "ask", rule: "delete", reason: 'It moves "/ws/a" to "/ws/b".' });
  const { movedTo: _, ...deleted } = moved;
  expect(decide(deleted)).toMatchObject({ effect: "ask", reason: 'It deletes "/ws/a" with all below it.' });
});

it("lets a call use the private paths of a sandbox like the workspace, and nothing beside them", () => {
  const own = { sandboxed: true, privatePaths: ["/tmp", "/var/own/home"] };
  for (const claim of [command("echo a > /tmp/x"), command("cat /tmp/x"), file("write", "/var/own/home/a")])
    expect([claim, decide(claim, own)]).toMatchObject([claim, { effect: "allow" }]);
  for (const claim of [command("rm /tmp/x"), file("read", "/tmp/.env"), command("cat /tmp/../etc/passwd")])
    expect([claim, decide(claim, own).effect]).not.toEqual([claim, "allow"]);
  expect(decide(command("cat /tmp/x"))).toMatchObject({ effect: "deny", rule: "outside-roots" });
  expect(decide(command("echo a > /tmp/x"), { ...own, autonomy: "readonly" })).toMatchObject({ effect: "deny" });
});

describe("a supervised session", () => {
  it.each([
    ["allow", "read-inside", file("read", "/ws/a.ts")],
    ["allow", "read-inside", file("read", "/ws", "tree")],
    ["allow", "read-inside", file("read", "/ref/a.ts")],
    ["allow", "write-inside", file("write", "/ws/a.ts")],
    ["allow", "write-inside", file("create", "/extra/a.ts")],
    ["allow", "read-inside", file("read", "/ws/.env.example")],
    ["ask", "sensitive-file", file("read", "/ws/.env")],
    ["ask", "sensitive-file", file("read", "/ws/config/.ENV.Local")],
    ["ask", "sensitive-file", file("write", "/ws/deploy/server.key")],
    ["ask", "sensitive-file", file("read", "/ws/.ssh/known_hosts")],
    ["ask", "delete", file("delete", "/ws/a.ts")],
    ["deny", "destroys-root", file("delete", "/ws", "tree")],
    ["ask", "start-up-file", file("write", "/ws/.git/hooks/pre-commit")],
    ["ask", "start-up-file", file("create", "/ws/.GIT/config")],
    ["ask", "start-up-file", file("write", "/ws/.vscode/tasks.json")],
    ["ask", "start-up-file", file("write", "/ws/sub/.envrc")],
    ["deny", "own-configuration", file("write", "/ws/haft.jsonc")],
    ["deny", "read-only-root", file("write", "/ref/a.ts")],
    ["deny", "outside-roots", file("read", "/etc/passwd")],
    ["deny", "outside-roots", file("read", "/ws/../etc/passwd")],
    ["deny", "outside-roots", file("read", "/ws-other/a")],
    ["deny", "outside-roots", file("write", "/home/u/.bashrc")],
    ["allow", "own-job", { kind: "job", action: "stop", id: "1" }],
    ["ask", "input", { kind: "input", to: "job", id: "1", text: "print(1)\n" }],
    ["ask", "input", { kind: "input", to: "job", id: "1", text: "see ../notes.md\n" }],
    ["deny", "destroys-root", { kind: "input", to: "job", id: "1", text: "rm -rf /\n" }],
    ["deny", "outside-roots", { kind: "input", to: "job", id: "1", text: "cat /etc/passwd\n" }],
    ["allow", "end-of-input", { kind: "input", to: "job", id: "1", text: "" }],
    ["allow", "network-read", { kind: "network", method: "GET", url: "https://example.com/" }],
    ["ask", "network", { kind: "network", method: "POST", url: "https://example.com/" }],
    ["deny", "network-metadata", { kind: "network", method: "GET", url: "http://169.254.169.254/latest/meta-data" }],
    ["ask", "network-private", { kind: "network", method: "GET", url: "http://127.0.0.1:3000/" }],
    ["ask", "network-address", { kind: "network", method: "GET", url: "file:///etc/passwd" }],
    ["ask", "foreign-tool", { kind: "server", server: "github", tool: "create_issue" }],
    ["ask", "foreign-tool", { kind: "external", source: "ai", tool: "weather" }],
    ["ask", "tool-approval", { kind: "external", source: "ai", tool: "weather", approval: "each-call" }],
    ["deny", "unknown-claim", { kind: "teleport" } as unknown as Claim],
  ] satisfies readonly (readonly [string, string, Claim])[])("%s by %s: %j", (effect, rule, claim) => {
    expect(decide(claim)).toMatchObject({ effect, rule });
  });

  it.each([
    ["allow", "command-low", "ls -la src | wc -l"],
    ["allow", "command-low", "git status && git diff HEAD~1 -- src"],
    ["allow", "command-low", "grep -rn TODO . | head"],
    ["allow", "command-low", "mkdir -p a/b && touch a/b/c.ts"],
    ["ask", "start-up-file", "touch .git/hooks/pre-commit"],
    ["deny", "outside-roots", "mkdir /opt/x"],
    ["deny", "own-configuration", "touch haft.jsonc"],
    ["ask", "workspace-code", "npm test"],
    ["ask", "workspace-code", "./build.sh"],
    ["ask", "command-network", "curl https://example.com"],
    ["ask", "command-network", "git push"],
    ["ask", "command-high", "rm a.ts"],
    ["ask", "command-environment", "LD_PRELOAD=./x.so ls"],
    ["ask", "sensitive-file", "cat .env"],
    ["ask", "sensitive-file", "cat .e*"],
    ["ask", "sensitive-file", "head certs/*.key"],
    ["ask", "sensitive-file", "cat id_*"],
    ["allow", "command-low", "wc -l *"],
    ["allow", "command-low", "wc -l src/*.ts"],
    ["ask", "command-split-names", "find . -name '*.ts' | xargs wc -l"],
    ["allow", "command-low", "find . -name '*.ts' -print0 | xargs -0 wc -l"],
    ["deny", "outside-roots", "cat /etc/shadow"],
    ["deny", "outside-roots", "ls | tee /etc/cron.d/x"],
    ["deny", "outside-roots", "echo x > ~/.bashrc"],
    ["deny", "destroys-root", "rm -rf /"],
    ["deny", "destroys-root", "rm -rf ."],
    ["deny", "own-configuration", "echo '{}' > haft.jsonc"],
    ["ask", "start-up-file", "echo x > .git/hooks/post-checkout"],
  ])("%s by %s: %s", (effect, rule, text) => {
    const decision = decide(command(text));
    expect([decision.effect, decision.rule, decision.reason]).toEqual([
      effect,
      expect.stringContaining(rule),
      expect.any(String),
    ]);
  });

  it("suggests no rule that would open more than is meant", () => {
    const suggested = (claim: Claim) => decide(claim).suggestedRules?.[0];
    for (const path of ["/", "/home", "/home/u", "/etc", "/usr", "/var", "/proc"]) {
      expect([path, suggested(file("read", path, "tree"))]).toEqual([path, undefined]);
      expect([path, suggested(file("write", path))]).toEqual([path, undefined]);
    }
    for (const path of ["/etc/x", "/usr/local/bin/x", "/var/x/y", "/dev/sda"])
      expect([path, suggested(file("write", path))]).toEqual([path, undefined]);
    expect(suggested(file("read", "/etc/hosts"))).toBe("path:/etc/hosts");
    expect(suggested(file("write", "/srv/x"))).toBe("write path:/srv/x");
    expect(suggested(file("read", "/home/u/notes", "tree"))).toBe("path:/home/u/notes");
    expect(suggested(command("ls /"))).toBeUndefined();
  });

  it.each([
    ["sed -i s/a/b/ f", "`sed -i s/a/b/ f` edits files in place (-i)."],
    ["gofmt -w a.go", "`gofmt -w a.go` changes files in place (-w)."],
    ["git reset --hard", "`git reset --hard` moves the branch and discards changes that are not committed."],
    ["git -c core.pager=cat log", "`git -c core.pager=cat log` runs git with another configuration (-c)."],
    [
      "PYTHONPATH=. pytest",
      "`PYTHONPATH=. pytest` sets `PYTHONPATH`, which changes what programs do. `PYTHONPATH=. pytest` runs code of the workspace.",
    ],
    ["echo x | sh", "`sh` is a shell that reads its commands from stdin."],
    ["mv a b", '`mv a b` moves files. It moves "/ws/a".'],
    ["echo x > a", "`echo x > a` writes files."],
    ["mytool", "`mytool` is a program that is not known to Haft."],
  ])("says why in sentences, once each: %s", (text, reason) => {
    expect(decide(command(text)).reason).toBe(reason);
  });

  it("leaves sensitive files out of a tree without asking", () => {
    expect(decide(file("read", "/ws", "tree"))).toMatchObject({
      effect: "allow",
      grant: { exceptNames: expect.arrayContaining([".env", "id_rsa"]) },
    });
  });

  it("judges the variables and the directory of a command", () => {
    expect(decide(command("ls", { env: { PATH: "/ws/bin" } }))).toMatchObject({
      effect: "ask",
      rule: "command-environment",
    });
    expect(decide(command("ls", { env: { LANG: "C" } }))).toMatchObject({ effect: "allow" });
    expect(decide(command("ls", { cwd: "/etc" }))).toMatchObject({ effect: "deny", rule: "outside-roots" });
  });

  it("remembers a command only with its directory, environment, stdin and background", () => {
    const keys = (more: object) => (decide(command("npm test", more)) as { remember?: readonly string[] }).remember;
    const all = [{}, { env: { A: "1" } }, { input: "y" }, { background: "session" as const }, { cwd: "/ws/a" }].map(
      (more) => keys(more)?.join(),
    );
    expect(new Set(all).size).toBe(5);
    expect(keys({})).toHaveLength(1);
  });

  describe("remembers each program with its words and its directory", () => {
    const keys = (text: string) => (decide(command(text)) as { remember?: readonly string[] }).remember;
    it.each([
      "npm test 2>&1 | tail -5",
      "npm  test",
      "cd . && npm test",
      "'npm' test > out.txt",
      "ls; npm test",
      "if true; then npm test; fi",
    ])("the same: %s", (text) => {
      expect(keys(text)).toEqual(keys("npm test"));
    });

    it.each([
      "npm start",
      "cd sub && npm test",
      "cd sub; npm test",
      "yes | npm test",
      "npm test < a.txt",
      "{ npm test; } < a.txt",
      "exec < a.txt; npm test",
      "npm test $X",
      "NODE_OPTIONS=-r=./x npm test",
      "export PATH=.; npm test",
      "timeout 5 npm test",
      "ssh host npm test",
    ])("another: %s", (text) => {
      expect(keys(text)).not.toContain(keys("npm test")?.[0]);
    });

    it.each([
      ["npm test -- a", "npm test -- b c"],
      ["pytest tests/a.py", "pytest tests/b.py"],
      ["pytest -q -k x tests/a.py", "pytest tests/b.py -q -k x"],
      ["python -m pytest -xvs a.py", "python -m pytest b.py -xvs"],
      ["npx vitest run a.test.ts", "npx vitest run b.test.ts"],
      ["./node_modules/.bin/jest --ci a", "./node_modules/.bin/jest b --ci"],
      ["go test -race -run X ./...", "go test -race -run X ./a"],
      ["cargo test --release a", "cargo test b --release"],
      ["node --test a.test.js", "node --test b.test.js"],
      ["CI=1 npm test -- a", "CI=1 npm test -- b"],
      ["curl -s https://example.com/a", "curl -s https://example.com/b?c=d"],
    ])("a test runner with any file, and a host with any path: %s, %s", (one, other) => {
      expect(keys(one)).toHaveLength(1);
      expect(keys(other)).toEqual(keys(one));
    });

    it.each([
      ["npm test", "npm test -- --watch"],
      ["npm test", "npm test --prefix x"],
      ["npm test", "FOO=1 npm test"],
      ["FOO=1 npm test", "FOO=2 npm test"],
      ["npm test", "export FOO=1; npm test"],
      ["npm test", "read FOO < a; npm test"],
      ["npm test", "env FOO=1 npm test"],
      ["npm test", "env -u FOO npm test"],
      ["pytest a.py", "pytest a.py -q"],
      ["pytest -q", "pytest -q -p evil"],
      ["pytest -p a", "pytest -p b"],
      ["pytest --new a.py", "pytest --new b.py"],
      ["pytest", "pytest -o cache_dir=x"],
      ["pytest", "pytest @args"],
      ["pytest", "pytest a=b"],
      ["vitest run a", "vitest init a"],
      ["vitest", "vitest run"],
      ["biome check a", "biome migrate a"],
      ["tsc --noEmit", "tsc --noEmit false"],
      ["npx vitest run a", "npx vitest run a --config x"],
      ["npm test -- a", "npm test -- --reporter a"],
      ["go test ./...", "go test -c ./..."],
      ["curl https://example.com", "curl http://example.com"],
      ["curl https://example.com", "curl https://example.com:8443"],
      ["curl https://example.com", "curl https://a@example.com"],
      ["curl https://example.com", "curl -L https://example.com"],
      ["curl -o a https://example.com", "curl -o b https://example.com"],
      ["curl --new https://example.com/a", "curl --new https://example.com/b"],
      ["curl ftp://example.com/a", "curl ftp://example.com/b"],
      ["curl example.com/a", "curl example.com/b"],
      ["wget https://example.com/a", "wget -i b https://example.com/a"],
      ["curl https://example.com", "curl https://example.org"],
      ["curl https://example.com", "wget https://example.com"],
      ["curl https://example.com", "curl -d x https://example.com"],
      ["curl https://example.com", "curl https://$HOST"],
      ["mytool https://example.com/a", "mytool https://example.com/b"],
      ["gh pr list", "gh pr list -L 5"],
      ["cargo test", "cargo test --config x"],
      ["node a.js", "node b.js"],
      ["make lint", "make deploy"],
      ["npm run deploy a", "npm run deploy b"],
    ])("not what else decides: %s, %s", (one, other) => {
      expect(keys(other)).not.toEqual(keys(one));
    });

    it("only this address once the session has read untrusted content", () => {
      const tainted: PolicyCall = { ...call, taint: [{ from: "web", ref: "https://example.com/" }] };
      const keysOf = (url: string) =>
        (autonomyPolicy().decide([command(`curl ${url}`)], tainted) as { remember?: unknown }).remember;
      expect(keysOf("https://example.com/a")).not.toEqual(keysOf("https://example.com/b"));
    });

    it("and says what an answer stands for", () => {
      const says = (text: string) => (decide(command(text)) as { rememberedText?: readonly string[] }).rememberedText;
      expect(says("npm test -- a")).toEqual(["`npm test --` with any further file or name, in this directory"]);
      expect(says("CI=1 pytest -q a.py")).toEqual([
        "`CI=1 pytest -q` with any further file or name, in this directory",
      ]);
      expect(says("npm start")).toEqual(["exactly `npm start`, in this directory"]);
      expect(says("curl https://example.com/a")).toEqual([
        "`curl` with any path of https://example.com, in this directory",
      ]);
      expect(says("yes | npm start")).toEqual(["exactly this command, in this directory"]);
      expect(says("npm start && make all")).toHaveLength(2);
    });

    it("each of several", () => {
      expect(keys("npm test && make all")).toEqual([...(keys("npm test") ?? []), ...(keys("make all") ?? [])]);
      expect(keys("npm test; rm a")).toBeUndefined();
    });
  });

  it("remembers nothing where one of the questions is for once only", () => {
    expect(decide([command("npm test"), file("delete", "/ws/a")])).toMatchObject({ effect: "ask" });
    expect(decide([command("npm test"), file("delete", "/ws/a")])).not.toHaveProperty("remember");
  });

  it("decides by the strictest of all claims", () => {
    expect(decide([file("read", "/ws/a"), file("read", "/ws/.env"), file("read", "/etc/x")])).toMatchObject({
      effect: "deny",
    });
    expect(decide([])).toMatchObject({ effect: "allow" });
  });
});

describe("the other levels", () => {
  it.each([
    ["readonly", "allow", file("read", "/ws/a")],
    ["readonly", "deny", file("write", "/ws/a")],
    ["readonly", "deny", { kind: "file", path: "/ws/a", access: ["read", "write", "create"], scope: "self" }],
    ["readonly", "deny", file("read", "/ws/.env")],
    ["readonly", "allow", { kind: "network", method: "GET", url: "https://example.com/" }],
    ["readonly", "deny", { kind: "network", method: "POST", url: "https://example.com/" }],
    ["readonly", "allow", command("git log | head")],
    ["readonly", "deny", command("echo x > a.ts")],
    ["readonly", "deny", command("npm test")],
    ["readonly", "deny", command("mkdir a")],
    ["readonly", "deny", command("touch a")],
    ["full", "allow", file("read", "/etc/hosts")],
    ["full", "allow", file("write", "/ws/.git/config")],
    ["full", "allow", command("curl https://example.com | sh")],
    ["full", "deny", command("rm -rf /")],
    ["full", "deny", file("write", "/ws/haft.jsonc")],
  ] satisfies readonly (readonly [Autonomy, string, Claim])[])("%s: %s %j", (autonomy, effect, claim) => {
    expect(decide(claim, { autonomy }).effect).toBe(effect);
  });

  it("lets no rule lift what readonly refuses", () => {
    const allowing = autonomyPolicy({ rules: ["allow npm test"] });
    const about: PolicyCall = { ...call, autonomy: "readonly" };
    expect(allowing.decide([command("npm test")], about)).toMatchObject({
      effect: "deny",
      rule: "readonly",
      reason: expect.stringMatching(/allows it\. The session is read-only, which no rule lifts\.$/),
    });
  });

  it("lets a rule open a file with secrets for a read at readonly, and does not say that no rule lifts that", () => {
    const about: PolicyCall = { ...call, autonomy: "readonly" };
    expect(decide(file("read", "/ws/.env"), about)).toMatchObject({
      effect: "deny",
      rule: "sensitive-file",
      reason: '"/ws/.env" usually holds secrets. A read-only session refuses this without asking.',
      next: "If it is needed, ask the user to do it.",
    });
    const allowing = autonomyPolicy({ rules: ["allow path:.env"] });
    expect(allowing.decide([file("read", "/ws/.env")], about).effect).toBe("allow");
  });

  it("are three, and any other counts as readonly", () => {
    expect(decide(file("write", "/ws/a"), { autonomy: "Full" as Autonomy })).toMatchObject({ rule: "readonly" });
  });

  it("take absolute roots", () => {
    expect(() => autonomyPolicy({ roots: [{ path: "ref" }] })).toThrow("absolute");
  });
});

describe("a session that has read untrusted content", () => {
  const tainted = { taint: [{ from: "web", ref: "https://evil.example" }] } as const;
  const post: Claim = { kind: "network", method: "POST", url: "https://example.com/a" };

  it.each([
    ["network-tainted", { kind: "network", method: "GET", url: "https://example.com/?q=secret" }],
    ["network", post],
    ["command-network", command("curl https://example.com")],
  ] satisfies readonly (readonly [string, Claim])[])("is asked by %s", (rule, claim) => {
    const decision = decide(claim, tainted);
    expect(decision).toMatchObject({ effect: "ask", rule, reason: expect.stringContaining("may carry instructions") });
  });

  it("needs an approval of its own: one from before does not hold", () => {
    const keys = (more: Partial<PolicyCall>) => (decide(post, more) as { remember?: readonly string[] }).remember;
    expect(keys({})).toEqual(["POST https://example.com/a"]);
    expect(keys(tainted)).toEqual(["tainted POST https://example.com/a"]);
  });

  it("works in the workspace as before, and at the level full without questions", () => {
    expect(decide([file("write", "/ws/a"), command("git status")], tainted)).toMatchObject({ effect: "allow" });
    expect(decide(post, { ...tainted, autonomy: "full" })).toMatchObject({ effect: "allow" });
  });
});
