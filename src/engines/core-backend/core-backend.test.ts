import { describe, expect, it } from "vitest";
import type { CoreFs, CoreShell } from "../../kernel/index.js";
import { bindAll, expectError, fakeClock, treeGrant } from "../../testing/index.js";
import { type BackendCore, completeBackend } from "./index.js";

/** Files of a third party that throws errors of its own making; "link" is a symlink that leads to an unknown place. */
function mapFs(files: Map<string, Uint8Array>): CoreFs {
  const isDir = (path: string) => path === "/" || [...files.keys()].some((name) => name.startsWith(`${path}/`));
  const get = (path: string): Uint8Array => {
    const bytes = files.get(path);
    if (bytes === undefined) throw new Error("key not found");
    return bytes;
  };
  return {
    readBytes: async (path) => get(path),
    writeFile: async (path, data) => {
      if (path.endsWith("full")) throw new Error("bucket is over its quota");
      files.set(path, data.slice());
    },
    stat: async (path) => ({
      isFile: !isDir(path) && get(path) !== undefined,
      isDirectory: isDir(path),
      isSymlink: path.endsWith("/link"),
      size: files.get(path)?.length ?? 0,
      modifiedMs: 1_000.5,
    }),
    readDir: async (path) => {
      const names = [...files.keys()].flatMap((name) =>
        name.startsWith(`${path}/`) ? [name.slice(path.length + 1).split("/")[0] as string] : [],
      );
      return [...new Set(names)].map((name) => ({ name }));
    },
    mkdir: async () => {},
    rm: async (path) => void files.delete(path),
    exists: async (path) => files.has(path) || isDir(path),
  };
}

const SILENT = { stdout: new Uint8Array(), stderr: new Uint8Array(), code: null };

function opened(more: Partial<BackendCore> = {}) {
  const clock = fakeClock();
  const files = new Map([
    ["/data/a.txt", new TextEncoder().encode("alpha\nbeta\n")],
    ["/data/link", new TextEncoder().encode("elsewhere")],
  ]);
  const backend = completeBackend({ name: "map", fs: mapFs(files), cwd: "/data", clock, ...more });
  return { backend, clock, files };
}

const QUERY = {
  root: "/data",
  includeIgnored: false,
  prune: [],
  order: "path",
  offset: 0,
  limit: 10,
  mode: "content",
  context: 0,
  maxLineBytes: 100,
  binary: "any-nul",
  pattern: { source: "e", syntax: "literal", ignoreCase: false, multiline: false },
} as const;

