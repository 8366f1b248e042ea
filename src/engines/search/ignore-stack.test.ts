import { describe, expect, it } from "vitest";
import { IgnoreStack } from "./ignore-stack.js";
import { PauseCheck } from "./source.js";

const pauseCheck = new PauseCheck({ signal: new AbortController().signal, isPauseDue: () => false });

/** Directories one in the other below `/w`, each with the ignore files given for it. */
async function stackOf(...levels: readonly Readonly<Record<string, string>>[]): Promise<IgnoreStack> {
  let stack = IgnoreStack.EMPTY;
  let directory = "/w";
  for (const texts of levels) {
    const read = async (path: string) => texts[path.slice(path.lastIndexOf("/") + 1)];
    const kinds = new Map(Object.keys(texts).map((name) => [name, "file"] as const));
    stack = await stack.enter(directory, kinds, { read, readExclude: read, skip: () => undefined }, pauseCheck);
    directory += "/d";
  }
  return stack;
}

/** Microtasks until the answer is there. */
async function tasksOf(stack: IgnoreStack): Promise<number> {
  let isThere = false;
  let tasks = 0;
  void stack.ignores("/w/d/other", false, pauseCheck).then(() => {
    isThere = true;
  });
  for (; !isThere; tasks++) await undefined;
  return tasks;
}

describe("IgnoreStack", () => {
  it("asks the later kind of file first at all levels, and within one kind the nearest directory", async () => {
    const stack = await stackOf(
      { ".gitignore": "a\nb\nc\n*.log", ".ignore": "!c\nd" },
      { ".gitignore": "!b\nc" },
      { ".ignore": "!d" },
    );
    const ignored = async (name: string) => stack.ignores(`/w/d/d/${name}`, false, pauseCheck);
    const names = ["a", "b", "c", "d", "e", "x.log"];
    expect(await Promise.all(names.map(ignored))).toEqual([true, false, false, false, false, true]);
  });

  it("waits no longer at many levels than at one", async () => {
    const level = { ".gitignore": "*.log\nname" };
    const one = await tasksOf(await stackOf(level));
    expect(await tasksOf(await stackOf(...Array.from({ length: 10 }, () => level)))).toBe(one);
    const both = { ...level, ".ignore": "*.tmp\n!kept" };
    expect(await tasksOf(await stackOf(...Array.from({ length: 10 }, () => both)))).toBe(one);
  });
});
