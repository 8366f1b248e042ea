/** Promises to users of earlier versions that no single module keeps: they hold for all parts together. */

import ts from "typescript";
import { describe, expect } from "vitest";
import * as haft from "../src/index.js";
import {
  type Backend,
  createToolkit,
  type Fs,
  makeLocalContext,
  openBackend,
  resetTodos,
  type Toolkit,
} from "../src/index.js";
import type { CoreFs } from "../src/kernel/index.js";
import { verifies } from "../src/testing/verifies.fixture.js";
import { moduleOf, readSources } from "./architecture/source-tree.js";

const DIRECTORY = "/project";

/** The types refuse a core operation without a name. */
true satisfies Exclude<keyof CoreFs, (typeof haft.INDUSAGI_FS_NAMES)[keyof typeof haft.INDUSAGI_FS_NAMES]> extends never
  ? true
  : false;

/** A toolkit on the memory backend, which `change` may wrap, with one file. */
async function inMemory(change: (backend: Backend) => Backend = (backend) => backend): Promise<Toolkit> {
  const backend = change(await openBackend("memory", { cwd: DIRECTORY }));
  await backend.root.fs.mkdir(`${DIRECTORY}/src`, true);
  await backend.root.fs.writeFile(`${DIRECTORY}/src/a.txt`, "one\ntwo\n");
  return createToolkit({
    autonomy: "full",
    persist: false,
    on: "memory",
    backends: { memory: backend },
    workspace: DIRECTORY,
    gate: "off",
  });
}

/** The same object; each method call is reported before it happens. */
function watched<T extends object>(target: T, onCall: (method: string, args: readonly unknown[]) => void): T {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(object, name) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        onCall(String(name), args);
        return Reflect.apply(value, object, args) as unknown;
      };
    },
  });
}

describe("promises kept together", () => {
  verifies("IR-024", "a backend is handed absolute, worked-out paths, however the model spells them", async () => {
    const paths: string[] = [];
    const note = (_: string, [first]: readonly unknown[]) => paths.push(...([first].flat() as string[]));
    const toolkit = await inMemory((backend) => ({
      ...backend,
      bind(grant, call) {
        const ports = backend.bind(grant, call);
        return { ...ports, fs: watched<Fs>(ports.fs, note) };
      },
    }));
    const { runner } = toolkit.box();
    for (const path of ["src/a.txt", "./src/../src/a.txt", "src//a.txt", `${DIRECTORY}/src/./a.txt`]) {
      await runner.run({ id: "1", name: "read", input: { path } });
      await runner.run({ id: "2", name: "edit", input: { path, oldText: "one", newText: "one " } });
    }
    await runner.run({ id: "3", name: "write", input: { path: "new/../new/b.txt", content: "x" } });
    await toolkit.close();
    expect(paths.length).toBeGreaterThan(8);
    expect(paths.filter((path) => !/^\/(?!.*(\/\.{0,2}\/|\/\.{0,2}$))/.test(path))).toEqual([]);
  });

  verifies("IR-092", "a search that is cancelled on its way ends as a cancelled call", async () => {
    const controller = new AbortController();
    const toolkit = await inMemory((backend) => ({
      ...backend,
      bind(grant, call) {
        const ports = backend.bind(grant, call);
        return { ...ports, search: watched(ports.search, () => controller.abort()) };
      },
    }));
    const { runner } = toolkit.box();
    const outcome = await runner.run(
      { id: "1", name: "grep", input: { pattern: "one" } },
      { signal: controller.signal },
    );
    await toolkit.close();
    expect(outcome).toMatchObject({ isError: true, status: "cancelled" });
  });

  verifies("IP-007", "two contexts of equal directories are two sessions, each with its own list", async () => {
    const toolkit = await inMemory();
    const contexts = [await makeLocalContext(DIRECTORY, toolkit), await makeLocalContext(DIRECTORY, toolkit)] as const;
    const set = toolkit.registry.get("todo_set");
    const items = [{ id: "1", text: "first", status: "pending" }];
    await set.invoke({ id: "1", name: "todo_set", input: { items } }, contexts[0]);
    const read = (context: (typeof contexts)[number]) =>
      toolkit.registry.get("todo_read").invoke({ id: "2", name: "todo_read", input: {} }, context);
    expect(String((await read(contexts[0])).output)).toContain("first");
    expect(String((await read(contexts[1])).output)).not.toContain("first");
    await toolkit.close();
  });

  verifies(
    "IP-011",
    "the local context has one constructor, and it works; there is none that only raises",
    async () => {
      expect("makeContext" in haft).toBe(false);
      const toolkit = await inMemory();
      expect(await makeLocalContext(DIRECTORY, toolkit)).toMatchObject({ cwd: DIRECTORY });
      await toolkit.close();
    },
  );

  verifies("IP-016", "the types of the boundary are declared in the kernel and nowhere else", () => {
    const names = ["ToolCall", "ToolOutcome", "ToolBox", "ToolDescriptor", "JsonSchema"];
    const declared = readSources().flatMap((file) =>
      file.tree.statements
        .filter((one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one))
        .filter((one) => names.includes(one.name.text))
        .map((one) => `${one.name.text} in ${moduleOf(file.path)}`),
    );
    expect(declared.sort()).toEqual(names.map((name) => `${name} in kernel`).sort());
  });

  verifies(
    "IP-019",
    "the eight file operations stand under one exported table of names, whose every entry works",
    async () => {
      const named = "read_text read_bytes write_file stat readdir mkdir rm exists".split(" ");
      expect(Object.keys(haft.INDUSAGI_FS_NAMES)).toEqual(named);
      const backend = await openBackend("memory", { cwd: DIRECTORY });
      const { fs } = backend.root;
      const seedFs = Object.fromEntries(
        Object.entries(haft.INDUSAGI_FS_NAMES).map(([seed, ours]) => [
          seed,
          (fs[ours] as (...args: unknown[]) => unknown).bind(fs),
        ]),
      ) as Record<keyof typeof haft.INDUSAGI_FS_NAMES, (...args: unknown[]) => Promise<unknown>>;
      await seedFs.mkdir(`${DIRECTORY}/a/b`, true);
      await seedFs.write_file(`${DIRECTORY}/a/f.txt`, "text");
      expect(await seedFs.read_text(`${DIRECTORY}/a/f.txt`)).toBe("text");
      expect(await seedFs.read_bytes(`${DIRECTORY}/a/f.txt`)).toEqual(new TextEncoder().encode("text"));
      expect(await seedFs.stat(`${DIRECTORY}/a/f.txt`)).toMatchObject({ kind: "file", size: 4 });
      expect(await seedFs.readdir(`${DIRECTORY}/a`)).toMatchObject({ children: [{ name: "b" }, { name: "f.txt" }] });
      await seedFs.rm(`${DIRECTORY}/a`, { recursive: true, ignoreMissing: false });
      expect(await seedFs.exists(`${DIRECTORY}/a`)).toBe(false);
      await backend.close();
    },
  );

  verifies("IP-028", "a host reads, replaces and resets the lists of its sessions", async () => {
    const toolkit = await inMemory();
    const { session } = toolkit.session("one");
    await session.todo.replace([{ id: "1", text: "first", status: "active" }]);
    expect(await session.todo.read()).toEqual([{ id: "1", text: "first", status: "active" }]);
    await resetTodos(toolkit);
    expect(await session.todo.read()).toEqual([]);
    await toolkit.close();
  });
});
