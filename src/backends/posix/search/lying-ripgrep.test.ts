/** What a remote ripgrep reports may be wrong, because files change while it runs: here a program reports what it likes. */
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import type { Backend, GrepHit, SearchEnd } from "../../../kernel/index.js";
import { realClock } from "../../../testing/conform.fixture.js";
import { bindAll, treeGrant } from "../../../testing/index.js";
import { PosixMachine, until } from "../machine.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const machine = new PosixMachine("dash");
let backend: Backend;
const bin = join(machine.directory, "bin");
const root = join(machine.work, "tree");
beforeAll(async () => {
  mkdirSync(bin);
  script("exit 1");
  backend = await machine.open({}, { PATH: `${bin}:${process.env.PATH}` });
});
afterAll(async () => {
  await backend.close();
  machine.dispose();
});
beforeEach(() => {
  execFileSync("rm", ["-rf", root]);
  mkdirSync(join(root, "sub"), { recursive: true });
  writeFileSync(join(root, "sub", "a"), "one needle\n");
});

/** A ripgrep of version 15 that runs these lines for a search. */
function script(lines: string): void {
  const text = `#!/bin/sh\ncase $* in *--version*) echo 'ripgrep 15.0.0'; exit ;; esac\n${lines}\n`;
  writeFileSync(join(bin, "rg"), text, { mode: 0o755 });
}

/** Lines of a script that print that `path` has a match in its first line, which is `line`. */
function reports(path: string, line: string): string {
  const at = { path: { text: path } };
  const match = { lines: { text: line }, line_number: 1, absolute_offset: 0, submatches: [{ start: 0, end: 3 }] };
  const records = [
    { type: "begin", data: at },
    { type: "match", data: { ...at, ...match } },
    { type: "end", data: { ...at, binary_offset: null, stats: { bytes_searched: line.length } } },
  ];
  return records.map((record) => `printf '%s\\n' '${JSON.stringify(record)}'`).join("\n");
}

const DONE = `printf '%s\\n' '${JSON.stringify({ type: "summary", data: { stats: { searches: 7 } } })}'`;

async function grep(limit = 100) {
  const { search } = bindAll({ backend, clock: realClock }, treeGrant(root, ["read"]));
  const found: string[] = [];
  let end: SearchEnd | undefined;
  const query = { root, mode: "content", context: 0, maxLineBytes: 400, binary: "any-nul", order: "found" } as const;
  const pattern = { source: "needle", syntax: "re2", ignoreCase: false, multiline: false } as const;
  const records = search.grep({ ...query, pattern, includeIgnored: false, prune: [], offset: 0, limit });
  for await (const record of records) {
    if (record.kind === "end") end = record;
    else found.push(`${record.path.slice(root.length + 1)}: ${textOf(record)}`);
  }
  return { found, engine: end?.engine, why: end?.why, skipped: end?.skipped };
}

const textOf = ({ bytes }: GrepHit): string => Buffer.from(bytes).toString();

it("returns the lines of the authorized file, whatever text ripgrep printed", async () => {
  script(`${reports("./sub/a", "a secret line\n")}\n${DONE}`);
  expect(await grep()).toEqual({
    found: ["sub/a: one needle"],
    engine: "ripgrep 15.0.0",
    why: "complete",
    skipped: {},
  });
});

it("returns nothing of what a path leads to through a symlink", async () => {
  const outside = join(machine.work, "outside");
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, "b"), "a secret needle\n");
  symlinkSync(outside, join(root, "link"));
  symlinkSync(join(outside, "b"), join(root, "file"));
  const secret = "a secret needle\n";
  const paths = ["./link/b", "./file", "./../outside/b", "./sub/../../outside/b"];
  script(`${paths.map((path) => reports(path, secret)).join("\n")}\n${DONE}`);
  const { found } = await grep();
  expect(found).toEqual([]);
});

it("searches by our own engine where ripgrep fails, or prints no end, and where an ignore file is a symlink or a FIFO", async () => {
  const own = { found: ["sub/a: one needle"], engine: "re2js, on files transferred here after a remote grep -F" };
  for (const lines of ["exit 2", "kill -9 $$", reports("./sub/a", "one needle\n"), "echo not json"]) {
    script(lines);
    expect([lines, await grep()]).toEqual([lines, expect.objectContaining(own)]);
  }
  script("sleep 1000");
  execFileSync("mkfifo", [join(root, "sub", ".gitignore")]);
  expect(await grep()).toMatchObject({ ...own, skipped: { "ignore-file": 1 } });
});

it("searches by our own engine where an ignored directory has a FIFO for an ignore file: ripgrep with --sort opens it", async () => {
  script("sleep 1000");
  mkdirSync(join(root, "ignored"));
  writeFileSync(join(root, ".ignore"), "/ignored\n");
  execFileSync("mkfifo", [join(root, "ignored", ".ignore")]);
  const engine = "re2js, on files transferred here after a remote grep -F";
  expect(await grep()).toEqual({ found: ["sub/a: one needle"], engine, why: "complete", skipped: {} });
});

it("ends ripgrep when enough was found", async () => {
  script(`${reports("./sub/a", "one needle\n")}\n${reports("./sub/a", "one needle\n")}\nexec sleep 1003.5`);
  expect((await grep(1)).why).toBe("limit");
  const isRunning = () => machine.processes().some((pid) => argumentsOf(pid).includes("1003.5"));
  await until(() => !isRunning());
});

function argumentsOf(pid: number): string {
  try {
    return execFileSync("cat", [`/proc/${pid}/cmdline`], { encoding: "latin1", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}
