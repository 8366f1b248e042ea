/** Promises to those who know a forerunner, each proven by a call that goes the whole way: toolkit, dialect, box, backend. */

import { describe, expect } from "vitest";
import {
  createMemoryBackend,
  type MemoryBackendOptions,
  type MemoryCommandContext,
} from "../src/backends/memory/index.js";
import * as haft from "../src/index.js";
import {
  allowAllPolicy,
  clamp,
  createToolkit,
  denyByDefaultPolicy,
  diffLines,
  renderUnifiedDiff,
} from "../src/index.js";
import type { Backend, Fs, ReadStateRecord, ShellOptions } from "../src/kernel/index.js";
import { fakeClock } from "../src/testing/fakes/fake-clock.js";
import { override, wrapBackend } from "../src/testing/fakes/wrap-backend.js";
import { fc, runCount } from "../src/testing/property.fixture.js";
import { verifies } from "../src/testing/verifies.fixture.js";
import type { ToolkitOptions } from "../src/toolkit/index.js";

const WORKSPACE = "/files";
const MIB = 1_048_576;

/** A toolkit in a seed's dialect on a memory backend, which `change` may wrap. */
async function toolkitOf(
  dialect: string,
  memory: MemoryBackendOptions = {},
  options: ToolkitOptions = {},
  change: (backend: Backend) => Backend = (backend) => backend,
) {
  const backend = createMemoryBackend({ cwd: WORKSPACE, files: { "a.txt": "one\n" }, ...memory });
  const backends = { memory: change(backend) };
  const toolkit = await createToolkit({
    autonomy: "full",
    workspace: WORKSPACE,
    persist: false,
    on: "memory",
    backends,
    dialect,
    ...options,
  });
  const box = toolkit.box("all");
  let count = 0;
  const run = (name: string, input: unknown) => box.runner.run({ id: String(++count), name, input });
  return {
    backend,
    names: box.descriptors().map(({ name }) => name),
    run,
    /** The outcome in the shape that the dialect's hosts expect. */
    envelope: async (name: string, input: unknown) => toolkit.dialect.envelope(await run(name, input)),
    close: () => toolkit.close(),
  };
}

describe("a command of indusagi", () => {
  verifies("IR-100", "is given to the shell of the backend with its time limit, and the backend ends it", async () => {
    const given: [command: string, timeoutMs: number | undefined][] = [];
    const clock = fakeClock();
    const { run, close } = await toolkitOf("indusagi", { clock }, {}, (backend) =>
      wrapBackend(backend, {
        shell: (shell) =>
          override(shell, {
            exec(command: string, options: ShellOptions) {
              given.push([command, options.timeoutMs]);
              return shell.exec(command, options);
            },
          }),
      }),
    );
    expect((await run("bash", { command: "echo out" })).output).toContain("out");
    await run("bash", { command: "echo late", timeoutMs: 1_500 });
    expect(given).toEqual([
      ["echo out", 120_000],
      ["echo late", 1_500],
    ]);
    // Nothing but the clock of the backend moves, so nothing else can have ended it.
    const slow = run("bash", { command: "sleep 60", timeoutMs: 2_000 });
    await clock.advance(1_999);
    expect(await Promise.race([slow, "running"])).toBe("running");
    await clock.advance(6_000);
    expect(await slow).toMatchObject({ isError: true, code: "SHELL_TIMEOUT" });
    await close();
  });

  verifies("IR-100", "runs as `sh -c` on this machine", async () => {
    const toolkit = await createToolkit({ autonomy: "full", workspace: "/tmp", persist: false, dialect: "indusagi" });
    const command = "xargs -0 printf '[%s]' < /proc/$$/cmdline";
    const { output } = await toolkit.box().runner.run({ id: "1", name: "bash", input: { command } });
    expect(output).toMatch(/^stdout:\n\[(?:\/bin\/)?sh\]\[-c\]/);
    await toolkit.close();
  });
});

