/** Approvals from the question to the answer: what is shown, where it is stored, and for how long it is remembered. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Approval, type ApprovalRequest, defineTool, type Policy, text } from "../kernel/index.js";
import { autonomyPolicy } from "../policy/autonomy-policy.js";
import { allowAllPolicy } from "../policy/index.js";
import { createToolkit, type Toolkit, type ToolkitOptions, type ToolkitSession } from "./index.js";

const allowAll = allowAllPolicy();
/** Asks about everything that changes something. */
const policy: Policy = {
  name: "ask-before-changes",
  decide(claims, call) {
    const decision = allowAll.decide(claims, call);
    if (decision.effect !== "allow" || call.effect !== "write") return decision;
    return { ...decision, effect: "ask", rule: "changes", reason: "It changes something.", remember: [call.tool] };
  },
};

let root: string;
let shown: ApprovalRequest[];
let toolkits: Toolkit[];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-approvals-")));
  for (const name of ["ws", "other"]) mkdirSync(join(root, name));
  shown = [];
  toolkits = [];
});
afterEach(async () => {
  await Promise.all(toolkits.map((toolkit) => toolkit.close()));
  rmSync(root, { recursive: true, force: true });
});

async function open(answer: Approval, more: Partial<ToolkitOptions> = {}): Promise<Toolkit> {
  const approver = {
    async ask(request: ApprovalRequest) {
      shown.push(request);
      return answer;
    },
  };
  const options = { workspace: join(root, "ws"), stateDir: join(root, "state"), policy, approver, ...more };
  const toolkit = await createToolkit(options);
  toolkits.push(toolkit);
  return toolkit;
}

const run = (from: Toolkit | ToolkitSession, name: string, input: object, resume?: string) =>
  from.box().runner.run({ id: "c", name, input, ...(resume === undefined ? {} : { resume }) });
const write = { path: "a.txt", content: "new\n" };

const diffOf = (request: ApprovalRequest | undefined): string =>
  request?.preview?.kind === "diff" ? request.preview.diff : "";

/** The bytes of all files in a directory, those of the database among them. */
function filesIn(directory: string): string {
  const files = readdirSync(directory, { withFileTypes: true }).filter((one) => one.isFile());
  return files.map(({ name }) => readFileSync(join(directory, name), "latin1")).join("");
}