describe("a completed backend", () => {
  it("understands errors without codes by looking again, and passes on the words of the others", async () => {
    const { fs } = bindAll(opened());
    await expectError(fs.readText("/data/gone"), "FS_NOT_FOUND", "a missing file");
    await expectError(fs.readText("/data"), "FS_NOT_A_FILE", "a directory");
    await expectError(fs.readText("/data/a.txt/below"), "FS_NOT_A_DIRECTORY", "below a file");
    const error = await expectError(fs.writeFile("/data/full", "x"), "FS_IO", "an error of its own");
    expect(error.message).toContain("bucket is over its quota");
    expect(await fs.exists("/data/gone")).toBe(false);
    expect((await fs.stat("/data/a.txt")).modifiedMs).toBe(1_000);
  });

  it("refuses a symlink that it cannot follow, unless everything is granted, and searches past it", async () => {
    const on = opened();
    const { fs, search } = bindAll(on, treeGrant("/data"));
    await expectError(fs.readText("/data/link"), "BACKEND_UNSUPPORTED", "reading through the link");
    await expect(fs.readText("/data/link")).rejects.toThrow(
      /^Did not \w+ "\/data\/link": it is a symlink, and the backend "[\w-]+" cannot resolve symlinks\. Use the real path\.$/,
    );
    await expectError(fs.writeFile("/data/link", "x"), "BACKEND_UNSUPPORTED", "writing through the link");
    expect((await fs.stat("/data/link")).kind).toBe("link");
    expect(await bindAll(on).fs.readText("/data/link")).toBe("elsewhere");
    const everywhere = { path: "/", access: ["read"], scope: "tree" } as const;
    const here = { path: "/data", access: ["write"], scope: "tree" } as const;
    const reader = bindAll(on, { files: [everywhere, here] }).fs;
    expect(await reader.readText("/data/link")).toBe("elsewhere");
    await expectError(reader.writeFile("/data/link", "x"), "BACKEND_UNSUPPORTED", "writing where only reading is free");
    const hidden = bindAll(on, { files: [everywhere], except: ["/secret"] }).fs;
    await expectError(hidden.readText("/data/link"), "BACKEND_UNSUPPORTED", "reading where something is excepted");
    const lines: string[] = [];
    for await (const record of search.grep(QUERY)) {
      lines.push(record.kind === "hit" ? `${record.path}:${record.line}` : record.why);
    }
    expect(lines).toEqual(["/data/a.txt:2", "complete"]);
  });

  it("judges a symlink that it can follow at its real place", async () => {
    const on = opened({ realPath: async (path) => path.replace("/data/link", "/secret/file") });
    await expectError(
      bindAll(on, treeGrant("/data")).fs.readText("/data/link"),
      "POLICY_DENIED",
      "reading through the link",
    );
  });

  it("has no commands without a shell, and no jobs with one", async () => {
    const on = opened();
    const command = { command: "true", cwd: "/data", background: "keep" as const };
    await expectError(
      bindAll(on, { commands: [command] }).shell.exec("true", { cwd: "/data" }),
      "BACKEND_UNSUPPORTED",
      "exec",
    );
    const shell = { exec: async () => ({ ...SILENT, code: 0 }) };
    const bound = bindAll(opened({ shell }), { commands: [command] }).shell;
    expect(await bound.exec("true", { cwd: "/data" })).toMatchObject({
      began: "yes",
      ended: "itself",
      exit: { by: "code", code: 0 },
      tree: { state: "unseen" },
    });
    await expectError(bound.spawn("true", { cwd: "/data", lifetime: "host" }), "BACKEND_UNSUPPORTED", "spawn");
    expect(await bound.attach("any")).toBeNull();
  });

  it("settles although the core never answers, and says that nothing was seen of the tree", async () => {
    const on = opened({ shell: { exec: () => new Promise(() => {}) } });
    const { shell } = bindAll(on, { commands: [{ command: "hang", cwd: "/data" }] });
    const running = shell.exec("hang", { cwd: "/data", timeoutMs: 1_000, graceMs: 500 });
    await on.clock.advance(10_000);
    expect(await running).toMatchObject({
      began: "yes",
      ended: "deadline",
      exit: { by: "none" },
      tree: { state: "unseen" },
    });
  });

  it("reports a command whose core throws before it returns a promise, and leaves no timer behind", async () => {
    const exec = () => {
      throw new Error("no such container");
    };
    const on = opened({ shell: { exec } });
    const { shell } = bindAll(on, { commands: [{ command: "true", cwd: "/data" }] });
    const result = await shell.exec("true", { cwd: "/data", timeoutMs: 60_000 });
    expect(result).toMatchObject({ began: "unknown", ended: "spawn-error", problem: "no such container" });
    expect(on.clock.waiting).toBe(0);
  });

  it("counts what it cannot list or read in a search, though its core throws before it gives a promise", async () => {
    const on = opened();
    const refused = (path: string) => path.endsWith("/refused");
    const fs = mapFs(on.files);
    on.files.set("/data/refused/a", new Uint8Array());
    on.files.set("/data/sub/refused", new TextEncoder().encode("alpha"));
    const core: CoreFs = {
      ...fs,
      readDir: (path) => {
        if (refused(path)) throw new Error("no answer");
        return fs.readDir(path);
      },
      readBytes: (path) => {
        if (refused(path)) throw new Error("no answer");
        return fs.readBytes(path);
      },
    };
    const records: unknown[] = [];
    for await (const record of bindAll(opened({ fs: core })).search.grep({
      ...QUERY,
      pattern: { ...QUERY.pattern, source: "alpha" },
    }))
      records.push(record.kind === "hit" ? record.path : [record.why, record.unreadable]);
    expect(records).toEqual(["/data/a.txt", ["complete", ["/data/refused", "/data/sub/refused"]]]);
  });

  it("ends a command whose signal fired while its directory was looked at", async () => {
    const stop = new AbortController();
    const shell = {
      exec: (_command: string, options: { readonly signal?: AbortSignal }) =>
        options.signal?.aborted === true ? Promise.resolve(SILENT) : new Promise<never>(() => {}),
    };
    const on = opened({ shell });
    const fs = mapFs(on.files);
    const core = {
      ...fs,
      stat: (path: string) => {
        stop.abort();
        return fs.stat(path);
      },
    };
    const bound = bindAll(opened({ shell, fs: core }), { commands: [{ command: "true", cwd: "/data" }] }).shell;
    expect(await bound.exec("true", { cwd: "/data", signal: stop.signal })).toMatchObject({ ended: "cancelled" });
  });

  it("aborts what runs when it is closed, and runs nothing afterwards", async () => {
    let aborted = false;
    const exec: CoreShell["exec"] = (_command, { signal }) =>
      new Promise((resolve) => {
        signal?.addEventListener("abort", () => {
          aborted = true;
          resolve(SILENT);
        });
      });
    const { backend } = opened({ shell: { exec } });
    const running = backend.root.shell.exec("wait", { cwd: "/data" });
    // Its directory is looked at first.
    await new Promise((resolve) => setImmediate(resolve));
    await backend.close();
    expect([(await running).ended, aborted]).toEqual(["cancelled", true]);
    await expectError(backend.root.shell.exec("wait", { cwd: "/data" }), "BACKEND_UNAVAILABLE", "exec");
  });

  it("closes the core once and binds nothing afterwards", async () => {
    let closed = 0;
    const { backend } = opened({
      close: async () => {
        closed += 1;
      },
    });
    await backend.close();
    expect(await backend.close()).toEqual({ left: [] });
    expect([closed, backend.state()]).toEqual([1, "closed"]);
    expect(() => backend.bind({} as never, {} as never)).toThrow(/is closed/);
  });
});
