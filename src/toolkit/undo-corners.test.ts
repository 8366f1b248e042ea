import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type CallEvent, defineTool, isWithin, ok } from "../kernel/index.js";
import { allowAllPolicy } from "../policy/index.js";
import { createToolkit } from "./create-toolkit.js";
import type { Toolkit } from "./toolkit.js";
import type { ToolkitOptions } from "./toolkit-options.js";

let root: string;
let toolkit: Toolkit;
let events: CallEvent[];
const at = (name: string) => join(root, "work", name);
const put = (name: string, text: string) => writeFileSync(at(name), text);
const text = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : undefined);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-undo-")));
  mkdirSync(at("."));
  events = [];
});
afterEach(async () => {
  await toolkit.close();
  rmSync(root, { recursive: true, force: true });
});

async function open(options: ToolkitOptions = {}): Promise<void> {
  toolkit = await createToolkit({
    workspace: at("."),
    stateDir: join(root, "state"),
    gate: "off",
    autonomy: "full",
    ...options,
  });
}

const call = (name: string, input: Readonly<Record<string, unknown>>) =>
  toolkit
    .session("main")
    .box()
    .runner.run({ id: "1", name, input }, { onEvent: (event) => events.push(event) });

/** A tool of a host that may write below the workspace but reads nothing. */
const host = (run: (fs: Parameters<Parameters<typeof defineTool>[0]["run"]>[1]["fs"]) => Promise<void>) =>
  defineTool({
    name: "host_tool",
    description: "Changes files.",
    input: { type: "object", properties: {} },
    effect: "write",
    claims: () => [{ kind: "file", path: at("."), access: ["write", "create", "delete"], scope: "tree" }],
    run: async (_, ctx) => {
      await run(ctx.fs);
      return ok({});
    },
  });

it("records what a tool of the host changes, with writes of one file twice and what it may not read", async () => {
  put("a.txt", "old\n");
  put("b.txt", "b\n");
  await open({
    policy: allowAllPolicy(), // the tool claims the whole workspace
    tools: [
      host(async (fs) => {
        await fs.writeFile(at("a.txt"), "first\n");
        await fs.writeFile(at("a.txt"), "second\n");
        await Promise.all(["x", "y"].map((name) => fs.writeFile(at(name), name)));
        await fs.rm(at("b.txt"), { recursive: false, ignoreMissing: false });
        await fs.mkdir(at("one/two"), true);
      }),
    ],
  });
  expect(await call("host_tool", {})).toMatchObject({ status: "ok", repairs: [] });
  expect((await toolkit.undo()).status).toBe("done");
  expect([text("a.txt"), text("b.txt"), readdirSync(at(".")).sort()]).toEqual(["old\n", "b\n", ["a.txt", "b.txt"]]);
});

it("reads nothing that the call may not change, and leaves nothing behind of a change that was refused", async () => {
  put("a.txt", "old\n");
  writeFileSync(join(root, "secret"), "secret\n");
  symlinkSync(join(root, "secret"), at("link"));
  const codes: unknown[] = [];
  const failed = (error: { readonly code?: unknown }) => void codes.push(error.code);
  const allowed = allowAllPolicy();
  await open({
    policy: {
      name: "workspace",
      decide: (claims, about) =>
        claims.every((claim) => claim.kind === "file" && isWithin(at("."), claim.path))
          ? allowed.decide(claims, about)
          : { effect: "deny", rule: "outside", risk: "high", reason: "It is outside." },
    },
    tools: [
      host(async (fs) => {
        await fs.writeFile(join(root, "secret"), "x").catch(failed);
        await fs.writeFile(at("link"), "x").catch(failed);
        await fs.replaceAtomic(at("a.txt"), new Uint8Array(), { sha256: "0".repeat(64) }).catch(failed);
      }),
    ],
  });
  await call("host_tool", {});
  expect(codes).toEqual(["CALL_UNCLAIMED", "POLICY_DENIED", "FS_STALE"]);
  expect(readFileSync(join(root, "secret"), "utf8")).toBe("secret\n");
  expect(await toolkit.changes()).toEqual({ calls: [], damaged: [] });
  expect(existsSync(join(root, "state", "undo")) ? readdirSync(join(root, "state", "undo")) : []).toEqual([]);
});

