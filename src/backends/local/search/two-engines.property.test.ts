import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { GrepQuery } from "../../../kernel/index.js";
import { fc, runCount } from "../../../testing/property.fixture.js";
import { type Answer, TwoEngines } from "./two-engines.fixture.js";

/** Each run is two searches, one of them a process. */
const RUNS = runCount(60);

let two: TwoEngines;
beforeEach(() => {
  two = new TwoEngines();
});
afterEach(() => two.dispose());

/** Alike in all that is found, in why it ended, and in how it failed. */
function expectAlike([ripgrep, own]: readonly [Answer, Answer]): void {
  expect(ripgrep.hits).toEqual(own.hits);
  const ending = ({ end }: Answer) => ("error" in end ? String(end.error) : end.why);
  expect(ending(ripgrep)).toBe(ending(own));
}

const names = ["a", "b", "c", "ab", "a.log", "b.txt", "a b", "node_modules", ".h"];
const directories = ["", "a/", "b/", "c/", "a/b/", "a/c/", "node_modules/", ".h/"];
const paths = fc.uniqueArray(fc.constantFrom(...directories.flatMap((dir) => names.map((name) => dir + name))), {
  minLength: 2,
  maxLength: 14,
});
const segments = ["a", "b", "ab", "a.log", "*", "*.log", "a*", "?", "[ab]", "[!a]", "**", "\\a", "a b", "node_modules"];
const oddRules = ["# c", "", "/", "//a", "a//b", "**/", "/**", "a/**/b", "**a", "[", "a\\", " a", "!!a", "\\#x"];
const rule = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        fc.constantFrom("", "", "", "!", "/", "!/"),
        fc.array(fc.constantFrom(...segments), { minLength: 1, maxLength: 3 }),
        fc.constantFrom("", "", "/", "/**", " ", "\\ "),
      )
      .map(([before, parts, after]) => before + parts.join("/") + after),
  },
  { weight: 1, arbitrary: fc.constantFrom(...oddRules) },
);
const rules = fc
  .tuple(fc.array(rule, { minLength: 1, maxLength: 4 }), fc.constantFrom("\n", "\r\n"))
  .map(([lines, end]) => lines.join(end));
const ruleFile = fc
  .tuple(fc.constantFrom(...directories), fc.constantFrom(".gitignore", ".gitignore", ".ignore"))
  .map((parts) => parts.join(""));
const globs = [
  "*.log",
  "*.{log,txt}",
  "a",
  "a/*",
  "a/**",
  "**/b.txt",
  "[ab]*",
  "!a",
  "?",
  "{a,b}/*.txt",
  "**",
  "a/",
  "./a",
];

describe("ripgrep and our own engine", () => {
  it("look at the same files, whatever the tree, its ignore files and what is asked for", async () => {
    const query = fc.record({
      root: fc.constantFrom("", "", "a", "a/b", "b"),
      includeIgnored: fc.constantFrom(false, false, false, true),
      prune: fc.constantFrom<string[]>([], ["node_modules"], ["a"]),
      except: fc.constantFrom<string[]>([], [], ["a"], ["a/b", "b.txt"]),
      exceptNames: fc.constantFrom<string[]>([], [], ["B"], ["*.TXT", ".g*"], ["a*b"], ["?"]),
      order: fc.constantFrom<GrepQuery["order"]>("path", "found"),
      maxFileBytes: fc.constantFrom(3, 1_000),
      mode: fc.constantFrom<GrepQuery["mode"]>("content", "count"),
      glob: fc.constantFrom(undefined, undefined, ...globs),
    });
    const ignoring = fc.dictionary(ruleFile, rules, { maxKeys: 3 });
    await fc.assert(
      fc.asyncProperty(paths, ignoring, query, async (tree, ignore, { root, except, exceptNames, glob, ...more }) => {
        empty();
        two.lay(treeOf(tree, ignore));
        plantOddThings();
        const whole = { ...more, root: join(two.directory, root), ...(glob === undefined ? {} : { glob }) };
        const grant = { except: except.map((name) => join(two.directory, name)), exceptNames };
        const answers = await two.ask("x", { ...whole, root: whole.root.replace(/\/$/, "") }, { grant });
        expectAlike(answers);
        // ripgrep's side also counts an excepted path that is ignored, but no such name.
        const [ripgrep, own] = answers.map(({ end }) => ("error" in end ? undefined : end.skipped.policy));
        if (except.length === 0) expect(ripgrep).toBe(own);
      }),
      { numRuns: RUNS },
    );
  });
});

function empty(): void {
  for (const name of readdirSync(two.directory)) rmSync(join(two.directory, name), { recursive: true });
}

/** Files only where no other one needs a directory. */
function treeOf(tree: readonly string[], ignore: Readonly<Record<string, string>>): Record<string, string> {
  const files: Record<string, string> = {};
  for (const path of tree) {
    if (!tree.some((other) => other.startsWith(`${path}/`))) files[path] = path.length % 3 === 0 ? "x\n" : "x\nx y\n";
  }
  for (const [path, text] of Object.entries(ignore)) {
    const above = path.split("/").slice(0, -1);
    const isFree = !above.some((_, index) => above.slice(0, index + 1).join("/") in files);
    if (isFree) files[path] = `${text}\n#x`;
  }
  return files;
}

function plantOddThings(): void {
  if (!existsSync(join(two.directory, "c"))) symlinkSync("a", join(two.directory, "c"));
  if (!existsSync(join(two.directory, "ab"))) execFileSync("mkfifo", [join(two.directory, "ab")]);
}
