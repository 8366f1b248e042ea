import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import type { Approval, ApprovalRequest } from "../../kernel/index.js";
import { POLICY_CALL } from "../../testing/policy-call.fixture.js";
import { stripControls } from "../../text/index.js";
import { terminalApprover, userName } from "./terminal-approver.js";

const call = POLICY_CALL;
const request: ApprovalRequest = {
  token: "approval-1",
  call,
  claims: [{ kind: "command", command: "npm test", cwd: "/ws" }],
  rule: "workspace-code",
  risk: "medium",
  reason: "`npm test` runs code of the workspace.",
  canRemember: true,
  arguments: { command: "npm test" },
  preview: { kind: "command", command: "npm test", directory: "/ws/real", isTruncated: false },
};
const PREVIEW = { kind: "command", command: "npm test", directory: "/ws", isTruncated: false } as const;
const by = userName();
const denied = { denied: `${by} did not allow it.` };

/** Asks, types each line when a question has been printed, and returns the answer and all that was printed. */
async function asked(lines: readonly (string | undefined)[], one = request, signal?: AbortSignal, columns = 80) {
  let printed = "";
  const typed = [...lines];
  const approver = terminalApprover(
    {
      open() {
        const input = new PassThrough();
        const line = typed.shift();
        if (typed.length < lines.length && line !== undefined) setImmediate(() => input.write(`${line}\n`));
        else if (signal === undefined) setImmediate(() => input.end());
        return input;
      },
      write: (text) => {
        printed += text;
      },
      columns,
    },
    (question) => question(),
  );
  const answer: Approval = await approver.ask(one, { timeoutMs: 120_000, ...(signal === undefined ? {} : { signal }) });
  return { answer, printed: stripControls(printed).text };
}

it.each([
  ["y", { by, scope: "once" }],
  ["YES", { by, scope: "once" }],
  ["s", { by, scope: "session" }],
  [" project ", { by, scope: "project" }],
  ["n", denied],
  ["", denied],
])("%j is answered with %j", async (line, answer) => {
  expect((await asked([line])).answer).toEqual(answer);
});

it("the end of the input, an interrupt and wrong answers are denials", async () => {
  expect((await asked([undefined])).answer).toEqual(denied);
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  expect((await asked([undefined], request, stop.signal)).answer).toEqual(denied);
  const wrong = await asked(["maybe", "yy", "\u001b[A"]);
  expect(wrong.answer).toEqual({ denied: `${by} gave no valid answer.` });
  expect(wrong.printed.match(/Allow it\?/g)).toHaveLength(3);
  expect((await asked(["maybe", "y"])).answer).toEqual({ by, scope: "once" });
});

it("a request is shown as its method and URL, with the secret that it carries", async () => {
  const url = "http://localhost:3000/items";
  const claims = [
    { kind: "network", method: "POST", url },
    { kind: "secret", name: "shop", hosts: ["localhost:3000"] },
  ] as const;
  const { preview: _, ...others } = request;
  const { printed } = await asked(["n"], { ...others, claims, arguments: { url } });
  expect(printed).toMatch(/^touches +POST http:\/\/localhost:3000\/items$/m);
  expect(printed).toMatch(/^touches +the secret "shop" for localhost:3000$/m);
});

it("what is not remembered is asked without these answers, and they are not taken", async () => {
  const { canRemember: _, ...once } = request;
  const { answer, printed } = await asked(["p", "s", "n"], once);
  expect(answer).toEqual(denied);
  expect(printed).toContain("[y]es once, [n]o.");
  expect(printed).toMatch(/means no\.\n\[y\/N\] /);
  expect(printed).not.toMatch(/\[p\]roject|remembers/);
  expect(printed.match(/The policy asks about each such call: answer y or n\.\n/g)).toHaveLength(2);
  const { printed: ofDeletion } = await asked(["p", "x", "n"], {
    ...once,
    preview: { kind: "delete", path: "/ws/a", entry: "file" },
  });
  expect(ofDeletion.match(/answer y or n/g)).toHaveLength(1);
  expect(ofDeletion).toContain("Deletions are asked about each time: answer y or n.\n");
  const { printed: ofHidden } = await asked(["s", "n"], { ...once, hidden: { characters: 1, lines: 1 } });
  expect(ofHidden).toContain("A call with a hidden part is allowed only once: answer y or n.\n");
});

it("shows the command, its real directory, the reason, and what a longer answer remembers", async () => {
  const { printed } = await asked(["n"], {
    ...request,
    rememberedText: ["`npm test` with any further file or name, in this directory"],
    suggestedRules: ["npm test *"],
  });
  expect(printed).toContain(`
bash would run this command:
│ npm test
directory  /ws/real
target     local, workspace /ws
why        \`npm test\` runs code of the workspace.
rule       workspace-code, risk medium
remembers  \`npm test\` with any further file or name, in this directory
for good   haft policy allow 'npm test *'

Allow it? [y]es once, [s]ession, [p]roject, [n]o.
p asks only once for this project. No answer within 120 s means no.
[y/s/p/N] `);
});