it("restores the mode of a deleted file, and stores old bytes for its user alone", async () => {
  put("key", "secret\n");
  chmodSync(at("key"), 0o600);
  put("run.sh", "true\n");
  chmodSync(at("run.sh"), 0o755);
  await open();
  await call("delete", { path: "key" });
  await call("delete", { path: "run.sh" });
  await toolkit.undo();
  await toolkit.undo();
  expect([statSync(at("key")).mode & 0o777, statSync(at("run.sh")).mode & 0o777]).toEqual([0o600, 0o755]);
  const log = join(root, "state", "undo");
  for (const id of readdirSync(log)) {
    expect(statSync(join(log, id)).mode & 0o077).toBe(0);
    for (const name of readdirSync(join(log, id))) expect(statSync(join(log, id, name)).mode & 0o077).toBe(0);
  }
});

it("says once in the result that a change cannot be undone because the old file was too large, and skips it later", async () => {
  put("large", "");
  truncateSync(at("large"), 33 * 1024 * 1024);
  await open();
  const { repairs, output } = await call("write", { path: "large", content: "small\n" });
  const notice = `The change of "${at("large")}" cannot be undone: its ${33 * 1024 * 1024} old bytes are more than the undo log stores.`;
  expect(repairs).toEqual([notice]);
  expect(output).toContain(notice);
  expect(events).toContainEqual(expect.objectContaining({ kind: "notice", message: notice }));
  expect(await toolkit.undo()).toMatchObject({
    status: "nothing",
    lost: [{ path: at("large"), why: expect.stringContaining("old bytes are more than the undo log stores") }],
  });
  expect(text("large")).toBe("small\n");
});

it("restores a tree without its symlinks, and names the command that creates each", async () => {
  mkdirSync(at("tree"));
  put("tree/a.txt", "a\n");
  symlinkSync("a.txt", at("tree/link"));
  await open();
  await call("delete", { path: "tree", recursive: true });
  expect(await toolkit.undo()).toMatchObject({
    status: "done",
    lost: [{ path: at("tree/link"), why: expect.stringContaining(`ln -s a.txt ${at("tree/link")}`) }],
  });
  expect(text("tree/a.txt")).toBe("a\n");
});

it("changes nothing through a symlink that was put into a path since, whatever it leads to", async () => {
  mkdirSync(at("dir"));
  mkdirSync(join(root, "outside"));
  put("dir/a.txt", "old\n");
  await open();
  await call("write", { path: "dir/a.txt", content: "new\n" });
  rmSync(at("dir"), { recursive: true });
  symlinkSync(join(root, "outside"), at("dir"));
  writeFileSync(join(root, "outside", "a.txt"), "new\n");
  expect(await toolkit.undo()).toMatchObject({ status: "conflict", conflicts: [{ path: at("dir") }] });
  rmSync(at("dir"));
  mkdirSync(at("dir"));
  symlinkSync(join(root, "outside", "a.txt"), at("dir/a.txt"));
  expect(await toolkit.undo()).toMatchObject({
    status: "conflict",
    conflicts: [{ why: `${at("dir/a.txt")} is now a symlink.` }],
  });
  expect(readFileSync(join(root, "outside", "a.txt"), "utf8")).toBe("new\n");
});