describe("a request for approval", () => {
  it("has the arguments and the diff of a write or an edit, and nothing was changed for it", async () => {
    const toolkit = await open({ denied: "Not now." });
    const session = toolkit.session("s");
    const path = join(root, "ws", "a.txt");
    await run(session, "write", write);
    writeFileSync(path, "one\r\ntwo\r\n");
    await run(session, "write", { ...write, expect: "0".repeat(64) });
    await run(session, "edit", { path: "a.txt", oldText: "two", newText: "2" });
    await run(session, "edit", { path: "a.txt", oldText: "three", newText: "3" });
    expect(shown.map((request) => request.arguments)).toEqual([
      write,
      { ...write, expect: "0".repeat(64) },
      { path: "a.txt", oldText: "two", newText: "2" },
      { path: "a.txt", oldText: "three", newText: "3" },
    ]);
    expect(shown[0]?.preview).toEqual({ kind: "diff", path, diff: "@@ -0,0 +1 @@\n+new\n", isTruncated: false });
    expect(shown[1]?.preview).toMatchObject({ diff: "@@ -1,2 +1 @@\n-one\r\n-two\r\n+new\n" });
    expect(shown[2]?.preview).toMatchObject({ kind: "diff", path });
    expect(diffOf(shown[2])).toMatch(/^-.*two.*\n\+.*2.*$/m);
    expect(shown[3]?.preview).toBeUndefined();
    expect(readFileSync(path, "utf8")).toBe("one\r\ntwo\r\n");
    expect(readdirSync(join(root, "ws"))).toEqual(["a.txt"]);
  });

  it("has the text of a command and its real directory", async () => {
    symlinkSync("../other", join(root, "ws", "link"));
    await run(await open({ denied: "Not now." }), "bash", { command: "touch ran", cwd: "link" });
    const preview = {
      command: "touch ran",
      directory: join(root, "other"),
      background: "session",
      detachAfter: "input",
    };
    expect(shown[0]?.preview).toEqual({ kind: "command", ...preview, isTruncated: false });
  });

  it("has what a delete or a move is about, where it would succeed", async () => {
    const redactor = { redact: (one: string) => one.replaceAll("s3cret", "[hidden]") };
    const toolkit = await open({ denied: "Not now." }, { redactor });
    const at = (name: string) => join(root, "ws", name);
    mkdirSync(at("build/sub"), { recursive: true });
    mkdirSync(at("many"));
    for (let index = 0; index < 201; index++) writeFileSync(at(`many/${index}`), "");
    for (const name of ["build/a", "build/.env", "build/sub/b", "s3cret"]) writeFileSync(at(name), "123");
    symlinkSync("/", at("build/link"));
    const of = async (name: string, input: object) => {
      await run(toolkit, name, input);
      return shown.at(-1)?.preview;
    };
    const remove = (path: string, recursive: boolean) => of("delete", { path, recursive });
    const directory = { kind: "delete", path: at("build"), entry: "directory" };
    expect(await remove("build", true)).toEqual({ ...directory, sizeBytes: 9, inside: { files: 4, directories: 1 } });
    expect(await remove("build", false)).toBeUndefined();
    expect(await remove("many", true)).toEqual({ ...directory, path: at("many") });
    expect(await remove("s3cret", false)).toEqual({
      kind: "delete",
      path: at("[hidden]"),
      entry: "file",
      sizeBytes: 3,
    });
    expect(shown.at(-1)?.hidden).toEqual({ characters: 6, lines: 1 });
    const moved = { kind: "move", path: at("build/a"), entry: "file", sizeBytes: 3, to: at("new/a") };
    expect(await of("move", { from: "build/a", to: "new/a" })).toEqual(moved);
    expect(await of("move", { from: "build/a", to: "build/sub/b" })).toBeUndefined();
    expect(await of("move", { from: "build/a", to: "build/sub/b", overwrite: true })).toEqual({
      ...moved,
      to: at("build/sub/b"),
      replaces: "file",
    });
    expect(readdirSync(at("build")).sort()).toEqual([".env", "a", "link", "sub"]);
  });

  it("is redacted, and bounded", async () => {
    const redactor = { redact: (one: string) => one.replaceAll("s3cret", "[hidden]") };
    const toolkit = await open({ pending: true }, { redactor });
    const content = `s3cret ${"long ".repeat(20_000)}\n`;
    await run(toolkit, "write", { path: "s3cret.txt", content });
    const { preview, arguments: sent } = shown[0] ?? {};
    expect(sent).toEqual({ path: "[hidden].txt", content: { bytes: content.length + 2 } });
    expect(preview).toMatchObject({ kind: "diff", isTruncated: true });
    expect(diffOf(shown[0])).toMatch(/^@@ -0,0 \+1 @@\n\+\[hidden\] long /);
    expect(diffOf(shown[0]).length).toBeLessThanOrEqual(32 * 1024);
    const stored = filesIn(join(root, "state"));
    expect([stored.includes("[hidden]"), stored.includes("s3cret")]).toEqual([true, false]);
  });

  it("says how much of it is hidden, and then nothing is remembered", async () => {
    const redactor = { redact: (one: string) => one.replaceAll(/s3cret\d+/g, "[hidden]") };
    const rememberable: Policy = {
      name: "rememberable",
      decide: (claims, call) => ({ ...policy.decide(claims, call), remember: ["all"] }),
    };
    const toolkit = await open({ by: "ada", scope: "session" }, { redactor, policy: rememberable });
    const path = join(root, "ws", "k.txt");
    const cases: readonly (readonly [string, object, string, object | undefined])[] = [
      ["bash", { command: "echo s3cret1 a\nb; echo s3cret22 s3cret3" }, "", { characters: 7 + 16, lines: 2 }],
      ["write", { path: "k.txt", content: "a\nb s3cret2\n" }, "a\nb s3cret1\n", undefined],
      ["write", { path: "k.txt", content: "c\nb s3cret2\n" }, "a\nb s3cret1\n", { characters: 14, lines: 2 }],
      ["write", { path: "k.txt", content: "c\nb\n" }, "a\nb\n", undefined],
    ];
    for (const [tool, input, before, hidden] of cases) {
      writeFileSync(path, before);
      await run(toolkit, tool, input);
      if (hidden !== undefined) expect(shown.at(-1)).toMatchObject({ hidden });
      if (shown.at(-1)?.hidden !== undefined) expect(shown.at(-1)).not.toHaveProperty("canRemember");
    }
    expect(shown.map((one) => [one.preview?.kind, one.hidden?.characters])).toEqual([
      ["command", 23],
      [undefined, 7],
      ["diff", 14],
      ["diff", undefined],
    ]);
  });

  it("shows no line of a secret of several lines, and no secret in the name of a property", async () => {
    const secret = "-----KEY-----\nAAAA\nBBBB\n-----END-----";
    const redactor = { redact: (one: string) => one.replaceAll(secret, "[key]").replaceAll("s3cret", "[hidden]") };
    const tool = defineTool({
      name: "kv",
      description: "Stores.",
      input: { type: "object", properties: {}, additionalProperties: true },
      effect: "write",
      claims: () => [{ kind: "command", command: "x", cwd: join(root, "ws"), env: { s3cret: "s3cret" } }],
      run: async () => text("stored"),
    });
    const leaky: Policy = {
      name: "leaky",
      decide: (claims, call) => ({ ...policy.decide(claims, call), rule: "no s3cret", reason: "A s3cret." }),
    };
    const toolkit = await open({ pending: true }, { redactor, tools: [tool], policy: leaky });
    const path = join(root, "ws", "k.txt");
    await run(toolkit, "write", { path: "k.txt", content: `x\n${secret}\n` });
    writeFileSync(path, `x\n${secret}\ny s3cret\n`);
    await run(toolkit, "edit", { path: "k.txt", oldText: "AAAA", newText: "CCCC" });
    writeFileSync(path, "x\ny s3cret\n");
    await run(toolkit, "edit", { path: "k.txt", oldText: "x", newText: "z" });
    await run(toolkit, "kv", { s3cret: 1, "[hidden]": { s3cret: "s3cret" } });
    expect(shown.map(({ preview }) => preview?.kind)).toEqual([undefined, undefined, "diff", "command"]);
    expect(diffOf(shown[2])).toContain("y [hidden]");
    expect(shown[3]?.arguments).toEqual({ "[hidden]": 1, "[hidden] (2)": { "[hidden]": "[hidden]" } });
    for (const directory of [[], ["audit"]]) {
      const stored = filesIn(join(root, "state", ...directory));
      expect(stored).toContain("hidden");
      expect(stored).not.toMatch(/s3cret|BBBB/);
    }
  });

  it("has no preview of a third-party tool, which has no permission to read yet", async () => {
    let previewed = 0;
    const tool = defineTool({
      name: "peek",
      description: "Peeks.",
      input: { type: "object", properties: {} },
      effect: "write",
      claims: () => [{ kind: "file", path: join(root, "ws", "a.txt"), access: ["read", "write"], scope: "self" }],
      run: async () => text("peeked"),
      preview: async () => {
        previewed += 1;
        return { path: "a", before: "", after: "d", diff: "d" };
      },
    });
    await run(await open({ denied: "Not now." }, { tools: [tool] }), "peek", {});
    expect([shown.length, previewed, shown[0]?.preview]).toEqual([1, 0, undefined]);
  });
});

