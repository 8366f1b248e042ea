import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { grantFor, HaftError, type Policy, type ReadStateRecord } from "../../kernel/index.js";
import { memoryArtifacts } from "../../stores/memory/index.js";
import { bareHost } from "../../testing/fakes/bare-host.fixture.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { memoryBench, newSession, toolBench, withFs } from "../tool-bench.fixture.js";
import type { WriteData } from "./contract.js";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const HANDLE = { gate: "handle" };

describe("writing", () => {
  it("writes exactly the content as UTF-8 and reports size and hash", async () => {
    const bench = memoryBench();
    const { data } = await bench.call<WriteData>("write", { path: "é.txt", content: "né — no newline" });
    expect(data).toEqual({ path: "é.txt", created: true, bytes: 18, afterHash: sha256("né — no newline") });
    expect(await bench.bytes("é.txt")).toHaveLength(18);
  });

  verifies("IR-068", "counts bytes of UTF-8 and echoes the path as it was spelled", async () => {
    const bench = memoryBench();
    expect((await bench.call<WriteData>("write", { path: "./a.txt", content: "é" })).data).toMatchObject({
      bytes: 2,
      path: "./a.txt",
    });
  });

  verifies("IR-066", "takes an empty content for an empty file", async () => {
    const bench = memoryBench({ "clear.txt": "" });
    await bench.put("full.txt", "data\n");
    await bench.call("read", { path: "full.txt" });
    expect((await bench.call<WriteData>("write", { path: "full.txt", content: "" })).data).toMatchObject({ bytes: 0 });
    expect(await bench.bytes("full.txt")).toBe("");
    expect(await bench.call("write", { path: "", content: "x" })).toMatchObject({ isError: true });
    expect(await bench.call("write", { path: "new.txt" })).toMatchObject({ status: "invalid" });
  });

  it("refuses a content that is no text, and a path with a NUL byte", async () => {
    const bench = memoryBench();
    expect(await bench.call("write", { path: "cfg.json", content: { port: 8080 } })).toMatchObject({
      status: "invalid",
      message: expect.stringContaining("content"),
    });
    expect(await bench.call("write", { path: "ok.txt\0/../../x", content: "x" })).toMatchObject({
      code: "FS_BAD_PATH",
    });
    expect((await bench.backend.root.fs.readDir("/workspace")).children).toEqual([]);
  });

  verifies("IR-067", "creates missing parents, and only when it may write", async () => {
    const bench = memoryBench();
    expect(await bench.call("write", { path: "x/y/z.txt", content: "1" })).toMatchObject({ isError: false });
    expect(await bench.bytes("x/y/z.txt")).toBe("1");
    expect(await bench.call("write", { path: "a/b.txt", content: "1" }, { parents: false })).toMatchObject({
      isError: true,
      code: "FS_NOT_FOUND",
    });
  });

  it("claims the file and every parent that may have to be created, and nothing above the workspace", async () => {
    const asked: string[] = [];
    const policy: Policy = {
      name: "watching",
      decide(claims) {
        for (const claim of claims) if (claim.kind === "file") asked.push(`${claim.access.join("+")} ${claim.path}`);
        return { effect: "allow", rule: "all", risk: "low", reason: "", grant: grantFor("g", claims) };
      },
    };
    const bench = memoryBench({}, { host: { policy } });
    await bench.call("write", { path: "x/y/z.txt", content: "1" });
    expect(asked).toEqual(["read+write+create /workspace/x/y/z.txt", "create /workspace/x/y", "create /workspace/x"]);
    asked.length = 0;
    await bench.call("write", { path: "/elsewhere/deep/z.txt", content: "1" });
    expect(asked).toEqual(["read+write+create /elsewhere/deep/z.txt"]);
  });

  it("creates no directory through a symlink out of its claim", async () => {
    const backend = createMemoryBackend({ files: { "/outside/": "" } });
    backend.plant({ kind: "link", path: "/workspace/sub", target: "/outside" });
    const policy: Policy = {
      name: "workspace-only",
      decide: (claims) => {
        const isInside = claims.every((claim) => claim.kind === "file" && claim.path.startsWith("/workspace/"));
        const base = { rule: "roots", risk: "low" as const, reason: "It is outside." };
        return isInside ? { ...base, effect: "allow", grant: grantFor("g", claims) } : { ...base, effect: "deny" };
      },
    };
    const bench = toolBench({ backend, host: { policy } });
    const call = await bench.call("write", { path: "sub/deep/x.txt", content: "escaped" });
    expect(call).toMatchObject({ isError: true, code: "POLICY_DENIED" });
    expect((await backend.root.fs.readDir("/outside")).children).toEqual([]);
  });

  it("refuses a dangling symlink, and says where", async () => {
    const backend = createMemoryBackend();
    backend.plant({ kind: "link", path: `${backend.cwd}/gone`, target: "no\nwhere" });
    const failed = await toolBench({ backend }).call("write", { path: "gone", content: "x" });
    expect(failed).toMatchObject({ isError: true, code: "FS_NOT_FOUND" });
    expect(failed.message).toContain('it is a dangling symlink to "no\\nwhere". Write to that path');
  });

  it("refuses a directory, a redaction placeholder and a lone surrogate", async () => {
    const bench = memoryBench({ "directory/": "" });
    expect(await bench.call("write", { path: "directory", content: "x" })).toMatchObject({ code: "FS_NOT_A_FILE" });
    expect(await bench.call("write", { path: "a", content: "key=⟦redacted:token⟧\n" })).toMatchObject({
      code: "CALL_INVALID",
      message: expect.stringContaining("secret"),
    });
    expect(await bench.call("write", { path: "a", content: "\ud800" })).toMatchObject({ code: "CALL_INVALID" });
    expect(await bench.call("write", { path: "artifact:1", content: "x" })).toMatchObject({ code: "FS_BAD_PATH" });
    expect(await bench.call("write", { path: "./artifact:1", content: "x" })).toMatchObject({ isError: false });
  });

  it("stores the replaced bytes as an artifact and lists what was not preserved", async () => {
    const bench = memoryBench();
    const old = "\ufeffold\r\nlines\r\n";
    await bench.put("a.txt", old);
    const call = await bench.call<WriteData>("write", { path: "a.txt", content: "new\n" }, { gate: "off" });
    expect(call.data).toMatchObject({ created: false, beforeHash: sha256(old), afterHash: sha256("new\n") });
    expect(call.data?.differs).toEqual(["its BOM", "its line endings (CRLF; the new file has LF)"]);
    const backup = call.details?.backup as { artifact: string; bytes: number };
    const kept = await bench.session.artifacts.read(backup.artifact, 0, 100);
    expect(typeof kept !== "string" && new TextDecoder("utf-8", { ignoreBOM: true }).decode(kept.bytes)).toBe(old);
    expect(call.truncations).toMatchObject([{ artifact: backup.artifact, producedBytes: 15, keptBytes: 15 }]);
    const same = await bench.call("write", { path: "a.txt", content: "new\n" });
    expect([same.details, same.truncations]).toEqual([undefined, []]);
  });

  it("reports that the replaced bytes were not stored where they are over the limit", async () => {
    const bench = memoryBench({ "a.txt": "older" });
    const limits = { gate: "off", maxBackupBytes: 4 };
    const call = await bench.call<WriteData>("write", { path: "a.txt", content: "new" }, limits);
    expect(call.data).toMatchObject({ created: false, beforeHash: sha256("older") });
    expect(call.details).toEqual({ backup: { kept: false, sizeBytes: 5, maxBytes: 4 } });
    expect(call.truncations).toMatchObject([{ what: "the replaced bytes of a.txt", producedBytes: 5, keptBytes: 0 }]);
    expect(await bench.session.artifacts.list()).toEqual([]);
    await bench.put("a.txt", "older");
    const same = await bench.call("write", { path: "a.txt", content: "older" }, limits);
    expect([same.details, same.truncations]).toEqual([undefined, []]);
  });

  it("stores the old bytes where the write failed and may be incomplete", async () => {
    const backend = withFs(createMemoryBackend({ files: { "a.txt": "old" } }), () => ({
      replaceAtomic: () => Promise.reject(new HaftError("FS_IO", "half of it")),
    }));
    const bench = toolBench({ backend });
    const call = await bench.call("write", { path: "a.txt", content: "new" }, { gate: "off" });
    expect(call).toMatchObject({ code: "FS_IO" });
    expect(await bench.session.artifacts.list()).toMatchObject([{ what: "the replaced bytes of a.txt", keptBytes: 3 }]);
  });

  it("reports how many of the replaced bytes were stored where the session has no room for all", async () => {
    const options = { ids: bareHost().ids, now: () => 0 };
    const narrow = { ...newSession("narrow"), artifacts: memoryArtifacts({ ...options, partBytes: 4 }) };
    const part = memoryBench({ "a.txt": "0123456789" }, { session: narrow });
    const partly = await part.call("write", { path: "a.txt", content: "new" }, { gate: "off" });
    expect(partly.details).toMatchObject({ backup: { artifact: expect.any(String), bytes: 8, sizeBytes: 10 } });
    const full = { ...newSession("full"), artifacts: memoryArtifacts({ ...options, partBytes: 0 }) };
    const none = memoryBench({ "a.txt": "0123456789" }, { session: full });
    const gone = await none.call("write", { path: "a.txt", content: "new" }, { gate: "off" });
    expect(gone.details).toEqual({ backup: { kept: false, sizeBytes: 10 } });
  });
});