it("undoes what a process that was killed had begun: what is gone is restored, what is there with other bytes is not touched", async () => {
  put("a.txt", "old\n");
  await open();
  const { undoLog } = toolkit.host;
  const recorder = undoLog!.record({
    callId: "killed",
    sessionId: "main",
    tool: "host_tool",
    target: "local",
    machine: "local",
    workspace: at("."),
  });
  const stored = await recorder.keep([Buffer.from("gone\n")], 5);
  const old = { kind: "file", mode: 0o644, ...stored! } as const;
  await recorder.begin({ kind: "remove", path: at("gone.txt"), entries: [{ ...old, path: at("gone.txt") }] });
  expect((await toolkit.undo({ call: "killed" })).status).toBe("done");
  expect(text("gone.txt")).toBe("gone\n");
  await recorder.begin({ kind: "write", path: at("a.txt"), before: old });
  await toolkit.undo({ call: (await toolkit.changes()).calls.at(-1)!.id });
  expect(await toolkit.undo({ call: "killed" })).toMatchObject({
    status: "conflict",
    conflicts: [{ why: `${at("a.txt")} was being written when its process ended.` }],
  });
  expect(text("gone.txt")).toBeUndefined();
});

it("keeps a directory that has other contents by now, and undoes the rest", async () => {
  await open();
  await call("write", { path: "dir/new.txt", content: "new\n" });
  put("dir/mine.txt", "mine\n");
  expect(await toolkit.undo()).toMatchObject({ status: "done", lost: [{ path: at("dir") }] });
  expect([text("dir/new.txt"), text("dir/mine.txt")]).toEqual([undefined, "mine\n"]);
});

it("does not restore bytes that are damaged or gone, and undoes a call only once", async () => {
  put("a.txt", "old\n");
  await open();
  await call("write", { path: "a.txt", content: "new\n" });
  const [{ id }] = (await toolkit.changes()).calls as unknown as [{ id: string }];
  const stored = join(root, "state", "undo", id, "old");
  writeFileSync(stored, "forged\n");
  const gone =
    /^Did not undo "\S+" \(write\): the stored old bytes of ".*a\.txt" are gone or damaged\. Nothing was changed\./;
  for (const options of [{}, { dryRun: true }]) await expect(toolkit.undo(options)).rejects.toThrow(gone);
  truncateSync(stored);
  await expect(toolkit.undo()).rejects.toThrow(gone);
  rmSync(stored);
  await expect(toolkit.undo()).rejects.toThrow(gone);
  mkdirSync(stored);
  await expect(toolkit.undo()).rejects.toMatchObject({ code: "FS_IO" });
  rmSync(stored, { recursive: true });
  expect(text("a.txt")).toBe("new\n");
  writeFileSync(stored, "old\n");
  expect((await toolkit.undo({ call: id })).status).toBe("done");
  await expect(toolkit.undo({ call: id })).rejects.toThrow(/it is undone already\. Undo "[0-9a-z-]+" to redo it/);
  await expect(toolkit.undo({ call: "nosuch" })).rejects.toThrow("no change of a file is stored for it");
  await expect(toolkit.undo({ session: "nosuch" })).rejects.toThrow('Did not undo the session "nosuch"');
});

it("is audited as a call of the session, with the files that it changes", async () => {
  await open({ persist: false });
  await call("write", { path: "a.txt", content: "new\n" });
  await toolkit.undo();
  const { entries } = toolkit.host.audit as unknown as { readonly entries: readonly unknown[] };
  expect(entries.at(-1)).toMatchObject({
    begin: { sessionId: "main", tool: "undo", backend: "local", workspace: at(".") },
    end: {
      status: "ok",
      rule: "undo",
      approver: "host",
      claims: [{ kind: "file", path: at("a.txt"), access: ["delete"] }],
    },
  });
  await call("write", { path: "a.txt", content: "new\n" });
  await toolkit.undo({ by: "ada" });
  expect(entries.at(-1)).toMatchObject({ end: { approver: "ada" } });
});

it("changes no file where the bytes of one are gone", async () => {
  put("a.txt", "a\n");
  put("b.txt", "b\n");
  await open();
  await call("delete", { path: "a.txt" });
  await call("delete", { path: "b.txt" });
  rmSync(join(root, "state", "undo", (await toolkit.changes()).calls[0]!.id, "old"));
  await expect(toolkit.undo({ session: "main" })).rejects.toThrow("a.txt");
  expect(readdirSync(at("."))).toEqual([]);
});

