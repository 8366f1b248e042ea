/** What developers look at all day runs in a supervised session without a question, in a project as they are. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createToolkit } from "../src/index.js";
import { COMMAND_ROWS } from "../src/policy/commands/command-rows.fixture.js";

const PROJECT = `
  git init -q . && mkdir -p src test packages/a dist node_modules/.bin node_modules/x docs
  printf 'node_modules\\ndist\\n.env\\n' > .gitignore
  echo '{"version":"1.0.0","scripts":{}}' > package.json
  echo foo > src/a.ts; echo foo > src/index.ts; echo foo > test/a.ts; echo x > README.md; echo x > a.txt
  echo K=SECRET > .env; echo x > node_modules/x/cli.js; ln -s ../x/cli.js node_modules/.bin/x; ln -s README.md docs/index.md
  git add -A
`;

let workspace: string;
let toolkit: Awaited<ReturnType<typeof createToolkit>>;
beforeAll(async () => {
  workspace = realpathSync(mkdtempSync(join(tmpdir(), "haft-ordinary-")));
  execFileSync("bash", ["-c", PROJECT], { cwd: workspace });
  toolkit = await createToolkit({ autonomy: "supervised", workspace, persist: false });
});
afterAll(async () => {
  await toolkit.close();
  rmSync(workspace, { recursive: true, force: true });
});

/** They read everything below the project, and with it the secrets. */
const READS_SECRETS = new Set(["find . -print0 | xargs -0 sort", "grep -rn foo ."]);

/** Reads of the table that a question is left to where names have whitespace. */
const LISTED = COMMAND_ROWS.filter(({ expected, facts }) => expected === "low" && facts.includes("split-names")).map(
  ({ command }) => command,
);

const MORE = `
find . -name '*.ts' -not -path './node_modules/*' | xargs grep -n foo
find . -path ./node_modules -prune -o -name '*.ts' -print | xargs wc -l
find . \\( -name '*.ts' -o -name '*.js' \\) -exec wc -l {} +
find src -type f -exec head -n 1 {} \\;
grep -rn foo src test --include='*.ts' | cut -d: -f1 | sort -u
grep -rln foo src | sort | head
grep -rn foo .
rg foo
rg -n --type ts foo src | head -20
rg foo -g '*.ts'
rg --files | wc -l
for f in $(git ls-files '*.ts'); do wc -l "$f"; done
for f in src/*.ts; do echo "$f: $(wc -l < "$f")"; done
cat $(git ls-files 'src')
wc -l $(find src -name '*.ts')
git ls-files | xargs wc -l | sort -n | tail -5
git log --oneline -5 && git status --short | head
git diff --name-only | xargs -r ls -l
cat package.json | jq -r .version
jq . package.json | head -5
diff -r src test
diff README.md a.txt
grep -d skip foo src/*.ts
git grep --untracked foo
ls -la node_modules/.bin
ls -R src
tree -L 2 .
test -f .env && echo present
[ -e src/a.ts ] && wc -l < src/a.ts
cd src && grep -n foo *.ts
(cd packages/a && ls -la && pwd)
cat README.md | sed -n '1,5p' | nl
head -n 3 *.md
wc -l *
cat docs/index.md
readlink docs/index.md
stat -c '%s %n' *
du -sh . | cut -f1
sort README.md | uniq -c | sort -rn | head -3
x=src; ls "$x"; wc -l "$x"/*.ts
n=$(git ls-files | wc -l); echo "$n files"
awk 'END{print NR}' README.md
tail -n 5 README.md | tr a-z A-Z
file README.md && md5sum README.md
ps aux | grep node
ps -eo pid,comm --sort=-pcpu | head
date -u +%Y-%m-%d
git config user.name || true
`
  .trim()
  .split("\n");

const QUIET = COMMAND_ROWS.filter(
  // The table has a workspace of its own.
  ({ expected, command }) => expected === "quiet" && !command.includes("/ws"),
).map(({ command }) => command);

it.each([...QUIET, ...LISTED, ...MORE])("%s", async (command) => {
  const explained = await toolkit.session("s").box().explain({ id: "c", name: "bash", input: { command } });
  const expected = READS_SECRETS.has(command) ? "ask" : "allow";
  expect([explained?.decision?.reason, explained?.decision?.effect]).toEqual([expect.anything(), expected]);
});

it("they do so with a rule that closes a directory which does not exist", async () => {
  const closing = await createToolkit({
    autonomy: "supervised",
    workspace,
    persist: false,
    rules: ["deny path:infra/**"],
  });
  const refused: string[] = [];
  for (const command of [...LISTED, ...MORE]) {
    const explained = await closing.session("s").box().explain({ id: "c", name: "bash", input: { command } });
    if (explained?.decision?.effect === "deny") refused.push(command);
  }
  await closing.close();
  expect(refused).toEqual([]);
});

it("they are more than 200", () => {
  expect(QUIET.length + LISTED.length + MORE.length).toBeGreaterThan(200);
});