it("shows hidden characters, and no line of a command looks like one of the question [POL-47]", async () => {
  const command = "echo ok \u001b[2K\u202e\u200b\nrule       harmless, risk low\nAllow it?";
  const env = { "A\nB": "\u2066x" };
  const preview = { kind: "command", command, directory: "/w\u200bs", env, isTruncated: true } as const;
  const { printed } = await asked(["n"], { ...request, preview, reason: "a\nb" });
  expect(printed).toContain("│ echo ok \\x1b[2K\\u202e\\u200b\n│ rule       harmless");
  expect(printed).toContain("directory  /w\\u200bs");
  expect(printed).toContain("warning    invisible and control characters are shown as escapes");
  expect(printed).toContain("truncated  what it does is too long");
  expect(printed.match(/^(rule|Allow it\?)/gm)).toEqual(["rule", "Allow it?"]);
});

it("wraps long lines, so that no visual line looks like one of the question", async () => {
  const command = `a${" b".repeat(39)}${"rule  harmless, risk low".padEnd(80)}${"寿".repeat(90)}`;
  const env = { A: `${"x ".repeat(40)}why  fine` };
  const preview = { kind: "command", command, directory: "/ws", env, isTruncated: false } as const;
  const { printed } = await asked(["n"], { ...request, preview });
  const lines = printed.slice(0, printed.indexOf("Allow it?")).split("\n");
  const wide = (line: string) => [...line].reduce((sum, char) => sum + (char === "寿" ? 2 : 1), 0);
  expect(lines.filter((line) => wide(line) > 80)).toEqual([]);
  expect(lines.filter((line) => /harmless|寿|fine/.test(line)).every((line) => /^ *│ /.test(line))).toBe(true);
  expect(printed).not.toContain("read all of them");
});

it("says next to the question how long it is", async () => {
  const preview = { kind: "command", command: "#\n".repeat(60), directory: "/ws", isTruncated: false } as const;
  const { printed } = await asked(["n"], { ...request, preview });
  expect(printed).toMatch(/\nlong {7}66 lines: read all of them\n\nAllow it\?/);
});

it("says how much of a secret is not shown", async () => {
  const { printed } = await asked(["n"], { ...request, hidden: { characters: 40, lines: 2 } });
  expect(printed).toContain("hidden     40 characters on 2 lines were taken for a secret and are not shown\n");
});

it("shows invisible characters and look-alikes of spaces as escapes [POL-46]", async () => {
  const command = "rm -rf /tmp/a\u200bb \u202etxt.exe \u{1f468}\u200d\u{1f4bb}\u00a0\u2028x \u{e0041}";
  const { printed } = await asked(["n"], { ...request, preview: { ...PREVIEW, command } });
  expect(printed).toContain("│ rm -rf /tmp/a\\u200bb \\u202etxt.exe \u{1f468}\\u200d\u{1f4bb}\\xa0\\u2028x \\u{e0041}");
  expect(printed).toContain("warning    invisible and control characters are shown as escapes");
});

it.each([
  [" ".repeat(400), " [400 spaces] "],
  ["\u2800".repeat(300), " [300 invisible characters] "],
  ["\t \u200b\ufdd0".repeat(100), " [400 invisible characters] "],
  ["\u2800".repeat(2), "\\u2800\\u2800"],
])("counts what would push a part out of sight: %j [POL-48]", async (blank, shown) => {
  const preview = {
    kind: "command",
    command: `echo ok${blank}; touch a`,
    directory: "/ws",
    isTruncated: false,
  } as const;
  expect((await asked(["n"], { ...request, preview })).printed).toContain(`│ echo ok${shown}; touch a\n`);
});

it("says that the session has read untrusted content", async () => {
  const taint = [{ from: "web", ref: "https://example.com/" }] as const;
  const { printed } = await asked(["n"], { ...request, call: { ...call, taint } });
  expect(printed).toContain("untrusted content: web https://example.com/");
});

it("shows the diff of a change, and the arguments and claims of a call without a preview", async () => {
  const diff = "@@ -1 +1 @@\n-a\n+b\n";
  const change = await asked(["n"], { ...request, preview: { kind: "diff", path: "/ws/a", diff, isTruncated: false } });
  expect(change.printed).toContain("bash would change a:\n│ @@ -1 +1 @@\n│ -a\n│ +b\n");
  const { preview: _, ...plain } = request;
  const claims = [{ kind: "file", path: "/ws/b", access: ["delete"], scope: "tree" }] as const;
  const other = await asked(["n"], { ...plain, claims, arguments: { path: "b" } });
  expect(other.printed).toContain('bash was called with:\n│ {\n│   "path": "b"\n│ }\n');
  expect(other.printed).toContain("touches    delete /ws/b and everything below it");
});

