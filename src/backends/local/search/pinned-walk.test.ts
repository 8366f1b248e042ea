import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SearchEnd, WalkEntry, WalkQuery } from "../../../kernel/index.js";
import { bindAll, type Fixture } from "../../../testing/index.js";
import { searchFixture } from "./search.fixture.js";

let directory: string;
let fixture: Fixture;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-held-walk-")));
  fixture = searchFixture("ripgrep", undefined, directory);
});
afterEach(() => fixture.dispose());

function walk(more: Partial<WalkQuery> = {}): AsyncIterable<WalkEntry | SearchEnd> {
  const query = { root: directory, includeIgnored: false, prune: [], order: "path", offset: 0, limit: 10_000 } as const;
  return bindAll(fixture, undefined, { workspace: directory }).search.walk({ ...query, ...more });
}

/** The names below the root, and the end record; `meanwhile` runs when the entry of its name has come. */
async function namesOf(found: ReturnType<typeof walk>, meanwhile: Readonly<Record<string, () => void>> = {}) {
  const names: string[] = [];
  for await (const item of found) {
    if (item.kind === "end") return { names, end: item };
    const name = item.path.slice(directory.length + 1);
    names.push(name);
    meanwhile[name]?.();
  }
  throw new Error("No end record came.");
}

const descriptors = () => readdirSync("/proc/self/fd").length;

describe("a walk of this machine", () => {
  it("lets go of every directory, however it ends", async () => {
    for (let index = 0; index < 30; index++) mkdirSync(join(directory, `a/b${index}/c/d`), { recursive: true });
    await namesOf(walk({ limit: 1 }));
    const before = descriptors();
    expect((await namesOf(walk())).end.why).toBe("complete");
    expect((await namesOf(walk({ limit: 9 }))).end.why).toBe("limit");
    for await (const item of walk()) if (item.kind === "entry" && item.path.endsWith("b3/c/d")) break;
    const cancel = new AbortController();
    expect((await namesOf(walk({ signal: cancel.signal }), { "a/b3/c": () => cancel.abort() })).end.why).toBe(
      "cancelled",
    );
    expect(descriptors()).toBe(before);
  });

  it("does not walk through a symlink that has taken the place of a directory", async () => {
    const outside = mkdtempSync(join(tmpdir(), "haft-held-outside-"));
    writeFileSync(join(outside, "secret"), "");
    mkdirSync(join(directory, "a/b"), { recursive: true });
    mkdirSync(join(directory, "z"));
    const swap = () => {
      renameSync(join(directory, "a/b"), join(directory, "z/b"));
      symlinkSync(outside, join(directory, "a/b"));
    };
    const { names, end } = await namesOf(walk(), { "a/b": swap });
    expect(names).toEqual(["a", "a/b", "z", "z/b"]);
    expect([end.why, end.skipped, end.unreadable]).toEqual(["complete", { unreadable: 1 }, [join(directory, "a/b")]]);
    rmSync(outside, { recursive: true });
  });

  it("continues where a directory above was moved meanwhile, and past one that is gone", async () => {
    mkdirSync(join(directory, "a/b/c"), { recursive: true });
    mkdirSync(join(directory, "d/e"), { recursive: true });
    const moved = await namesOf(walk(), {
      "a/b": () => renameSync(join(directory, "a"), join(directory, "x")),
      "d/e": () => rmSync(join(directory, "d"), { recursive: true }),
    });
    expect(moved.names).toEqual(["a", "a/b", "a/b/c", "d", "d/e"]);
    expect([moved.end.why, moved.end.skipped]).toEqual(["complete", {}]);
  });

  it("has each of two walks at once see the whole tree", async () => {
    for (let index = 0; index < 50; index++) mkdirSync(join(directory, `a${index}/b/c`), { recursive: true });
    const all = await Promise.all([namesOf(walk()), namesOf(walk()), namesOf(walk({ root: join(directory, "a1") }))]);
    expect(all.map(({ names }) => names.length)).toEqual([150, 150, 2]);
  });
});
