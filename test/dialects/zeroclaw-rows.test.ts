/** Promises of ZeroClaw that a transcript cannot show, each proven by calls that go the whole way. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { createMemoryBackend } from "../../src/backends/memory/index.js";
import { haftDialect } from "../../src/dialects/index.js";
import { createToolkit, defineTool, text, zeroclawPolicy } from "../../src/index.js";
import { type DefinedTool, type Hooks, isRecord, type Policy, presentTool } from "../../src/kernel/index.js";
import { override, wrapBackend } from "../../src/testing/fakes/wrap-backend.js";
import { verifies } from "../../src/testing/verifies.fixture.js";
import type { ToolkitOptions } from "../../src/toolkit/index.js";
import { REPOSITORY } from "../architecture/source-tree.js";

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-zeroclaw-")));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function zeroclaw(options: ToolkitOptions) {
  const toolkit = await createToolkit({ dialect: "zeroclaw", persist: false, autonomy: "supervised", ...options });
  const box = toolkit.box();
  let count = 0;
  return {
    box,
    envelope: async (name: string, input: unknown) =>
      toolkit.dialect.envelope(await box.runner.run({ id: `c${++count}`, name, input })),
    [Symbol.asyncDispose]: async () => void (await toolkit.close()),
  };
}

const done = (output: string) => ({ success: true, output, error: null });
const failed = (error: unknown) => ({ success: false, output: "", error });

verifies("ZC-001", "a tool of a host is what it is authored as, and answers in the envelope", async () => {
  const parameters = {
    type: "object",
    properties: { name: { type: "string", description: "Whom to greet" } },
    required: ["name"],
  } as const;
  const greet = defineTool({
    name: "greet",
    description: "Greet somebody.",
    parameters,
    effect: "none",
    run: ({ name }) => text(`Hello, ${name}.`),
  });
  await using host = await zeroclaw({ on: "memory", tools: [greet] });
  expect(greet.descriptor()).toEqual({ name: "greet", description: "Greet somebody.", parameters });
  expect(await host.envelope("greet", { name: "Ada" })).toEqual(done("Hello, Ada."));
  expect(await host.envelope("greet", {})).toEqual(failed(expect.stringContaining("`name`")));
});

verifies("ZC-075", "the default tools are three, in order", async () => {
  const toolkit = await createToolkit({ dialect: "zeroclaw", on: "memory", persist: false });
  const names = toolkit
    .box("default")
    .descriptors()
    .map(({ name }) => name);
  expect(names).toEqual(["shell", "file_read", "file_write"]);
  await toolkit.close();
});

describe("a command", () => {
  verifies(
    ["ZC-009", "ZC-017"],
    "runs in the workspace with a clean environment, once the policy has allowed it",
    async () => {
      process.env.HAFT_TEST_SECRET = "k-123";
      const policy = await zeroclawPolicy({ allowedCommands: ["pwd", "env"] });
      await using host = await zeroclaw({ workspace: root, policy });
      expect(await host.envelope("shell", { command: "pwd" })).toEqual(done(`${root}\n`));
      const { output } = (await host.envelope("shell", { command: "env" })) as { readonly output: string };
      expect(output).toMatch(/^PATH=/m);
      expect(output).not.toMatch(/k-123/);
      const names = output.split("\n").flatMap((line) => /^(\w+)=/.exec(line)?.[1] ?? []);
      const own =
        "EDITOR GIT_EDITOR GIT_PAGER GIT_TERMINAL_PROMPT HAFT_TAG NO_COLOR PAGER LOGNAME TZ PWD OLDPWD SHLVL _";
      const usual = `PATH HOME TERM LANG LC_ALL LC_CTYPE USER SHELL TMPDIR ${own}`.split(" ");
      expect(names.filter((name) => !usual.includes(name))).toEqual([]);
      delete process.env.HAFT_TEST_SECRET;
    },
  );

  verifies("ZC-020", "is observed by a host that asks for it, with its end", async () => {
    const seen: unknown[] = [];
    const hooks: Hooks = {
      async aroundRun({ tool, input }, run) {
        seen.push([tool, isRecord(input) ? input.command : undefined]);
        const result = await run();
        const { data } = result;
        seen.push(isRecord(data) ? [data.ended, data.exitCode] : result.code);
        return result;
      },
    };
    await using host = await zeroclaw({ on: "memory", hooks });
    await host.envelope("shell", { command: "cat gone.txt" });
    await host.envelope("shell", { command: "touch a" });
    expect(seen).toEqual([
      ["shell", "cat gone.txt"],
      ["itself", 1],
    ]);
  });
});

verifies("ZC-022", "a path is judged as written, resolved, judged again, and only then read", async () => {
  const steps: string[] = [];
  const own = await zeroclawPolicy();
  const policy: Policy = {
    name: "spy",
    decide(claims, call) {
      const decision = own.decide(claims, call);
      for (const claim of claims) if (claim.kind === "file") steps.push(`${decision.effect} ${claim.path}`);
      return decision;
    },
  };
  const memory = createMemoryBackend({ cwd: "/project", files: { "a.txt": "a\n" } });
  await memory.root.fs.mkdir("/outside", true);
  await memory.root.fs.writeFile("/outside/secret.txt", "secret");
  memory.plant({ kind: "link", path: "/project/link.txt", target: "/outside/secret.txt" });
  const backend = wrapBackend(memory, {
    fs: (fs) =>
      override(fs, {
        openRead(...args: Parameters<typeof fs.openRead>) {
          steps.push(`open ${args[0]}`);
          return fs.openRead(...args);
        },
      }),
  });
  await using host = await zeroclaw({ workspace: "/project", on: "memory", backends: { memory: backend }, policy });
  expect(await host.envelope("file_read", { path: "/outside/secret.txt" })).toEqual(
    failed("Path not allowed by security policy: /outside/secret.txt"),
  );
  expect(steps.splice(0)).toEqual(["deny /outside/secret.txt"]);
  expect(await host.envelope("file_read", { path: "link.txt" })).toEqual(
    failed("Resolved path not allowed by security policy: /outside/secret.txt"),
  );
  expect(steps.slice(0, 1)).toEqual(["allow /project/link.txt"]);
  expect(steps.at(-1)).toBe("deny /outside/secret.txt");
});

verifies("ZC-028", "nothing is written through a symlink that leads out, and no directory is made there", async () => {
  const workspace = mkdtempSync(join(root, "ws-"));
  const outside = mkdtempSync(join(root, "out-"));
  symlinkSync(outside, join(workspace, "sub"));
  writeFileSync(join(outside, "a.txt"), "old");
  await using host = await zeroclaw({ workspace });
  for (const path of ["sub/deep/x.txt", "sub/a.txt"])
    expect(await host.envelope("file_write", { path, content: "x" })).toEqual(failed(`Path not allowed: ${path}`));
  expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe("old");
});

verifies("ZC-011", "a path that a symlink leads to is judged as that place, at every level", async () => {
  const workspace = mkdtempSync(join(root, "ws-"));
  symlinkSync("/etc", join(workspace, "conf"));
  writeFileSync(join(workspace, "a.txt"), "a\n");
  for (const autonomy of ["supervised", "full"] as const) {
    await using host = await zeroclaw({ workspace, autonomy });
    expect(await host.envelope("shell", { command: "cat conf/passwd" })).toEqual(
      failed("Path blocked by security policy: /etc/passwd"),
    );
    expect(await host.envelope("shell", { command: "cat a.txt" })).toEqual(done("a\n"));
  }
});

/** The TypeScript of a section of the tutorial, by the file that its heading names. */
function tutorialFiles(): readonly (readonly [path: string, source: string])[] {
  const page = readFileSync(join(REPOSITORY, "docs/guide/first-tool.md"), "utf8");
  return [...page.matchAll(/^## \d\. [^\n]*`(src\/[^`]+\.ts)`\n[\s\S]*?```ts\n([\s\S]*?)```/gm)].map(
    ([, path = "", source = ""]) => [path, source],
  );
}

verifies("ZC-102", "the recipe for a new tool works as it is written: checks, policy, run, result", async () => {
  const files = tutorialFiles();
  expect(files.map(([path]) => path)).toEqual([
    "src/tools/count-lines/contract.ts",
    "src/tools/count-lines/count-lines.ts",
    "src/dialects/haft/count-lines.ts",
  ]);
  // Beside each other, with their other imports from the repository.
  const place = (path: string) => join(root, path.replaceAll("/", "_"));
  for (const [path, source] of files) {
    const imported = source.replace(/from "(\.[^"]+)\.js"/g, (_, specifier: string) => {
      const target = join(REPOSITORY, path, "..", `${specifier}.ts`);
      const isNew = files.find(([other]) => join(REPOSITORY, other) === target);
      return `from ${JSON.stringify(isNew === undefined ? target : place(isNew[0]))}`;
    });
    writeFileSync(place(path), imported);
  }
  const load = async (path: string, name: string) =>
    ((await import(pathToFileURL(place(path)).href)) as Record<string, unknown>)[name];
  const tool = (await load("src/tools/count-lines/count-lines.ts", "countLinesTool")) as DefinedTool;
  const presenter = await load("src/dialects/haft/count-lines.ts", "haftCountLinesPresenter");
  const counting = presentTool(tool, presenter as Parameters<typeof presentTool>[1], haftDialect);
  const backend = createMemoryBackend({ cwd: "/project", files: { "a.txt": "one two\n\n  three\té\n" } });
  await using host = await zeroclaw({
    workspace: "/project",
    on: "memory",
    backends: { memory: backend },
    dialect: haftDialect,
    tools: [counting],
  });
  const { runner } = host.box;
  const answer = async (input: unknown) => await runner.run({ id: "c", name: "count_lines", input });
  expect(await answer({})).toMatchObject({ status: "invalid", code: "CALL_INVALID" });
  expect(await answer({ path: "/srv/a.txt" })).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
  expect(await answer({ path: "gone.txt" })).toMatchObject({ status: "failed", code: "FS_NOT_FOUND" });
  expect(await answer({ path: "a.txt" })).toMatchObject({
    output: expect.stringContaining('"a.txt" has 3 lines, 4 words, 20 bytes.'),
    structured: { lines: 3, words: 4, bytes: 20 },
  });
});