it("says what would be deleted and moved, and which text goes to a job", async () => {
  const { preview: _, ...plain } = { ...request, claims: [], call: { ...call, tool: "delete" } };
  const shown = async (preview: NonNullable<ApprovalRequest["preview"]>) =>
    (await asked(["n"], { ...plain, preview })).printed;
  const tree = { kind: "delete", path: "/ws/build", entry: "directory", sizeBytes: 3_400 } as const;
  expect(await shown({ ...tree, inside: { files: 12, directories: 1 } })).toContain(
    "\ndelete would delete this directory:\n│ build/ (12 files, 1 directory, 3400 bytes)\n",
  );
  expect(await shown({ kind: "delete", path: "/ws/build", entry: "directory" })).toContain(
    "│ build/ with everything in it\n",
  );
  expect(await shown({ ...tree, sizeBytes: 0, inside: { files: 0, directories: 0 } })).toContain("│ build/ (empty)\n");
  expect(await shown({ kind: "delete", path: "/tmp/a\nb", entry: "link" })).toContain(
    "delete would delete this symlink:\n│ /tmp/a\\nb\n",
  );
  const moved = {
    kind: "move",
    path: "/ws/a.ts",
    entry: "file",
    sizeBytes: 0,
    to: "/ws/b.ts",
    replaces: "file",
  } as const;
  expect(await shown(moved)).toContain("move this file:\n│ a.ts (0 bytes)\n│ to b.ts, replacing the file there\n");
  const file = { kind: "file", scope: "self" } as const;
  const copied = {
    ...plain,
    call: { ...call, tool: "copy" },
    source: { target: "there", spec: "ssh:host" },
    claims: [
      { ...file, path: "/ws/b.ts", access: ["read", "create"] },
      { ...file, path: "/srv/.env", access: ["read"], target: "there" },
    ],
    preview: { kind: "copy", path: "/srv/.env", entry: "file", sizeBytes: 9, to: "/ws/b.ts" },
  } as const;
  const question = (await asked(["n"], copied)).printed;
  expect(question).toContain("copy would copy this file:\n│ /srv/.env on there (9 bytes)\n│ to b.ts\n");
  expect(question).toMatch(/reads from +there \(ssh:host\)\n/);
  expect(question).not.toContain("touches");
  const claims = [{ kind: "input", to: "job", id: "job-1", text: "y\n" }] as const;
  const { printed } = await asked(["n"], { ...plain, call: { ...call, tool: "process" }, claims });
  expect(printed).toContain('\nprocess would write this to the background command "job-1":\n│ y\ntarget ');
});

it("lists what is touched beside it, but neither what is allowed unasked nor each parent directory", async () => {
  const { preview: _, ...plain } = request;
  const file = { kind: "file", scope: "self" } as const;
  const claims = [
    { ...file, path: "/ws/a/b/c", access: ["create"] },
    { ...file, path: "/ws/a/b", access: ["create"], optional: "unless-denied" },
    { ...file, path: "/ws/a", access: ["create"], optional: "unless-denied" },
    { ...file, path: "/ws/d", access: ["create"], optional: "unless-denied" },
    { ...file, path: "/ws/e", access: ["read"], optional: "if-allowed" },
  ] as const;
  const { printed } = await asked(["n"], { ...plain, claims });
  expect(printed.match(/^touches.*/gm)?.map((line) => line.slice(11))).toEqual([
    "create /ws/a/b/c",
    "create /ws/d",
    "creates missing parent directories",
  ]);
});

it("says that a command runs in the background only where it does", async () => {
  const rowOf = async (more: object) =>
    /^background .*/m.exec((await asked(["n"], { ...request, preview: { ...PREVIEW, ...more } })).printed)?.[0];
  expect(await rowOf({})).toBeUndefined();
  expect(await rowOf({ background: "session", detachAfter: "input" })).toBeUndefined();
  expect(await rowOf({ background: "session", detachAfter: 45_000 })).toBe(
    "background  after 45 s it continues in the background, until its session ends",
  );
  expect(await rowOf({ background: "keep" })).toBe("background  it runs in the background until it ends by itself");
});

it("wraps facts at words, and the question, at the width of the terminal", async () => {
  const printed = await asked(
    ["n"],
    { ...request, reason: "It deletes what nobody has asked it to delete." },
    undefined,
    40,
  );
  expect(printed.printed).toContain("why        It deletes what nobody has \n         │ asked it to delete.\n");
  expect(printed.printed).toContain("\nAllow it? [y]es once, [s]ession, \n[p]roject, [n]o.\n");
});
