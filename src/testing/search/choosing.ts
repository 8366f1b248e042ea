/** Which files a search looks at, in which order, and how much of it. */
import { on } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture, plant, treeGrant } from "../fixture.js";
import type { Suite } from "../plan.js";
import { grep, grepQuery, lay, walk } from "./find.js";

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

const namesOf = (lines: readonly string[]) => lines.map((line) => line.slice(0, line.indexOf(":")));

export const searchChoosing: Suite<Fixture> = [
  on(
    "search:order:path",
    "In path order children come in code-unit order of their names, folder by folder",
    async (fixture) => {
      await lay(fixture, NAMED);
      expectEqual(namesOf((await grep(fixture, "^x$")).lines), NAMED_IN_ORDER, "files of the hits");
      expectEqual((await walk(fixture, { type: "file" })).names, NAMED_IN_ORDER, "files of the walk");
    },
  ),
  on("search:order:found", "In the order found the same files come, each once", async (fixture) => {
    await lay(fixture, NAMED);
    const { lines, end } = await grep(fixture, "^x$", { order: "found" });
    expectEqual([namesOf(lines).sort(), end.why], [[...NAMED_IN_ORDER].sort(), "complete"], "files");
    expectEqual(
      [...(await walk(fixture, { order: "found", type: "file" })).names].sort(),
      [...NAMED_IN_ORDER].sort(),
      "files of the walk",
    );
  }),
  on("search:limit:stops", "A limit stops the search and says so", async (fixture) => {
    await lay(fixture, { "a.txt": "x\n".repeat(50), "b.txt": "x\n".repeat(50) });
    for (const order of ["path", "found"] as const) {
      const { hits, end } = await grep(fixture, "^x$", { limit: 7, order });
      expectEqual([hits.length, end.why], [7, "limit"], `hits and why in order ${order}`);
    }
    const files = await walk(fixture, { limit: 1 });
    expectEqual([files.names, files.end.why], [["a.txt"], "limit"], "walk");
    expectEqual((await grep(fixture, "^x$", { limit: 1, mode: "files" })).hits.length, 1, "hits of the mode files");
  }),
  on("search:limit:exactly-all", "A limit that is not reached is complete", async (fixture) => {
    await lay(fixture, { "a.txt": "x\nx\nx\n" });
    const { hits, end } = await grep(fixture, "^x$", { limit: 4 });
    expectEqual([hits.length, end.why], [3, "complete"], "hits and why");
  }),
  on("search:pages:neither-overlap-nor-skip", "Pages by offset give every hit once, in one order", async (fixture) => {
    const tree: Record<string, string> = {};
    for (let index = 0; index < 12; index += 1) tree[`folder-${index % 4}/file-${index}.txt`] = "x\nno\nx\nx\n";
    await lay(fixture, tree);
    const whole = (await grep(fixture, "^x$")).lines;
    expectEqual(whole.length, 36, "hits");
    const paged: string[] = [];
    for (let offset = 0; offset < 40; offset += 7)
      paged.push(...(await grep(fixture, "^x$", { offset, limit: 7 })).lines);
    expectEqual(paged, whole, "all pages");
    const past = await grep(fixture, "^x$", { offset: 36, limit: 7 });
    expectEqual([past.hits.length, past.end.why], [0, "complete"], "a page past the end");
  }),
  on("search:pages:of-a-walk", "Pages of a walk give every entry once", async (fixture) => {
    await lay(fixture, NAMED);
    const whole = (await walk(fixture)).names;
    const paged: string[] = [];
    for (let offset = 0; offset < whole.length; offset += 3)
      paged.push(...(await walk(fixture, { offset, limit: 3 })).names);
    expectEqual(paged, whole, "all pages");
  }),
  on("search:root:file", "A root that is a file is searched alone, whatever ignore files say", async (fixture) => {
    await lay(fixture, { ".gitignore": "*.log\n", "a.log": "x\n", "b.txt": "x\n" });
    expectEqual((await grep(fixture, "^x$", { root: `${fixture.folder}/a.log` })).lines, ["a.log:1: x"], "lines");
  }),
  on("search:root:missing", "A missing root is FS_NOT_FOUND", async (fixture) => {
    await expectError(grep(fixture, "^x$", { root: `${fixture.folder}/gone` }), "FS_NOT_FOUND", "grep");
    await expectError(walk(fixture, { root: `${fixture.folder}/gone` }), "FS_NOT_FOUND", "walk");
  }),
  on("search:root:ignored", "A root that is itself ignored is searched", async (fixture) => {
    await lay(fixture, { ".gitignore": "build/\n", "build/a.txt": "x\n", "build/inner/b.txt": "x\n" });
    expectEqual((await grep(fixture, "^x$")).hits.length, 0, "hits from above");
    const { lines } = await grep(fixture, "^x$", { root: `${fixture.folder}/build` });
    expectEqual(lines, ["build/a.txt:1: x", "build/inner/b.txt:1: x"], "lines from inside");
  }),
  on("search:root:empty-folder", "An empty folder is complete with nothing found", async (fixture) => {
    expectEqual((await grep(fixture, "^x$")).end.why, "complete", "grep");
    expectEqual((await walk(fixture)).entries.length, 0, "entries");
  }),
  on(
    "search:ignore:gitignore",
    "A .gitignore holds without a repository: names, folders, anchors, wildcards",
    async (fixture) => {
      await lay(fixture, {
        ".gitignore": "# a comment\n\n*.log\n/top.txt\nbuild/\ndocs/*.tmp\n**/deep\n",
        "a.log": "x\n",
        "sub/b.log": "x\n",
        "top.txt": "x\n",
        "sub/top.txt": "x\n",
        "build/c.txt": "x\n",
        "sub/build/d.txt": "x\n",
        "docs/e.tmp": "x\n",
        "docs/f.txt": "x\n",
        "q/deep/g.txt": "x\n",
        "kept.txt": "x\n",
      });
      expectEqual(namesOf((await grep(fixture, "^x$")).lines), ["docs/f.txt", "kept.txt", "sub/top.txt"], "files");
    },
  ),
  on("search:ignore:negation", "A later line with ! takes a file back, the last match wins", async (fixture) => {
    await lay(fixture, {
      ".gitignore": "*.log\n!kept.log\n",
      "a.log": "x\n",
      "kept.log": "x\n",
      "sub/kept.log": "x\n",
    });
    expectEqual(namesOf((await grep(fixture, "^x$")).lines), ["kept.log", "sub/kept.log"], "files");
  }),
  on("search:ignore:nested", "A deeper .gitignore adds to those above it and may take back", async (fixture) => {
    await lay(fixture, {
      ".gitignore": "*.gen\n",
      "a.gen": "x\n",
      "sub/.gitignore": "!kept.gen\nlocal.txt\n",
      "sub/kept.gen": "x\n",
      "sub/b.gen": "x\n",
      "sub/local.txt": "x\n",
      "local.txt": "x\n",
    });
    expectEqual(namesOf((await grep(fixture, "^x$")).lines), ["local.txt", "sub/kept.gen"], "files");
  }),
  on(
    "search:ignore:from-the-workspace-down",
    "Ignore files above the root, up to the workspace, hold",
    async (fixture) => {
      await lay(fixture, {
        ".gitignore": "*.log\n/sub/anchored.txt\n",
        "sub/a.log": "x\n",
        "sub/anchored.txt": "x\n",
        "sub/b.txt": "x\n",
      });
      expectEqual((await grep(fixture, "^x$", { root: `${fixture.folder}/sub` })).lines, ["sub/b.txt:1: x"], "lines");
    },
  ),
  on(
    "search:ignore:above-the-grant",
    "Ignore files between the workspace and the root hold although only the root is granted",
    async (fixture) => {
      await lay(fixture, {
        ".gitignore": "*.log\n",
        "sub/.ignore": "*.tmp\n",
        "sub/deep/a.log": "x\n",
        "sub/deep/b.tmp": "x\n",
        "sub/deep/c.txt": "x\n",
      });
      const root = `${fixture.folder}/sub/deep`;
      const { lines } = await grep(fixture, "^x$", { root, grant: treeGrant(root, ["read"]) });
      expectEqual(lines, ["sub/deep/c.txt:1: x"], "lines");
    },
  ),
  on("search:ignore:dot-ignore", "A .ignore holds too, and wins over .gitignore beside it", async (fixture) => {
    await lay(fixture, {
      ".gitignore": "*.a\n",
      ".ignore": "*.b\n!kept.a\n",
      "f.a": "x\n",
      "f.b": "x\n",
      "kept.a": "x\n",
      "f.c": "x\n",
    });
    expectEqual(namesOf((await grep(fixture, "^x$")).lines), ["f.c", "kept.a"], "files");
  }),
  on("search:ignore:switched-off", "includeIgnored searches all but .git", async (fixture) => {
    await lay(fixture, { ".gitignore": "*.log\nbuild/\n", "a.log": "x\n", "build/b.txt": "x\n", ".git/config": "x\n" });
    expectEqual(
      namesOf((await grep(fixture, "^x$", { includeIgnored: true })).lines),
      ["a.log", "build/b.txt"],
      "files",
    );
  }),
  on("search:hidden:searched", "Hidden files are searched, .git never, at any depth", async (fixture) => {
    await lay(fixture, {
      ".env": "x\n",
      ".config/a": "x\n",
      ".git/config": "x\n",
      "sub/.git/config": "x\n",
      ".github/b": "x\n",
    });
    expectEqual(namesOf((await grep(fixture, "^x$")).lines), [".config/a", ".env", ".github/b"], "files");
    expectEqual((await walk(fixture, { type: "file" })).names, [".config/a", ".env", ".github/b"], "entries");
  }),
  on(
    "search:prune:folders",
    "Folders on the prune list are never entered; a file of that name is found",
    async (fixture) => {
      await lay(fixture, {
        "node_modules/a.txt": "x\n",
        "sub/node_modules/b.txt": "x\n",
        "sub/vendor": "x\n",
        "vendor/c.txt": "x\n",
        "d.txt": "x\n",
      });
      const { lines } = await grep(fixture, "^x$", { prune: ["node_modules", "vendor"], includeIgnored: true });
      expectEqual(namesOf(lines), ["d.txt", "sub/vendor"], "files");
    },
  ),
  on("search:glob:name", "A glob without a slash matches the name, at any depth", async (fixture) => {
    await lay(fixture, { "a.ts": "x\n", "sub/b.ts": "x\n", "sub/c.js": "x\n", "d.tsx": "x\n" });
    expectEqual(namesOf((await grep(fixture, "^x$", { glob: "*.ts" })).lines), ["a.ts", "sub/b.ts"], "files");
    expectEqual(
      namesOf((await grep(fixture, "^x$", { glob: "*.{js,tsx}" })).lines),
      ["d.tsx", "sub/c.js"],
      "files of two",
    );
    expectEqual((await walk(fixture, { glob: "[ab].ts", type: "file" })).names, ["a.ts", "sub/b.ts"], "entries");
  }),
  on("search:glob:path", "A glob with a slash matches the path below the root", async (fixture) => {
    await lay(fixture, { "src/a.ts": "x\n", "src/deep/b.ts": "x\n", "test/src/c.ts": "x\n" });
    expectEqual(namesOf((await grep(fixture, "^x$", { glob: "src/*.ts" })).lines), ["src/a.ts"], "one star");
    expectEqual(
      namesOf((await grep(fixture, "^x$", { glob: "src/**/*.ts" })).lines),
      ["src/a.ts", "src/deep/b.ts"],
      "two stars",
    );
    expectEqual(
      namesOf((await grep(fixture, "^x$", { glob: "**/src/*.ts" })).lines),
      ["src/a.ts", "test/src/c.ts"],
      "stars in front",
    );
  }),
  on(
    "search:names:awkward",
    "Names with newlines, dashes, blanks, quotes and other scripts are found and told exactly",
    async (fixture) => {
      const names = ["-dash", "a\nb:1: no", 'it\'s "so"', "space d", "漢😀", "back\\slash"];
      await lay(fixture, Object.fromEntries(names.map((name) => [name, "x\n"])));
      const { hits } = await grep(fixture, "^x$");
      expectEqual(hits.map((hit) => hit.path).sort(), names.map((name) => `${fixture.folder}/${name}`).sort(), "paths");
      expectEqual([...(await walk(fixture)).names].sort(), [...names].sort(), "entries");
      expectEqual(
        (await grep(fixture, "^x$", { root: `${fixture.folder}/-dash` })).hits.length,
        1,
        "hits in a root with a dash",
      );
    },
  ),
  on(
    "search:walk:kinds",
    "A walk tells folders and files, filters by type, and leaves out the root",
    async (fixture) => {
      await lay(fixture, { "a/b.txt": "", "c/": "", "d.txt": "" });
      const { entries, names } = await walk(fixture);
      expectEqual(names, ["a", "a/b.txt", "c", "d.txt"], "names");
      expectEqual(
        entries.map((one) => one.entry.kind),
        ["directory", "file", "directory", "file"],
        "kinds",
      );
      expectEqual((await walk(fixture, { type: "directory" })).names, ["a", "c"], "folders");
      expectEqual((await walk(fixture, { type: "file" })).names, ["a/b.txt", "d.txt"], "files");
    },
  ),
  on("search:walk:ignored-folders", "A walk leaves out what is ignored, the folders too", async (fixture) => {
    await lay(fixture, { ".gitignore": "build/\n*.log\n", "build/a": "", "b.log": "", c: "" });
    expectEqual((await walk(fixture)).names, [".gitignore", "c"], "names");
    expectEqual(
      (await walk(fixture, { includeIgnored: true })).names,
      [".gitignore", "b.log", "build", "build/a", "c"],
      "all names",
    );
  }),
  on("search:links:not-followed", "Links in the tree are not followed, and loops are harmless", async (fixture) => {
    await lay(fixture, { "real/a.txt": "x\n" });
    await plant(fixture, { kind: "link", path: `${fixture.folder}/real/loop`, target: ".." });
    await plant(fixture, { kind: "link", path: `${fixture.folder}/self`, target: "self" });
    await plant(fixture, { kind: "link", path: `${fixture.folder}/folder`, target: "real" });
    await plant(fixture, { kind: "link", path: `${fixture.folder}/file`, target: "real/a.txt" });
    const { lines, end } = await grep(fixture, "^x$");
    expectEqual([lines, end.why], [["real/a.txt:1: x"], "complete"], "lines and why");
    expectEqual((await walk(fixture, { type: "file" })).names, ["real/a.txt"], "files of the walk");
  }),
  on(
    "search:links:as-root",
    "A root that is a link to a folder is searched, told under the asked path",
    async (fixture) => {
      await lay(fixture, { "real/a.txt": "x\n" });
      await plant(fixture, { kind: "link", path: `${fixture.folder}/link`, target: "real" });
      expectEqual((await grep(fixture, "^x$", { root: `${fixture.folder}/link` })).lines, ["link/a.txt:1: x"], "lines");
    },
  ),
  on("search:special:fifo", "A FIFO in the tree is skipped and holds nothing up", async (fixture) => {
    await lay(fixture, { "a.txt": "x\n" });
    await plant(fixture, { kind: "fifo", path: `${fixture.folder}/pipe` });
    const { lines, end } = await grep(fixture, "^x$");
    expectEqual([lines, end.why], [["a.txt:1: x"], "complete"], "lines and why");
  }),
  on("search:deep:tree", "A tree of forty folders is searched to its end", async (fixture) => {
    const deep = Array.from({ length: 40 }, (_, index) => `d${index}`).join("/");
    await lay(fixture, { [`${deep}/a.txt`]: "x\n" });
    expectEqual(namesOf((await grep(fixture, "^x$")).lines), [`${deep}/a.txt`], "files");
  }),
  on("search:many:files", "Four hundred files are all looked at", async (fixture) => {
    const tree: Record<string, string> = {};
    for (let index = 0; index < 400; index += 1) tree[`f${index}`] = `line ${index}\n`;
    await lay(fixture, tree);
    expectEqual((await grep(fixture, "^line \\d+$", { order: "found" })).hits.length, 400, "hits");
  }),
  on(
    "search:cancel:before",
    "With a signal that has fired already the end record says cancelled and nothing came",
    async (fixture) => {
      await lay(fixture, { "a.txt": "x\n" });
      const { hits, end } = await grep(fixture, "^x$", { signal: AbortSignal.abort() });
      expectEqual([hits.length, end.why], [0, "cancelled"], "hits and why");
    },
  ),
  on("search:cancel:during", "Aborting ends a running search with one end record that says so", async (fixture) => {
    const tree: Record<string, string> = {};
    for (let index = 0; index < 60; index += 1) tree[`f${index}`] = "match\n".repeat(3_000);
    await lay(fixture, tree);
    const controller = new AbortController();
    const { search } = bindAll(fixture);
    const kinds: string[] = [];
    let why = "";
    for await (const record of search.grep(
      grepQuery(fixture, "match", { signal: controller.signal, limit: 1_000_000 }),
    )) {
      kinds.push(record.kind);
      if (record.kind === "end") why = record.why;
      else controller.abort();
    }
    expectEqual([why, kinds.filter((kind) => kind === "end").length, kinds.at(-1)], ["cancelled", 1, "end"], "the end");
    expectThat(kinds.length < 180_000, "it ended before all was found");
  }),
  on(
    "search:grant:needed",
    "A root outside the grant is CALL_UNCLAIMED, and a call that has ended searches nothing",
    async (fixture) => {
      await lay(fixture, { "in/a.txt": "x\n", "out/b.txt": "x\n" });
      const grant = treeGrant(`${fixture.folder}/in`, ["read"]);
      await expectError(grep(fixture, "^x$", { grant }), "CALL_UNCLAIMED", "a folder above");
      await expectError(
        grep(fixture, "^x$", { grant, root: `${fixture.folder}/out` }),
        "CALL_UNCLAIMED",
        "grep beside",
      );
      await expectError(walk(fixture, { grant, root: `${fixture.folder}/out` }), "CALL_UNCLAIMED", "walk beside");
      expectEqual(
        (await grep(fixture, "^x$", { grant, root: `${fixture.folder}/in` })).lines,
        ["in/a.txt:1: x"],
        "lines inside",
      );
      await expectError(
        grep(fixture, "^x$", { call: { signal: AbortSignal.abort() } }),
        "CALL_REVOKED",
        "a call that has ended",
      );
    },
  ),
  on(
    "search:grant:self-is-not-the-tree",
    "A grant of the folder alone does not open what lies below it",
    async (fixture) => {
      await lay(fixture, { "in/a.txt": "x\n" });
      const grant = { files: [{ path: `${fixture.folder}/in`, access: ["read"], scope: "self" }] } as const;
      const hits = await grep(fixture, "^x$", { grant, root: `${fixture.folder}/in` }).then(
        (found) => found.hits.length,
        () => 0,
      );
      expectEqual(hits, 0, "hits");
      const file = { files: [{ path: `${fixture.folder}/in/a.txt`, access: ["read"], scope: "self" }] } as const;
      expectEqual(
        (await grep(fixture, "^x$", { grant: file, root: `${fixture.folder}/in/a.txt` })).hits.length,
        1,
        "hits in the file that is granted",
      );
    },
  ),
  on("search:grant:except", "What the grant excepts is not searched, and counted under policy", async (fixture) => {
    await lay(fixture, {
      ".env": "x\n",
      "sub/key.pem": "x\n",
      "private/a.txt": "x\n",
      "private/b.txt": "x\n",
      "open.txt": "x\n",
    });
    const except = [`${fixture.folder}/.env`, `${fixture.folder}/sub/key.pem`, `${fixture.folder}/private`];
    const grant = treeGrant(fixture.folder, ["read"], { except });
    const { lines, end } = await grep(fixture, "^x$", { grant, includeIgnored: true });
    expectEqual(lines, ["open.txt:1: x"], "lines");
    expectThat((end.skipped.policy ?? 0) >= 3, "at least three are counted under policy");
    expectEqual(
      (await walk(fixture, { grant, type: "file" })).names.includes("private/a.txt"),
      false,
      "the walk tells an excepted file",
    );
  }),
  on("search:grant:link-out", "A root that leads out of the grant is judged at its real place", async (fixture) => {
    await lay(fixture, { "in/a.txt": "x\n", "out/b.txt": "x\n" });
    await plant(fixture, { kind: "link", path: `${fixture.folder}/in/link`, target: "../out" });
    const grant = treeGrant(`${fixture.folder}/in`, ["read"]);
    await expectError(grep(fixture, "^x$", { grant, root: `${fixture.folder}/in/link` }), "POLICY_DENIED", "grep");
    expectEqual(
      (await grep(fixture, "^x$", { grant, root: `${fixture.folder}/in` })).lines,
      ["in/a.txt:1: x"],
      "lines",
    );
  }),
];
