/** Opening a box takes the same time however many sessions the state directory holds. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

const reads = vi.hoisted((): string[] => []);
vi.mock("node:fs", async (original) => {
  const actual = await original<typeof import("node:fs")>();
  const counted = ((path: string, ...more: []) => {
    reads.push(String(path));
    return actual.readdirSync(path, ...more);
  }) as typeof actual.readdirSync;
  return { ...actual, readdirSync: counted };
});
vi.mock("node:fs/promises", async (original) => {
  const actual = await original<typeof import("node:fs/promises")>();
  const counted = ((path: string, ...more: []) => {
    reads.push(String(path));
    return actual.readdir(path, ...more);
  }) as typeof actual.readdir;
  return { ...actual, readdir: counted };
});

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "haft-many-"));
  for (let index = 0; index < 200; index += 1) {
    const directory = join(root, "sessions", `s${index}`);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "session.json"), JSON.stringify({ id: `s${index}`, createdMs: 1, nonce: "n" }));
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it("does not list the sessions, nor does naming one", async () => {
  const { createToolkit } = await import("./index.js");
  const toolkit = await createToolkit({ autonomy: "full", stateDir: root, workspace: root, on: "memory" });
  reads.length = 0;
  toolkit.box("coding");
  toolkit.session("s7").box();
  toolkit.session("new").box();
  const below = reads.filter((path) => path.startsWith(join(root, "sessions")));
  expect(below).not.toContain(join(root, "sessions"));
  expect(below.length).toBeLessThanOrEqual(6);
  await toolkit.close();
});

it("lists them once after calls", async () => {
  const { createToolkit } = await import("./index.js");
  const toolkit = await createToolkit({ autonomy: "full", stateDir: root, on: "memory" });
  reads.length = 0;
  for (const id of ["1", "2"]) await toolkit.box().runner.run({ id, name: "todo_set", input: { todos: [] } }, {});
  await vi.waitFor(() => expect(reads.filter((path) => path === join(root, "sessions"))).toHaveLength(1));
  await toolkit.close();
});