describe("the read gate of indusagi", () => {
  const READ_MS = 1234.9;
  /** `modifiedMs` undefined: the stat fails. */
  const gated = async (modifiedMs: () => number | undefined, changed: () => void = () => {}) => {
    const readState = new Map<string, ReadStateRecord>();
    const opened = await toolkitOf("indusagi", {}, { framework: { readState } }, (backend) =>
      wrapBackend(backend, {
        fs: (fs) =>
          override(fs, {
            async stat(path: string) {
              const ms = modifiedMs();
              if (ms === undefined) throw new Error("stat failed");
              return { ...(await fs.stat(path)), modifiedMs: ms };
            },
            async replaceAtomic(...args: Parameters<Fs["replaceAtomic"]>) {
              const replaced = await fs.replaceAtomic(...args);
              changed();
              return replaced;
            },
          }),
      }),
    );
    return { ...opened, readState };
  };

  verifies("IR-132", "keeps a time in whole milliseconds: 1234.9 and then 1234.2 is no change", async () => {
    let modifiedMs = READ_MS;
    const { run, readState, close } = await gated(() => modifiedMs);
    await run("read", { path: "a.txt" });
    expect(readState.get("/files/a.txt")?.mtimeMs).toBe(1234);
    modifiedMs = 1234.2;
    expect(await run("edit", { path: "a.txt", oldText: "one", newText: "two" })).toMatchObject({ isError: false });
    modifiedMs = 1235;
    expect(await run("edit", { path: "a.txt", oldText: "two", newText: "three" })).toMatchObject({ code: "FS_STALE" });
    await close();
  });

  verifies("IR-132", "takes no harm from a stat that fails while a change is recorded", async () => {
    for (const [tool, input] of [
      ["write", { path: "a.txt", content: "two\n" }],
      ["edit", { path: "a.txt", oldText: "one", newText: "two" }],
    ] as const) {
      let isChanged = false;
      const { run, backend, close } = await gated(
        () => (isChanged ? undefined : READ_MS),
        () => {
          isChanged = true;
        },
      );
      await run("read", { path: "a.txt" });
      expect([tool, await run(tool, input)]).toMatchObject([tool, { isError: false }]);
      expect(await backend.root.fs.readText("/files/a.txt")).toBe("two\n");
      await close();
    }
  });
});

verifies("IR-139", "clamp, diffLines and renderUnifiedDiff are exported and need no backend", () => {
  expect(clamp("a".repeat(10), { kind: "head", maxBytes: 4, notice: (left) => `[${left}]` })).toBe("aaaa[6]");
  const diff = diffLines("a\nb\n", "a\nc\n");
  expect(diff).toMatchObject({ added: 1, removed: 1 });
  expect(renderUnifiedDiff("a\nb\n", "a\nc\n")).toContain("-b\n+c");
});

verifies("IP-024", "each of the twelve tools can be imported, and is presented in the dialect", () => {
  const constants: readonly haft.DefinedTool[] = [
    haft.readTool,
    haft.lsTool,
    haft.grepTool,
    haft.findTool,
    haft.websearchTool,
    haft.webfetchTool,
    haft.writeTool,
    haft.editTool,
    haft.bashTool,
    haft.todoSetTool,
    haft.todoReadTool,
    haft.processTool,
  ];
  const presented = constants.map((tool) =>
    haft.presentTool(tool, haft.indusagiDialect.tools[tool.name]!, haft.indusagiDialect),
  );
  expect(presented.map(({ name }) => name)).toEqual(haft.builtinRegistry(haft.indusagiDialect).names());
});

