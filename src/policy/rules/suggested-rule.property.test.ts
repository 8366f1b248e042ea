import { describe, expect, it } from "vitest";
import type { Claim } from "../../kernel/index.js";
import { POLICY_CALL } from "../../testing/policy-call.fixture.js";
import { fc } from "../../testing/property.fixture.js";
import { posixQuote } from "../../text/index.js";
import { autonomyPolicy } from "../autonomy-policy.js";
import { commandText, matchesWords, parseCommandPattern } from "./command-pattern.js";

const call = POLICY_CALL;
const word = fc.oneof(
  fc.constantFrom("npm", "test", "allow", "read", "path:x", "tool:y", "a b", "*", "a*", "", '"', "\\", "'", "$X", "#"),
  fc.string({ maxLength: 8 }),
);

describe("the suggested rule", () => {
  it("names exactly the words of a command", () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), fc.array(word, { minLength: 1 }), (words, others) => {
        const argv = words.map((value) => ({ value }));
        const text = commandText(argv);
        if (text === undefined || words[0] === "" || words[0]?.includes("/")) return;
        const pattern = parseCommandPattern(text);
        if ("why" in pattern) throw new Error(`${text}: ${pattern.why}`);
        expect(matchesWords(pattern, argv)).toBe(true);
        const isSame = JSON.stringify(words) === JSON.stringify(others);
        expect(
          matchesWords(
            pattern,
            others.map((value) => ({ value })),
          ),
        ).toBe(isSame);
      }),
    );
  });

  it("settles the question, whatever the command", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          "npm",
          "make",
          "rm",
          "curl",
          "git",
          "mytool",
          "allow",
          "read",
          "./run.sh",
          "pytest",
          "npx jest",
        ),
        fc.array(word, { maxLength: 4 }),
        (program, words) => {
          const claim: Claim = { kind: "command", command: [program, ...words.map(posixQuote)].join(" "), cwd: "/ws" };
          const before = autonomyPolicy().decide([claim], call);
          const { suggestedRules } = before;
          if (suggestedRules === undefined) return;
          expect(before.effect).not.toBe("allow");
          const rules = suggestedRules.map((rule) => `allow ${rule}`);
          const after = autonomyPolicy({ rules }).decide([claim], call);
          expect([suggestedRules, after.effect]).toEqual([suggestedRules, "allow"]);
        },
      ),
    );
  });

  it.each([
    ["npm test", "npm test *"],
    ["npm test -- x", "npm test *"],
    ["npm run test:unit -- a", "npm run test:unit *"],
    ["npm run deploy a", "npm run deploy a"],
    ["npx vitest run a.test.ts", "npx vitest *"],
    ["./node_modules/.bin/eslint .", "./node_modules/.bin/eslint *"],
    ["eslint src/*.ts", "eslint *"],
    ["tsc", "tsc *"],
    ["ruff check .", "ruff check *"],
    ["pytest tests/a.py", "pytest *"],
    ["python3 -m pytest -q", "python3 -m pytest *"],
    ["uv run pytest -q", "uv run pytest *"],
    ["node --test a", "node --test *"],
    ["go test ./...", "go test *"],
    ["cargo test NAME", "cargo test *"],
    ["cargo test --config x", "cargo test --config x"],
    ["make lint", "make lint"],
    ["node a.js", "node a.js"],
    ["python3 a.py", "python3 a.py"],
    ["bash a.sh", "bash a.sh"],
    ["sh -c 'node a.js; eslint .'", "node a.js", "eslint *"],
    ["npm run 'a b'", "npm run *"],
    ["rm -r build", "rm -r build"],
    ["CI=1 timeout 9 npm test", "npm test *"],
    ["curl -s https://example.com/a", "host:example.com"],
    ["git clone https://example.com/a.git", "host:example.com"],
    ["curl https://a.example https://b.example", "curl https://a.example https://b.example"],
    ["curl -d x https://example.com", "curl -d x https://example.com"],
    ["mytool https://example.com", "mytool https://example.com"],
    ["gh pr list", "gh pr list"],
    ["cat /opt/data/a", "path:/opt/data/a"],
    ["echo x > /srv/a", "write path:/srv/a"],
    ["git commit -q -m 'Add prices' && git push", "git commit -q -m *", "git push"],
    ["npm test && npm run build", "npm test *", "npm run build *"],
    ["npm a && npm b && npm c && npm d && npm e", undefined],
    ["npm test && cat .env", undefined],
    ["npm test $X", undefined],
    ["cat .env", undefined],
    ["cat ~/.ssh/config", undefined],
    ["echo x > ~/.bashrc", undefined],
    ["rm -rf /", undefined],
    ["ls", undefined],
  ])("of `%s` is %s", (command, ...rules) => {
    const decision = autonomyPolicy().decide([{ kind: "command", command, cwd: "/ws" }], call);
    expect(decision.suggestedRules ?? [undefined]).toEqual(rules);
    if (rules[0] !== undefined) expect(decision.next).toMatch(/To allow it, run: haft policy allow '[^']+'/);
  });

  it("is explained as the host wants it", () => {
    const policy = autonomyPolicy({ howToAllow: (rules) => `Add ${rules.join()}.` });
    const decision = policy.decide([{ kind: "server", server: "github", tool: "x" }], { ...call, tool: "github__x" });
    expect(decision).toMatchObject({ suggestedRules: ["tool:github__x"], next: "Add tool:github__x." });
  });
});