describe("expect", () => {
  it("replaces only what it names", async () => {
    const bench = memoryBench({ "a.txt": "old" });
    const wrong = await bench.call("write", { path: "a.txt", content: "new", expect: sha256("other") });
    expect(wrong).toMatchObject({ code: "FS_STALE", details: { found: sha256("old"), sizeBytes: 3 } });
    expect(await bench.call("write", { path: "a.txt", content: "new", expect: "absent" })).toMatchObject({
      code: "FS_STALE",
    });
    expect(await bench.bytes("a.txt")).toBe("old");
    const right = { path: "a.txt", content: "new", expect: sha256("old").toUpperCase() };
    expect(await bench.call("write", right)).toMatchObject({ isError: false });
    expect(await bench.call("write", { path: "b.txt", content: "b", expect: sha256("x") })).toMatchObject({
      code: "FS_STALE",
    });
    expect(await bench.call("write", { path: "b.txt", content: "b", expect: "absent" })).toMatchObject({
      isError: false,
    });
    expect(await bench.call("write", { path: "b.txt", content: "b", expect: "zz" })).toMatchObject({
      code: "CALL_INVALID",
    });
  });
});

describe("the gate of this dialect", () => {
  it("refuses an unread file that is not empty, and reports what `expect` accepts", async () => {
    const bench = memoryBench({ "a.txt": "old", "empty.txt": "" });
    const refused = await bench.call("write", { path: "a.txt", content: "new" });
    expect(refused).toMatchObject({
      code: "FS_NOT_READ",
      details: { sizeBytes: 3, sha256: sha256("old"), modifiedMs: expect.any(Number) },
    });
    expect(await bench.bytes("a.txt")).toBe("old");
    const hash = refused.details?.sha256;
    expect(await bench.call("write", { path: "a.txt", content: "new", expect: hash })).toMatchObject({
      isError: false,
    });
    expect(await bench.call("write", { path: "empty.txt", content: "x" })).toMatchObject({ isError: false });
  });

  it("lets a file through that was read, refuses it after another content, and not after a touch", async () => {
    const bench = memoryBench({ "a.txt": "one" });
    await bench.call("read", { path: "a.txt" });
    await bench.put("a.txt", "two");
    expect(await bench.call("write", { path: "a.txt", content: "x" })).toMatchObject({ code: "FS_STALE" });
    await bench.put("a.txt", "one");
    expect(await bench.call("write", { path: "a.txt", content: "x" })).toMatchObject({ isError: false });
    expect(await bench.call("write", { path: "a.txt", content: "y" })).toMatchObject({ isError: false });
  });
});

