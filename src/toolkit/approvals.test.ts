/** Approvals from the question to the answer: what is shown, and where it is stored. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ApprovalRequest, defineTool, type Policy, text } from "../kernel/index.js";
import { approvalsBench, asksBeforeChanges, filesIn, run, write } from "./approvals.fixture.js";

const bench = approvalsBench();

const diffOf = (request: ApprovalRequest | undefined): string =>
  request?.preview?.kind === "diff" ? request.preview.diff : "";

describe("a request for approval", () => {
  it("has the arguments and the diff of a write or an edit, and nothing was changed for it", async () => {
    const toolkit = await bench.open({ denied: "Not now." });
    const session = toolkit.session("s");
    const path = join(bench.root, "ws", "a.txt");
    await run(session, "write", write);
    writeFileSync(path, "one\r\ntwo\r\n");
    await run(session, "write", { ...write, expect: "0".repeat(64) });
    await run(session, "edit", { path: "a.txt", oldText: "two", newText: "2" });
    await run(session, "edit", { path: "a.txt", oldText: "three", newText: "3" });
    expect(bench.shown.map((request) => request.arguments)).toEqual([
      write,
      { ...write, expect: "0".repeat(64) },
      { path: "a.txt", oldText: "two", newText: "2" },
      { path: "a.txt", oldText: "three", newText: "3" },
    ]);
    expect(bench.shown[0]?.preview).toEqual({ kind: "diff", path, diff: "@@ -0,0 +1 @@\n+new\n", isTruncated: false });
    expect(bench.shown[1]?.preview).toMatchObject({ diff: "@@ -1,2 +1 @@\n-one\r\n-two\r\n+new\n" });
    expect(bench.shown[2]?.preview).toMatchObject({ kind: "diff", path });
    expect(diffOf(bench.shown[2])).toMatch(/^-.*two.*\n\+.*2.*$/m);
    expect(bench.shown[3]?.preview).toBeUndefined();
    expect(readFileSync(path, "utf8")).toBe("one\r\ntwo\r\n");
    expect(readdirSync(join(bench.root, "ws"))).toEqual(["a.txt"]);
  });

  it("has the text of a command and its real directory", async () => {
    symlinkSync("../other", join(bench.root, "ws", "link"));
    await run(await bench.open({ denied: "Not now." }), "bash", { command: "touch ran", cwd: "link" });
    const preview = {
      command: "touch ran",
      directory: join(bench.root, "other"),
      background: "session",
      detachAfter: "input",
    };
    expect(bench.shown[0]?.preview).toEqual({ kind: "command", ...preview, isTruncated: false });
  });

  it("has what a delete or a move is about, where it would succeed", async () => {
    const redactor = { redact: (one: string) => one.replaceAll("s3cret", "[hidden]") };
    const toolkit = await bench.open({ denied: "Not now." }, { redactor });
    const at = (name: string) => join(bench.root, "ws", name);
    mkdirSync(at("build/sub"), { recursive: true });
    mkdirSync(at("many"));
    for (let index = 0; index < 201; index++) writeFileSync(at(`many/${index}`), "");
    for (const name of ["build/a", "build/.env", "build/sub/b", "s3cret"]) writeFileSync(at(name), "123");
    symlinkSync("/", at("build/link"));
    const of = async (name: string, input: object) => {
      await run(toolkit, name, input);
      return bench.shown.at(-1)?.preview;
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
    expect(bench.shown.at(-1)?.hidden).toEqual({ characters: 6, lines: 1 });
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
    const toolkit = await bench.open({ pending: true }, { redactor });
    const content = `s3cret ${"long ".repeat(20_000)}\n`;
    await run(toolkit, "write", { path: "s3cret.txt", content });
    const { preview, arguments: sent } = bench.shown[0] ?? {};
    expect(sent).toEqual({ path: "[hidden].txt", content: { bytes: content.length + 2 } });
    expect(preview).toMatchObject({ kind: "diff", isTruncated: true });
    expect(diffOf(bench.shown[0])).toMatch(/^@@ -0,0 \+1 @@\n\+\[hidden\] long /);
    expect(diffOf(bench.shown[0]).length).toBeLessThanOrEqual(32 * 1024);
    const stored = filesIn(join(bench.root, "state"));
    expect([stored.includes("[hidden]"), stored.includes("s3cret")]).toEqual([true, false]);
  });

  it("says how much of it is hidden, and then nothing is remembered", async () => {
    const redactor = { redact: (one: string) => one.replaceAll(/s3cret\d+/g, "[hidden]") };
    const rememberable: Policy = {
      name: "rememberable",
      decide: (claims, call) => ({ ...asksBeforeChanges.decide(claims, call), remember: ["all"] }),
    };
    const toolkit = await bench.open({ by: "ada", scope: "session" }, { redactor, policy: rememberable });
    const path = join(bench.root, "ws", "k.txt");
    const cases: readonly (readonly [string, object, string, object | undefined])[] = [
      ["bash", { command: "echo s3cret1 a\nb; echo s3cret22 s3cret3" }, "", { characters: 7 + 16, lines: 2 }],
      ["write", { path: "k.txt", content: "a\nb s3cret2\n" }, "a\nb s3cret1\n", undefined],
      ["write", { path: "k.txt", content: "c\nb s3cret2\n" }, "a\nb s3cret1\n", { characters: 14, lines: 2 }],
      ["write", { path: "k.txt", content: "c\nb\n" }, "a\nb\n", undefined],
    ];
    for (const [tool, input, before, hidden] of cases) {
      writeFileSync(path, before);
      await run(toolkit, tool, input);
      if (hidden !== undefined) expect(bench.shown.at(-1)).toMatchObject({ hidden });
      if (bench.shown.at(-1)?.hidden !== undefined) expect(bench.shown.at(-1)).not.toHaveProperty("canRemember");
    }
    expect(bench.shown.map((one) => [one.preview?.kind, one.hidden?.characters])).toEqual([
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
      claims: () => [{ kind: "command", command: "x", cwd: join(bench.root, "ws"), env: { s3cret: "s3cret" } }],
      run: async () => text("stored"),
    });
    const leaky: Policy = {
      name: "leaky",
      decide: (claims, call) => ({ ...asksBeforeChanges.decide(claims, call), rule: "no s3cret", reason: "A s3cret." }),
    };
    const toolkit = await bench.open({ pending: true }, { redactor, tools: [tool], policy: leaky });
    const path = join(bench.root, "ws", "k.txt");
    await run(toolkit, "write", { path: "k.txt", content: `x\n${secret}\n` });
    writeFileSync(path, `x\n${secret}\ny s3cret\n`);
    await run(toolkit, "edit", { path: "k.txt", oldText: "AAAA", newText: "CCCC" });
    writeFileSync(path, "x\ny s3cret\n");
    await run(toolkit, "edit", { path: "k.txt", oldText: "x", newText: "z" });
    await run(toolkit, "kv", { s3cret: 1, "[hidden]": { s3cret: "s3cret" } });
    expect(bench.shown.map(({ preview }) => preview?.kind)).toEqual([undefined, undefined, "diff", "command"]);
    expect(diffOf(bench.shown[2])).toContain("y [hidden]");
    expect(bench.shown[3]?.arguments).toEqual({ "[hidden]": 1, "[hidden] (2)": { "[hidden]": "[hidden]" } });
    for (const directory of [[], ["audit"]]) {
      const stored = filesIn(join(bench.root, "state", ...directory));
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
      claims: () => [{ kind: "file", path: join(bench.root, "ws", "a.txt"), access: ["read", "write"], scope: "self" }],
      run: async () => text("peeked"),
      preview: async () => {
        previewed += 1;
        return { path: "a", before: "", after: "d", diff: "d" };
      },
    });
    await run(await bench.open({ denied: "Not now." }, { tools: [tool] }), "peek", {});
    expect([bench.shown.length, previewed, bench.shown[0]?.preview]).toEqual([1, 0, undefined]);
  });
});

describe("a request that was put off", () => {
  it("can be decided by another toolkit of the same state directory, and the first resumes", async () => {
    const [first, second] = [await bench.open({ pending: true }), await bench.open({ denied: "Not asked." })];
    const session = first.session("s");
    const { inputRequired, status } = await run(session, "write", write);
    expect([status, inputRequired]).toEqual(["input-required", bench.shown[0]]);
    expect(inputRequired?.preview).toMatchObject({ kind: "diff" });
    const token = inputRequired?.token ?? "";
    const [pending, ...others] = await second.approvals.list({ pending: true });
    expect([pending?.request, others]).toEqual([JSON.parse(JSON.stringify(bench.shown[0])), []]);
    expect((await run(session, "write", write, token)).status).toBe("input-required");
    expect(await second.approvals.decide(token, { granted: "ada" })).toBe(true);
    expect((await run(second.session("s2"), "write", write, token)).status).toBe("denied");
    expect((await run(session, "write", { ...write, content: "other" }, token)).status).toBe("denied");
    expect(await run(session, "write", write, token)).toMatchObject({ status: "ok", decision: { approver: "ada" } });
    expect((await run(session, "write", write, token)).output).toContain("unknown or already used");
    expect(await first.approvals.list()).toEqual([]);
  });

  it("on a named target is not for another target of that name", async () => {
    const on = (target: string) => [{ name: "api", target, workspace: join(bench.root, "ws") }];
    const first = await bench.open({ pending: true }, { on: on("local") });
    const token = (await run(first.session("s"), "write", write)).inputRequired?.token ?? "";
    await first.approvals.decide(token, { granted: "ada" });
    const other = await bench.open({ denied: "Asked." }, { on: on("posix:sh") });
    const outcome = await run(other.session("s"), "write", write, token);
    expect([outcome.status, outcome.output]).toEqual([
      "denied",
      expect.stringContaining("would touch something other"),
    ]);
  });

  it("is deleted with a session that ends for good, and stays with one that continues", async () => {
    const toolkit = await bench.open({ pending: true });
    for (const session of [toolkit.session("s"), toolkit.session(), toolkit.session("kept")])
      await run(session, "write", write);
    expect((await toolkit.approvals.list()).length).toBe(3);
    await toolkit.session("s").end();
    await toolkit.session("kept").close();
    const other = await bench.open({ pending: true });
    await toolkit.close();
    expect((await other.approvals.list()).map(({ call }) => call.session)).toEqual(["kept"]);
  });

  it("survives the toolkit that asked", async () => {
    const first = await bench.open({ pending: true });
    const { inputRequired } = await run(first.session("s"), "write", write);
    await first.close();
    await expect(first.approvals.list()).rejects.toMatchObject({ code: "STORE_CLOSED" });
    const second = await bench.open({ denied: "Not asked." });
    await second.approvals.decide(inputRequired?.token ?? "", { granted: "ada" });
    expect((await run(second.session("s"), "write", write, inputRequired?.token)).status).toBe("ok");
  });
});