describe("a request that was put off", () => {
  it("can be decided by another toolkit of the same state directory, and the first resumes", async () => {
    const [first, second] = [await open({ pending: true }), await open({ denied: "Not asked." })];
    const session = first.session("s");
    const { inputRequired, status } = await run(session, "write", write);
    expect([status, inputRequired]).toEqual(["input-required", shown[0]]);
    expect(inputRequired?.preview).toMatchObject({ kind: "diff" });
    const token = inputRequired?.token ?? "";
    const [pending, ...others] = await second.approvals.list({ pending: true });
    expect([pending?.request, others]).toEqual([JSON.parse(JSON.stringify(shown[0])), []]);
    expect((await run(session, "write", write, token)).status).toBe("input-required");
    expect(await second.approvals.decide(token, { granted: "ada" })).toBe(true);
    expect((await run(second.session("s2"), "write", write, token)).status).toBe("denied");
    expect((await run(session, "write", { ...write, content: "other" }, token)).status).toBe("denied");
    expect(await run(session, "write", write, token)).toMatchObject({ status: "ok", decision: { approver: "ada" } });
    expect((await run(session, "write", write, token)).output).toContain("unknown or already used");
    expect(await first.approvals.list()).toEqual([]);
  });

  it("on a named target is not for another target of that name", async () => {
    const on = (target: string) => [{ name: "api", target, workspace: join(root, "ws") }];
    const first = await open({ pending: true }, { on: on("local") });
    const token = (await run(first.session("s"), "write", write)).inputRequired?.token ?? "";
    await first.approvals.decide(token, { granted: "ada" });
    const other = await open({ denied: "Asked." }, { on: on("posix:sh") });
    const outcome = await run(other.session("s"), "write", write, token);
    expect([outcome.status, outcome.output]).toEqual([
      "denied",
      expect.stringContaining("would touch something other"),
    ]);
  });

  it("is deleted with a session that ends for good, and stays with one that continues", async () => {
    const toolkit = await open({ pending: true });
    for (const session of [toolkit.session("s"), toolkit.session(), toolkit.session("kept")])
      await run(session, "write", write);
    expect((await toolkit.approvals.list()).length).toBe(3);
    await toolkit.session("s").end();
    await toolkit.session("kept").close();
    const other = await open({ pending: true });
    await toolkit.close();
    expect((await other.approvals.list()).map(({ call }) => call.session)).toEqual(["kept"]);
  });

  it("survives the toolkit that asked", async () => {
    const first = await open({ pending: true });
    const { inputRequired } = await run(first.session("s"), "write", write);
    await first.close();
    await expect(first.approvals.list()).rejects.toMatchObject({ code: "STORE_CLOSED" });
    const second = await open({ denied: "Not asked." });
    await second.approvals.decide(inputRequired?.token ?? "", { granted: "ada" });
    expect((await run(second.session("s"), "write", write, inputRequired?.token)).status).toBe("ok");
  });
});