it("restores all of a session whose old bytes in memory are about what is kept", async () => {
  const names = ["a", "b", "c", "d"];
  const old = Buffer.alloc(7 * 1024 * 1024, "o");
  for (const name of names) writeFileSync(at(name), old);
  const next = [...names];
  await open({
    persist: false,
    redactor: false,
    policy: allowAllPolicy(),
    tools: [host(async (fs) => fs.writeFile(at(next.pop()!), new Uint8Array(old.length)))],
  });
  for (const _ of names) expect(await call("host_tool", {})).toMatchObject({ status: "ok" });
  await toolkit.undo({ session: "main" });
  for (const name of names) expect(readFileSync(at(name)).equals(old)).toBe(true);
});

it("shows no secret in the diffs of a dry run and of a conflict", async () => {
  const token = "ghp_0123456789abcdefABCDEF0123456789abcd";
  const other = "ghp_9876543210fedcbaFEDCBA9876543210dcba";
  const key = (body: string) =>
    `-----BEGIN RSA PRIVATE KEY-----\n${`${body}\n`.repeat(3)}-----END RSA PRIVATE KEY-----\n`;
  put("a.txt", `old\n${token}\n`);
  put("token", token);
  put("key.txt", key("b2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xkb2xk"));
  await open({
    policy: allowAllPolicy(),
    tools: [
      host(async (fs) => {
        await fs.writeFile(at("a.txt"), `new\n${other}\n`);
        await fs.writeFile(at("token"), other);
        await fs.writeFile(at("key.txt"), key("bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3bmV3"));
      }),
    ],
  });
  await call("host_tool", {});
  const planned = await toolkit.undo({ dryRun: true });
  expect(Object.fromEntries(planned.files.map(({ path, diff }) => [path, diff]))).toEqual({
    [at("a.txt")]: expect.stringMatching(/^-new$[\s\S]*^\+old$/m),
    [at("token")]: `A secret in ${at("token")} changes: 40 bytes → 40 bytes\n`,
    [at("key.txt")]: `File with a secret ${at("key.txt")}: 197 bytes → 197 bytes\n`,
  });
  put("a.txt", `mine\n${other}\n`);
  const conflict = await toolkit.undo();
  expect(conflict.conflicts).toMatchObject([{ diff: expect.stringMatching(/^-mine$[\s\S]*^\+old$/m) }]);
  for (const report of [planned, conflict]) expect(JSON.stringify(report)).not.toMatch(/ghp_|b2xk|bmV3/);
});

it("undoes a write that was made by a process that was killed right after it", async () => {
  put("a.txt", "old\n");
  await open();
  await call("write", { path: "a.txt", content: "new\n" });
  const [{ id }] = (await toolkit.changes()).calls as unknown as [{ id: string }];
  const log = join(root, "state", "undo", id, "log.jsonl");
  writeFileSync(log, readFileSync(log, "utf8").replace(/^\{"end".*\n/m, ""));
  put("a.txt", "mine\n");
  expect(await toolkit.undo()).toMatchObject({ status: "conflict" });
  put("a.txt", "new\n");
  expect(await toolkit.undo()).toMatchObject({ status: "done" });
  expect(text("a.txt")).toBe("old\n");
});

it("restores what was in a private directory for its user alone, and names the command that makes it private", async () => {
  mkdirSync(at("private/sub"), { recursive: true });
  put("private/a.txt", "a\n");
  put("private/sub/b.txt", "b\n");
  chmodSync(at("private/a.txt"), 0o644);
  chmodSync(at("private/sub/b.txt"), 0o755);
  chmodSync(at("private/sub"), 0o755);
  chmodSync(at("private"), 0o700);
  await open();
  await call("delete", { path: "private", recursive: true });
  expect((await toolkit.undo()).lost).toEqual([
    { path: at("private"), why: expect.stringContaining(`chmod 700 ${at("private")}`) },
  ]);
  const modes = ["private/a.txt", "private/sub/b.txt"].map((name) => statSync(at(name)).mode & 0o777);
  expect(modes).toEqual([0o600, 0o700]);
});
