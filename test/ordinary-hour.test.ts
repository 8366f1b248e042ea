/** An ordinary hour of an agent on a small project, under the defaults: what its user is asked. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApprovalRequest, createToolkit } from "../src/index.js";

const SOURCES: Readonly<Record<string, string>> = {
  "package.json":
    '{ "name": "cart", "type": "module", "scripts": { "test": "node --test", "lint": "node scripts/lint.js" } }\n',
  "README.md": "# Cart\n\nPrices in cents.\n",
  ".gitignore": "node_modules/\ndist/\n",
  "src/price.js": "export const price = (item) => item.cents * item.count;\n",
  "src/cart.js":
    'import { price } from "./price.js";\n\nexport function total(items) {\n  return items.reduce((sum, item) => sum + price(item), 0);\n}\n\n// TODO: discounts\n',
  "src/money.js": 'export const shown = (cents) => "$" + (cents / 100).toFixed(2);\n',
  "test/cart.test.js":
    'import assert from "node:assert";\nimport { test } from "node:test";\nimport { total } from "../src/cart.js";\n\ntest("total", () => assert.equal(total([{ cents: 5, count: 2 }]), 10));\n',
  "scripts/lint.js": 'console.log("no problems");\n',
  "docs/api.md": "# API\n\n`total(items)`\n",
};

type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>];
const bash = (command: string): Call => ["bash", { command }];
const read = (path: string): Call => ["read", { path }];
const edit = (path: string, oldText: string, newText: string): Call => [
  "edit",
  { path, edits: [{ oldText, newText }] },
];

/** One look around the project, as agents start; all of it reads. */
const LOOK: readonly Call[] = [
  ["ls", {}],
  ["ls", { path: "src" }],
  ["find", { pattern: "**/*.js" }],
  ["grep", { pattern: "TODO" }],
  ["grep", { pattern: "total", path: "src" }],
  read("README.md"),
  read("package.json"),
  bash("git status --short"),
  bash("git log --oneline | head -5"),
  bash("git diff --stat"),
  bash("ls -la && wc -l src/*.js"),
  bash("grep -rn price src | sort | uniq -c"),
  bash("cat package.json | head -20"),
  bash("find . -name '*.md' -not -path './node_modules/*'"),
  bash("sed -n '1,5p' src/cart.js"),
  bash("git show --stat HEAD"),
  bash('for f in src/*.js; do head -1 "$f"; done'),
  bash("command -v node && node --version"),
];

/** A change, its test, and a commit. */
function change(name: string, message: string): readonly Call[] {
  return [
    read("src/cart.js"),
    read("src/price.js"),
    read("test/cart.test.js"),
    ["write", { path: `src/${name}.js`, content: `export const ${name} = (cents) => cents;\n` }],
    edit("src/cart.js", "// TODO: discounts", `// ${name}\n// TODO: discounts`),
    bash("git diff"),
    bash("npm test"),
    [
      "write",
      { path: `test/${name}.test.js`, content: 'import { test } from "node:test";\n\ntest("it", () => {});\n' },
    ],
    bash("npm test"),
    bash("npm test"),
    read(`src/${name}.js`),
    edit(`src/${name}.js`, "=> cents", "=> Math.round(cents)"),
    ["grep", { pattern: name }],
    bash("git status --short && git diff | head -40"),
    bash("npm test"),
    edit("README.md", "Prices in cents.", `Prices in cents, ${name} too.`),
    edit("README.md", `Prices in cents, ${name} too.`, "Prices in cents."),
    bash("git diff --stat"),
    bash(`git add -A && git commit -q -m '${message}'`),
    bash("git log --oneline | head -3"),
  ];
}

const HOUR: readonly Call[] = [
  ...LOOK,
  ...change("discount", "Add discounts"),
  ["todo_set", { items: [{ id: "1", text: "round prices", status: "active" }] }],
  ...change("rounding", "Round prices"),
  bash("npm run lint"),
  ...LOOK,
  read("docs/api.md"),
  edit("docs/api.md", "`total(items)`", "`total(items)` in cents"),
  bash("git diff docs"),
  bash("npm test"),
  ...LOOK,
];

let directory: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "hour-")));
  const workspace = join(directory, "cart");
  for (const [path, content] of Object.entries(SOURCES)) {
    mkdirSync(join(workspace, path, ".."), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: workspace });
  git("init", "-q");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  git("add", "-A");
  git("commit", "-qm", "Start");
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("100 calls of an ordinary hour ask at most 5 times, and each question names the rule that would end it", async () => {
  const asked: ApprovalRequest[] = [];
  await using toolkit = await createToolkit({
    workspace: join(directory, "cart"),
    stateDir: join(directory, "state"),
    approver: {
      async ask(request) {
        asked.push(request);
        return { by: "ada", scope: request.rule === "workspace-code" ? "project" : "once" };
      },
    },
  });
  const { runner } = toolkit.box();
  const failed: string[] = [];
  for (const [index, [name, input]] of HOUR.entries()) {
    const outcome = await runner.run({ id: `call-${index}`, name, input });
    if (outcome.isError) failed.push(`${name} ${JSON.stringify(input)}: ${JSON.stringify(outcome.content)}`);
  }

  expect(HOUR.length).toBeGreaterThanOrEqual(100);
  expect(failed).toEqual([]);
  expect(
    asked.map(({ reason, suggestedRules }) => ({ reason, suggestedRules })).filter((one) => !one.suggestedRules),
  ).toEqual([]);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.map(({ reason }) => reason).length).toBeLessThanOrEqual(5);
});