describe("an approval for more than once", () => {
  it("for the project holds in its other sessions and processes, and in no other project", async () => {
    const first = await open({ by: "ada", scope: "project" });
    await run(first.session("s1"), "write", write);
    const again = await open({ denied: "Asked." });
    const outcome = await run(again.session("s2"), "write", { path: "b.txt", content: "" });
    expect(outcome).toMatchObject({ status: "ok", decision: { approver: "remembered" } });
    expect((await run(again.session("s2"), "bash", { command: "true" })).status).toBe("denied");
    const elsewhere = await open({ denied: "Asked." }, { workspace: join(root, "other") });
    expect((await run(elsewhere.session("s1"), "write", write)).status).toBe("denied");
    expect(shown.length).toBe(3);
  });

  it("for a project on a named target does not hold where that name stands for another target", async () => {
    const workspace = join(root, "ws");
    const on = (target: string) => [{ name: "api", target, workspace }];
    const first = await open({ by: "ada", scope: "project" }, { on: on("local") });
    await run(first.session("s1"), "write", write);
    const same = await open({ denied: "Asked." }, { on: on("local") });
    expect((await run(same.session("s2"), "write", write)).decision.approver).toBe("remembered");
    const other = await open({ denied: "Asked." }, { on: on("posix:sh") });
    expect((await run(other.session("s3"), "write", write)).status).toBe("denied");
    expect(shown[1]?.call).toMatchObject({ target: "api", spec: "posix:sh" });
  });

  it.each(["session", "project"] as const)(
    "for the %s holds on the target that it was given for alone",
    async (scope) => {
      const workspace = join(root, "ws");
      const on = [
        { name: "staging", target: "local", workspace },
        { name: "prod", target: "local", workspace },
        { name: "other", target: "posix:sh", workspace },
      ];
      const toolkit = await open({ by: "ada", scope }, { on, policy: autonomyPolicy() });
      const deploy = (on: string) => run(toolkit.session("s"), "bash", { command: "node a.js; true", on });
      for (const target of ["staging", "staging", "prod", "other", "staging"]) await deploy(target);
      expect(shown.map(({ call }) => call.target)).toEqual(["staging", "prod", "other"]);
      expect(shown.map(({ rememberedText }) => rememberedText?.map((text) => text.replace(/.*, on /, "")))).toEqual([
        ['"staging"'],
        ['"prod"'],
        ['"other"'],
      ]);
    },
  );

  it("is stored without the text of its keys", async () => {
    // UTF-8 has the same bytes for both.
    const KEYS: Readonly<Record<string, string>> = { "echo 1": "\ud800", "echo 2": "\ud801" };
    const remembersCommands: Policy = {
      name: "commands",
      decide: (claims, call) => ({
        ...policy.decide(claims, call),
        remember: claims.flatMap((claim) => (claim.kind === "command" ? [KEYS[claim.command] ?? claim.command] : [])),
      }),
    };
    const toolkit = await open({ by: "ada", scope: "project" }, { policy: remembersCommands });
    for (const _ of [1, 2]) await run(toolkit, "bash", { command: "echo s3cret" });
    expect(shown.length).toBe(1);
    expect(filesIn(join(root, "state"))).toContain("sinceMs");
    expect(filesIn(join(root, "state"))).not.toContain("s3cret");
    for (const command of ["echo 1", "echo 2"]) await run(toolkit, "bash", { command });
    expect(shown.length).toBe(3);
  });

  it("for the session holds where it continues, in no other session, and not after its end", async () => {
    const first = await open({ by: "ada", scope: "session" });
    await run(first.session("s1"), "write", write);
    await first.close();
    const again = await open({ denied: "Asked." });
    const into = (id: string) => run(again.session(id), "write", { path: "b.txt", content: "" });
    expect((await into("s1")).decision.approver).toBe("remembered");
    expect((await into("s2")).status).toBe("denied");
    await again.session("s1").end();
    expect((await into("s1")).status).toBe("denied");
  });

  it.each(["ended", "ended and begun again"])(
    "for a session that was %s meanwhile is not remembered, and that is reported",
    async (how) => {
      let ask = async (): Promise<Approval> => ({ denied: "Asked." });
      const approver = { ask: () => ask() };
      const [first, second] = [
        await open({ pending: true }, { approver }),
        await open({ pending: true }, { approver }),
      ];
      const session = first.session("s");
      await session.session.todo.replace([]);
      const notices: string[] = [];
      ask = async () => {
        await second.host.state.sessions.end("s");
        if (how !== "ended") await second.session("s").session.todo.replace([]);
        return { by: "ada", scope: "session" };
      };
      const onEvent = (event: { readonly kind: string; readonly message?: string }) =>
        notices.push(event.message ?? event.kind);
      await session.box().runner.run({ id: "c", name: "bash", input: { command: "true" } }, { onEvent });
      expect(notices).toContainEqual(expect.stringContaining("was not remembered for the session"));
      ask = async () => ({ denied: "Asked." });
      for (const one of [second.session("s"), session])
        expect((await run(one, "bash", { command: "true" })).status).toBe("denied");
    },
  );

  it("is not remembered by a session in memory that is closed meanwhile", async () => {
    let isFirst = true;
    const approver = {
      async ask(): Promise<Approval> {
        if (!isFirst) return { denied: "Asked." };
        isFirst = false;
        await toolkit.session("s").end();
        return { by: "ada", scope: "session" };
      },
    };
    const toolkit = await open({ pending: true }, { approver, persist: false, on: "memory", workspace: "/ws" });
    await run(toolkit.session("s"), "write", write);
    expect((await run(toolkit.session("s"), "write", { ...write, path: "b.txt" })).status).toBe("denied");
  });

  it("holds in memory, too, until the session ends", async () => {
    const toolkit = await open({ by: "ada", scope: "session" }, { persist: false, on: "memory", workspace: "/ws" });
    for (const name of ["a.txt", "b.txt"]) await run(toolkit.session("s1"), "write", { ...write, path: name });
    await toolkit.session("s1").close();
    await run(toolkit.session("s1"), "write", write);
    expect(shown.length).toBe(1);
    await toolkit.session("s1").end();
    await run(toolkit.session("s1"), "write", { ...write, path: "c.txt" });
    expect(shown.length).toBe(2);
  });
});