describe("zeroclaw", () => {
  const RESULT = { success: expect.any(Boolean), output: expect.any(String) };

  verifies(
    "ZC-004",
    "answers arguments of any form with a result, whose error says something and gives nothing away",
    async () => {
      const env = { HAFT_SECRET: "s3cr3t-value" };
      const { names, envelope, close } = await toolkitOf("zeroclaw", { env }, { policy: allowAllPolicy() });
      expect(names).toEqual(["shell", "file_read", "file_write", "http_request", "web_fetch"]);
      const parameter = fc.constantFrom(
        "command",
        "cmd",
        "sh",
        "path",
        "content",
        "approved",
        "headers",
        "body",
        "other",
      );
      const bag = fc.oneof(fc.anything(), fc.dictionary(parameter, fc.anything()), fc.json(), fc.string());
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...names), bag, async (name, input) => {
          const result = (await envelope(name, input)) as { success: boolean; output: string; error: string | null };
          expect(Object.keys(result)).toEqual(["success", "output", "error"]);
          expect(result).toMatchObject(RESULT);
          if (result.success) expect(result.error).toBeNull();
          else expect(result.error).toMatch(/\w/);
          expect(`${result.output}${result.error}`).not.toMatch(/s3cr3t-value|node_modules|\.[jt]s:\d+|^ +at /m);
          expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(2 * MIB + 64);
        }),
        { numRuns: runCount(400) },
      );
      await close();
    },
  );

  verifies(
    "ZC-007",
    "a command comes as `command`, else under its other names in their order, else alone; trimmed",
    async () => {
      const { envelope, close } = await toolkitOf("zeroclaw");
      const outputOf = async (input: unknown) => await envelope("shell", input);
      const ran = { success: true, output: "hi\n", error: null };
      for (const name of ["command", "cmd", "script", "shell_command", "bash", "sh"])
        expect([name, await outputOf({ [name]: "  echo hi\n" })]).toEqual([name, ran]);
      expect(await outputOf("  echo hi\n")).toEqual(ran);
      expect(await outputOf("ls")).toMatchObject({ success: true, output: "a.txt\n" });
      expect(await outputOf({ sh: "echo no", cmd: "echo no", command: "echo hi" })).toEqual(ran);
      expect(await outputOf({ sh: "echo no", script: "echo no", cmd: "echo hi" })).toEqual(ran);
      expect(await outputOf({})).toEqual({ success: false, output: "", error: "Missing 'command' parameter" });
      await close();
    },
  );

  verifies("ZC-012", "a command has 60 seconds, and a MiB of each stream, cut between characters", async () => {
    const clock = fakeClock();
    // Two bytes each but for the first, so that the limit falls inside a character.
    const large = `x${"é".repeat(MIB)}`;
    const both = {
      large: async ({ out, err }: MemoryCommandContext) => {
        await out(large);
        await err(large);
      },
    };
    const { envelope, run, close } = await toolkitOf(
      "zeroclaw",
      { clock, commands: both },
      { policy: allowAllPolicy() },
    );
    const kept = `x${"é".repeat(MIB / 2 - 1)}`;
    expect(Buffer.byteLength(kept)).toBe(MIB - 1);
    const result = (await envelope("shell", { command: "large" })) as { output: string };
    expect(result.output === `stdout:\n${kept}\n\nstderr:\n${kept}`).toBe(true);
    const slow = run("shell", { command: "sleep 100" });
    await clock.advance(59_999);
    expect(await Promise.race([slow, "running"])).toBe("running");
    await clock.advance(6_000);
    expect((await slow).content).toMatchObject([{ text: "Execution failed: command timed out after 60 seconds" }]);
    await close();
  });

  verifies("ZC-023", "a file that is not read is told by one of four texts", async () => {
    const policy = denyByDefaultPolicy({ roots: [WORKSPACE] });
    const { backend, envelope, close } = await toolkitOf("zeroclaw", { files: { "dir/b.txt": "x" } }, { policy });
    await backend.root.fs.mkdir("/outside", true);
    await backend.root.fs.writeFile("/outside/secret.txt", "secret");
    backend.plant({ kind: "link", path: "/files/link.txt", target: "/outside/secret.txt" });
    const errorOf = async (path: string) => await envelope("file_read", { path });
    const failed = (error: unknown) => ({ success: false, output: "", error });
    expect(await errorOf("../outside/secret.txt")).toEqual(
      failed("Path not allowed by security policy: ../outside/secret.txt"),
    );
    expect(await errorOf("gone.txt")).toEqual(failed("File not found: No such file or directory (os error 2)"));
    const resolved = failed("Resolved path not allowed by security policy: /outside/secret.txt");
    expect(await errorOf("link.txt")).toEqual(resolved);
    // Once the session knows of the symlink, it is resolved before the call begins.
    expect(await errorOf("link.txt")).toEqual(resolved);
    expect(await errorOf("dir")).toEqual(failed(expect.stringMatching(/^Failed to read file: Did not read "dir": ./)));
    await close();
  });
});
