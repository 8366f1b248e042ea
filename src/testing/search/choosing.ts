/** Which files are searched, in which order, and how many. */
import { on } from "../case-setup.js";
import { expectEqual, expectError } from "../expect.js";
import { type Fixture, plant } from "../fixture.js";
import type { Suite } from "../plan.js";
import { grep, lay, namesOf, walk } from "./find.js";

const NAMED: Readonly<Record<string, string>> = {
  "b.txt": "x\n",
  "a/z.txt": "x\n",
  "a/B.txt": "x\n",
  "a.txt": "x\n",
  "a-b/c.txt": "x\n",
  "B/a.txt": "x\n",
  ".hidden/f.txt": "x\n",
  "ä.txt": "x\n",
};
const NAMED_IN_ORDER = [".hidden/f.txt", "B/a.txt", "a/B.txt", "a/z.txt", "a-b/c.txt", "a.txt", "b.txt", "ä.txt"];

export const searchChoosing: Suite<Fixture> = [
  on(
    "search:order:path",
    "In path order children are sorted by the code units of their names, directory by directory",
    async (fixture) => {
      await lay(fixture, NAMED);
      expectEqual(namesOf((await grep(fixture, "^x$")).lines), NAMED_IN_ORDER, "files of the hits");
      expectEqual((await walk(fixture, { type: "file" })).names, NAMED_IN_ORDER, "files of the walk");
    },
  ),
  on("search:order:found", "In found order the same files are returned, each once", async (fixture) => {
    await lay(fixture, NAMED);
    const { lines, end } = await grep(fixture, "^x$", { order: "found" });
    expectEqual([namesOf(lines).sort(), end.why], [[...NAMED_IN_ORDER].sort(), "complete"], "files");
    expectEqual(
      [...(await walk(fixture, { order: "found", type: "file" })).names].sort(),
      [...NAMED_IN_ORDER].sort(),
      "files of the walk",
    );
  }),
  on("search:limit:stops", "A limit stops the search and is reported", async (fixture) => {
    await lay(fixture, { "a.txt": "x\n".repeat(50), "b.txt": "x\n".repeat(50) });
    for (const order of ["path", "found"] as const) {
      const { hits, end } = await grep(fixture, "^x$", { limit: 7, order });
      expectEqual([hits.length, end.why], [7, "limit"], `hits and why in order ${order}`);
    }
    const files = await walk(fixture, { limit: 1 });
    expectEqual([files.names, files.end.why], [["a.txt"], "limit"], "walk");
    expectEqual((await grep(fixture, "^x$", { limit: 1, mode: "files" })).hits.length, 1, "hits of the mode files");
  }),
  on("search:limit:exactly-all", "A search below its limit is complete", async (fixture) => {
    await lay(fixture, { "a.txt": "x\nx\nx\n" });
    const { hits, end } = await grep(fixture, "^x$", { limit: 4 });
    expectEqual([hits.length, end.why], [3, "complete"], "hits and why");
  }),
  on(
    "search:pages:neither-overlap-nor-skip",
    "Pages by offset return every hit once, in one order",
    async (fixture) => {
      const tree: Record<string, string> = {};
      for (let index = 0; index < 12; index += 1) tree[`dir-${index % 4}/file-${index}.txt`] = "x\nno\nx\nx\n";
      await lay(fixture, tree);
      const whole = (await grep(fixture, "^x$")).lines;
      expectEqual(whole.length, 36, "hits");
      const paged: string[] = [];
      for (let offset = 0; offset < 40; offset += 7)
        paged.push(...(await grep(fixture, "^x$", { offset, limit: 7 })).lines);
      expectEqual(paged, whole, "all pages");
      const past = await grep(fixture, "^x$", { offset: 36, limit: 7 });
      expectEqual([past.hits.length, past.end.why], [0, "complete"], "a page past the end");
      const wayPast = await grep(fixture, "^x$", { offset: 50, limit: 7 });
      expectEqual([wayPast.hits.length, wayPast.end.passed], [0, 36], "hits before an offset past the end");
    },
  ),
  on("search:pages:of-a-walk", "Pages of a walk return every entry once", async (fixture) => {
    await lay(fixture, NAMED);
    const whole = (await walk(fixture)).names;
    const paged: string[] = [];
    for (let offset = 0; offset < whole.length; offset += 3)
      paged.push(...(await walk(fixture, { offset, limit: 3 })).names);
    expectEqual(paged, whole, "all pages");
  }),
  on("search:root:file", "A root that is a file is searched, even if it is ignored", async (fixture) => {
    await lay(fixture, { ".gitignore": "*.log\n", "a.log": "x\n", "b.txt": "x\n" });
    expectEqual((await grep(fixture, "^x$", { root: `${fixture.directory}/a.log` })).lines, ["a.log:1: x"], "lines");
  }),
  on("search:root:missing", "A missing root is FS_NOT_FOUND", async (fixture) => {
    await expectError(grep(fixture, "^x$", { root: `${fixture.directory}/gone` }), "FS_NOT_FOUND", "grep");
    await expectError(walk(fixture, { root: `${fixture.directory}/gone` }), "FS_NOT_FOUND", "walk");
  }),
  on("search:root:ignored", "A root that is itself ignored is searched", async (fixture) => {
    await lay(fixture, { ".gitignore": "build/\n", "build/a.txt": "x\n", "build/inner/b.txt": "x\n" });
    expectEqual((await grep(fixture, "^x$")).hits.length, 0, "hits from above");
    const { lines } = await grep(fixture, "^x$", { root: `${fixture.directory}/build` });
    expectEqual(lines, ["build/a.txt:1: x", "build/inner/b.txt:1: x"], "lines from inside");
  }),
  on("search:root:empty-directory", "An empty directory is a complete search without hits", async (fixture) => {
    expectEqual((await grep(fixture, "^x$")).end.why, "complete", "grep");
    expectEqual((await walk(fixture)).entries.length, 0, "entries");
  }),
  on(
    "search:names:awkward",
    "Names with newlines, dashes, spaces, quotes and non-Latin letters are found and returned exactly",
    async (fixture) => {
      const names = ["-dash", "a\nb:1: no", 'it\'s "so"', "space d", "漢😀", "back\\slash"];
      await lay(fixture, Object.fromEntries(names.map((name) => [name, "x\n"])));
      const { hits } = await grep(fixture, "^x$");
      expectEqual(
        hits.map((hit) => hit.path).sort(),
        names.map((name) => `${fixture.directory}/${name}`).sort(),
        "paths",
      );
      expectEqual([...(await walk(fixture)).names].sort(), [...names].sort(), "entries");
      expectEqual(
        (await grep(fixture, "^x$", { root: `${fixture.directory}/-dash` })).hits.length,
        1,
        "hits in a root with a dash",
      );
    },
  ),
  on(
    "search:walk:kinds",
    "A walk returns directories and files without the root, and filters by type",
    async (fixture) => {
      await lay(fixture, { "a/b.txt": "", "c/": "", "d.txt": "" });
      const { entries, names } = await walk(fixture);
      expectEqual(names, ["a", "a/b.txt", "c", "d.txt"], "names");
      expectEqual(
        entries.map((one) => one.entry.kind),
        ["directory", "file", "directory", "file"],
        "kinds",
      );
      expectEqual((await walk(fixture, { type: "directory" })).names, ["a", "c"], "directories");
      expectEqual((await walk(fixture, { type: "file" })).names, ["a/b.txt", "d.txt"], "files");
    },
  ),
  on(
    "search:walk:glob",
    "A glob matches the name, or the path if it has a slash; it is case-sensitive by default",
    async (fixture) => {
      await lay(fixture, { "a.TS": "", "sub/b.ts": "", "sub/deep/c.ts": "", "Sub2/d.txt": "" });
      expectEqual((await walk(fixture, { glob: "*.ts" })).names, ["sub/b.ts", "sub/deep/c.ts"], "by name");
      expectEqual((await walk(fixture, { glob: "sub/*.ts" })).names, ["sub/b.ts"], "by path");
      const folded = (glob: string) => walk(fixture, { glob, ignoreGlobCase: true });
      expectEqual((await folded("*.ts")).names, ["a.TS", "sub/b.ts", "sub/deep/c.ts"], "by name in any case");
      expectEqual((await folded("SUB*")).names, ["Sub2", "sub"], "directories, case-insensitive");
      expectEqual((await folded("sub2/**")).names, ["Sub2", "Sub2/d.txt"], "by path in any case");
    },
  ),
  on("search:walk:symlinks", "A walk returns symlinks and special files with their own kind", async (fixture) => {
    await lay(fixture, { "real/a.txt": "" });
    await plant(fixture, { kind: "link", path: `${fixture.directory}/dir`, target: "real" });
    await plant(fixture, { kind: "link", path: `${fixture.directory}/self`, target: "self" });
    await plant(fixture, { kind: "fifo", path: `${fixture.directory}/pipe` });
    const { entries, names, end } = await walk(fixture);
    expectEqual(
      names.map((name, index) => [name, entries[index]?.entry.kind]),
      [
        ["dir", "link"],
        ["pipe", "other"],
        ["real", "directory"],
        ["real/a.txt", "file"],
        ["self", "link"],
      ],
      "names and kinds",
    );
    expectEqual(end.why, "complete", "why");
    expectEqual((await walk(fixture, { root: `${fixture.directory}/dir` })).names, ["dir/a.txt"], "below a symlink");
  }),
  on("search:walk:ignored-directories", "A walk omits ignored files and directories", async (fixture) => {
    await lay(fixture, { ".gitignore": "build/\n*.log\n", "build/a": "", "b.log": "", c: "" });
    expectEqual((await walk(fixture)).names, [".gitignore", "c"], "names");
    expectEqual(
      (await walk(fixture, { includeIgnored: true })).names,
      [".gitignore", "b.log", "build", "build/a", "c"],
      "all names",
    );
  }),
  on("search:deep:tree", "A tree forty directories deep is searched completely", async (fixture) => {
    const deep = Array.from({ length: 40 }, (_, index) => `d${index}`).join("/");
    await lay(fixture, { [`${deep}/a.txt`]: "x\n" });
    expectEqual(namesOf((await grep(fixture, "^x$")).lines), [`${deep}/a.txt`], "files");
  }),
  on("search:many:files", "All of four hundred files are searched", async (fixture) => {
    const tree: Record<string, string> = {};
    for (let index = 0; index < 400; index += 1) tree[`f${index}`] = `line ${index}\n`;
    await lay(fixture, tree);
    expectEqual((await grep(fixture, "^line \\d+$", { order: "found" })).hits.length, 400, "hits");
  }),
];