describe("the seed's gate", () => {
  verifies(["IR-069", "IR-129"], "asks the handle about every file that exists, and about no new one", async () => {
    const handle = new Map<string, ReadStateRecord>();
    const bench = memoryBench({ "a.txt": "old", "empty.txt": "" }, { framework: { readState: handle } });
    expect(await bench.call("write", { path: "a.txt", content: "new" }, HANDLE)).toMatchObject({ code: "FS_NOT_READ" });
    expect(await bench.call("write", { path: "empty.txt", content: "new" }, HANDLE)).toMatchObject({
      code: "FS_NOT_READ",
    });
    expect(await bench.call("write", { path: "new.txt", content: "new" }, HANDLE)).toMatchObject({ isError: false });
    await bench.call("read", { path: "a.txt" });
    expect(await bench.call("write", { path: "a.txt", content: "new" }, HANDLE)).toMatchObject({ isError: false });
  });

  verifies("IR-020", "is open where the host passed no handle in", async () => {
    const bench = memoryBench({ "a.txt": "old" });
    expect(await bench.call("write", { path: "a.txt", content: "new" }, HANDLE)).toMatchObject({ isError: false });
  });

  verifies("IR-070", "knows the file after its own write", async () => {
    const bench = memoryBench({}, { framework: { readState: new Map() } });
    await bench.call("write", { path: "a.txt", content: "one\n" }, HANDLE);
    const edits = [{ oldText: "one", newText: "two" }];
    expect(await bench.call("edit", { path: "a.txt", edits }, HANDLE)).toMatchObject({ isError: false });
    expect(await bench.call("write", { path: "a.txt", content: "three\n" }, HANDLE)).toMatchObject({ isError: false });
  });

  verifies("IR-130", "refuses after a later time or another size, below a millisecond nothing", async () => {
    const handle = new Map<string, ReadStateRecord>();
    const bench = memoryBench({ "a.txt": "old" }, { framework: { readState: handle } });
    await bench.call("read", { path: "a.txt" });
    const key = "/workspace/a.txt";
    const record = handle.get(key)!;
    const write = () => bench.call("write", { path: "a.txt", content: "old" }, HANDLE);
    handle.set(key, { ...record, mtimeMs: record.mtimeMs - 5 });
    expect(await write()).toMatchObject({ code: "FS_STALE" });
    handle.set(key, { ...record, size: 4 });
    expect(await write()).toMatchObject({ code: "FS_STALE" });
    handle.set(key, { ...record, mtimeMs: record.mtimeMs + 0.9 });
    expect(await write()).toMatchObject({ isError: false });
  });

  it("sees a content of the same size and time (W25)", async () => {
    const handle = new Map<string, ReadStateRecord>();
    const bench = memoryBench({ "a.txt": "old" }, { framework: { readState: handle } });
    await bench.call("read", { path: "a.txt" });
    const record = handle.get("/workspace/a.txt")!;
    handle.set("/workspace/a.txt", { ...record, contentHash: sha256("odd") });
    expect(await bench.call("write", { path: "a.txt", content: "new" }, HANDLE)).toMatchObject({ code: "FS_STALE" });
  });

  verifies(
    "IR-131",
    "leaves it to the tool to say that a file is not there, and stays shut at other trouble",
    async () => {
      const backend = createMemoryBackend({ files: { "a.txt": "old" } });
      const framework = { readState: new Map<string, ReadStateRecord>() };
      const bench = toolBench({ backend, framework });
      const edits = [{ oldText: "a", newText: "b" }];
      expect(await bench.call("edit", { path: "missing.txt", edits }, HANDLE)).toMatchObject({ code: "FS_NOT_FOUND" });
      const unseen = withFs(backend, () => ({ stat: () => Promise.reject(new HaftError("FS_PERMISSION", "no")) }));
      const shut = toolBench({ backend: unseen, framework });
      expect(await shut.call("write", { path: "a.txt", content: "new" }, HANDLE)).toMatchObject({
        code: "FS_PERMISSION",
      });
      expect(await bench.bytes("a.txt")).toBe("old");
    },
  );
});
