/** What a search excludes: by ignore files, `.git`, a prune list, and globs. */
import { on } from "../case-setup.js";
import { expectEqual, expectError } from "../expect.js";
import { bindAll, type Fixture, plant, treeGrant } from "../fixture.js";
import type { Suite } from "../plan.js";
import { grep, lay, namesOf, walk } from "./find.js";

export const searchIgnoring: Suite<Fixture> = [
  on(
    "search:ignore:gitignore",
    "A .gitignore applies without a repository: names, directories, anchors, wildcards",
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
  on("search:ignore:negation", "A later line with ! includes a file again: the last match wins", async (fixture) => {
    await lay(fixture, {
      ".gitignore": "*.log\n!kept.log\n",
      "a.log": "x\n",
      "kept.log": "x\n",
      "sub/kept.log": "x\n",
    });
    expectEqual(namesOf((await grep(fixture, "^x$")).lines), ["kept.log", "sub/kept.log"], "files");
  }),
  on(
    "search:ignore:nested",
    "A deeper .gitignore adds to those above it and can include files again",
    async (fixture) => {
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
    },
  ),
  on(
    "search:ignore:from-the-workspace-down",
    "Ignore files above the root apply, up to the workspace",
    async (fixture) => {
      await lay(fixture, {
        ".gitignore": "*.log\n/sub/anchored.txt\n",
        "sub/a.log": "x\n",
        "sub/anchored.txt": "x\n",
        "sub/b.txt": "x\n",
      });
      expectEqual(
        (await grep(fixture, "^x$", { root: `${fixture.directory}/sub` })).lines,
        ["sub/b.txt:1: x"],
        "lines",
      );
    },
  ),
  on(
    "search:ignore:above-the-grant",
    "Ignore files between the workspace and the root apply although only the root is granted",
    async (fixture) => {
      await lay(fixture, {
        ".gitignore": "*.log\n",
        "sub/.ignore": "*.tmp\n",
        "sub/deep/a.log": "x\n",
        "sub/deep/b.tmp": "x\n",
        "sub/deep/c.txt": "x\n",
      });
      const root = `${fixture.directory}/sub/deep`;
      const { lines } = await grep(fixture, "^x$", { root, grant: treeGrant(root, ["read"]) });
      expectEqual(lines, ["sub/deep/c.txt:1: x"], "lines");
    },
  ),
  on(
    "search:ignore:from-the-repository-down",
    "Ignore files above the workspace apply up to the root of the repository, info/exclude too, and no further",
    async (fixture) => {
      await lay(fixture, {
        ".gitignore": "*.txt\n",
        "repo/.git/info/exclude": "*.local\n",
        "repo/.gitignore": "node_modules/\n.env\n/packages/app/anchored\n",
        "repo/packages/.gitignore": "*.log\n",
        "repo/packages/app/.env": "x\n",
        "repo/packages/app/a.local": "x\n",
        "repo/packages/app/a.log": "x\n",
        "repo/packages/app/a.txt": "x\n",
        "repo/packages/app/anchored": "x\n",
        "repo/packages/app/node_modules/m.js": "x\n",
        "repo/packages/app/src/b.log": "x\n",
        "repo/packages/app/src/b.txt": "x\n",
      });
      const workspace = `${fixture.directory}/repo/packages/app`;
      for (const [root, files] of [
        [workspace, ["a.txt", "src/b.txt"]],
        [`${workspace}/src`, ["src/b.txt"]],
      ] as const) {
        const more = { root, call: { workspace }, grant: treeGrant(root, ["read"]) };
        const names = files.map((name) => `repo/packages/app/${name}`);
        expectEqual(namesOf((await grep(fixture, "^x$", more)).lines), names, `files below ${root}`);
        expectEqual((await walk(fixture, { ...more, type: "file" })).names, names, `entries below ${root}`);
      }
    },
  ),
  on(
    "search:ignore:workspace-excluded",
    "Rules above the workspace that exclude the workspace itself do not apply",
    async (fixture) => {
      await lay(fixture, {
        ".git/HEAD": "",
        ".gitignore": "*\n",
        "work/.gitignore": "*.log\n",
        "work/sub/a.txt": "x\n",
        "work/sub/b.log": "x\n",
      });
      const workspace = `${fixture.directory}/work`;
      for (const root of [workspace, `${workspace}/sub`]) {
        const more = { root, call: { workspace } };
        expectEqual((await grep(fixture, "^x$", more)).lines, ["work/sub/a.txt:1: x"], `lines below ${root}`);
        expectEqual(
          (await walk(fixture, { ...more, glob: "[ab].*" })).names,
          ["work/sub/a.txt"],
          `entries below ${root}`,
        );
      }
    },
  ),
  on(
    "search:ignore:repositories-inside",
    "The rules of git end at a nested repository, those of .ignore do not",
    async (fixture) => {
      await lay(fixture, {
        ".git/HEAD": "",
        ".gitignore": "*.log\n",
        ".ignore": "*.tmp\n",
        "inner/.git/info/exclude": "own\n",
        "inner/a.log": "x\n",
        "inner/a.tmp": "x\n",
        "inner/own": "x\n",
      });
      expectEqual((await grep(fixture, "^x$")).lines, ["inner/a.log:1: x"], "lines");
      const names = [".gitignore", ".ignore", "inner/a.log"];
      expectEqual((await walk(fixture, { type: "file" })).names, names, "entries");
    },
  ),
  on(
    "search:ignore:odd-rules",
    "A pattern with a dot segment matches nothing, a question mark matches a byte, braces are alternatives",
    async (fixture) => {
      await lay(fixture, {
        ".gitignore": "./a\nsub/./b\n?.q\n??.p\n[[:alpha:]]\nx{1,2}\n.rgignore\n",
        ".rgignore": "last\n",
        a: "x\n",
        "a]": "x\n",
        last: "x\n",
        "sub/b": "x\n",
        "z.q": "x\n",
        "é.q": "x\n",
        "é.p": "x\n",
        x1: "x\n",
        x3: "x\n",
      });
      const names = ["a", "sub/b", "x3", "é.q"];
      expectEqual(namesOf((await grep(fixture, "^x$")).lines), names, "files");
      expectEqual((await walk(fixture, { type: "file" })).names, [".gitignore", ...names], "entries");
    },
  ),
  on("search:ignore:dot-ignore", "A .ignore applies too, and overrides the .gitignore beside it", async (fixture) => {
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
  on(
    "search:ignore:symlink",
    "An ignore file that is a symlink does not apply, whatever it leads to, and is counted",
    async (fixture) => {
      await lay(fixture, {
        "out/secret.env": "a.txt\n",
        "work/.git/info/": "",
        "work/a.txt": "x\n",
        "work/sub/a.txt": "x\n",
        "work/sub/.gitignore": "b.txt\n",
        "work/sub/b.txt": "x\n",
      });
      const root = `${fixture.directory}/work`;
      const more = { root, grant: treeGrant(root, ["read"]), call: { workspace: root } };
      const names = ["work/a.txt", "work/sub/a.txt"];
      for (const [file, target] of [
        [".gitignore", "../out/secret.env"],
        ["sub/.ignore", "../../out/secret.env"],
        ["sub/.rgignore", ".gitignore"],
        [".git/info/exclude", "../../../out/secret.env"],
      ] as const) {
        await plant(fixture, { kind: "link", path: `${root}/${file}`, target });
        const { lines, end } = await grep(fixture, "^x$", more);
        expectEqual([namesOf(lines), end.skipped["ignore-file"]], [names, 1], `files beside ${file}`);
        const walked = await walk(fixture, { ...more, type: "file", glob: "[ab].txt" });
        expectEqual([walked.names, walked.end.skipped["ignore-file"]], [names, 1], `entries beside ${file}`);
        const below = { ...more, root: `${root}/sub`, grant: treeGrant(`${root}/sub`, ["read"]) };
        expectEqual(namesOf((await grep(fixture, "^x$", below)).lines), ["work/sub/a.txt"], `files below ${file}`);
        await bindAll(fixture).fs.rm(`${root}/${file}`, { recursive: false, ignoreMissing: false });
      }
    },
  ),
  on(
    "search:ignore:special",
    "An ignore file that is a FIFO, or a symlink to a device, does not hold up a search",
    async (fixture) => {
      await lay(fixture, { "a.txt": "x\n", "sub/b.txt": "x\n" });
      await plant(fixture, { kind: "fifo", path: `${fixture.directory}/.ignore` });
      await plant(fixture, { kind: "link", path: `${fixture.directory}/sub/.gitignore`, target: "/dev/zero" });
      const { lines, end } = await grep(fixture, "^x$", { timeoutMs: 20_000 });
      expectEqual(
        [namesOf(lines), end.why, end.skipped["ignore-file"]],
        [["a.txt", "sub/b.txt"], "complete", 2],
        "files, why and skipped",
      );
    },
  ),
  on("search:ignore:too-large", "An ignore file over 1 MiB does not apply, and is counted", async (fixture) => {
    await lay(fixture, { ".ignore": `a.txt\n#${"x".repeat(1024 * 1024)}\n`, "a.txt": "x\n" });
    const { lines, end } = await grep(fixture, "^x$");
    expectEqual([namesOf(lines), end.skipped["ignore-file"]], [["a.txt"], 1], "files and skipped");
  }),
  on(
    "search:ignore:denied",
    "An ignore file that the grant excepts does not apply, and is counted",
    async (fixture) => {
      await lay(fixture, { "sub/.ignore": "a.txt\n", "sub/a.txt": "x\n" });
      const grant = treeGrant(fixture.directory, ["read"], { except: [`${fixture.directory}/sub/.ignore`] });
      for (const root of [fixture.directory, `${fixture.directory}/sub`]) {
        const { lines, end } = await grep(fixture, "^x$", { grant, root });
        expectEqual([namesOf(lines), end.skipped["ignore-file"]], [["sub/a.txt"], 1], "files and skipped");
      }
    },
  ),
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
    "search:prune:directories",
    "Directories on the prune list are never entered; a file of that name is found",
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
  on(
    "search:glob:leaves-out",
    "A glob that starts with ! excludes what it matches, directories with their contents; an escaped ! is literal",
    async (fixture) => {
      await lay(fixture, {
        "a.ts": "x\n",
        "lib/b.ts": "x\n",
        "lib/c.js": "x\n",
        "sub/lib/d.js": "x\n",
        "sub/lib.md": "x\n",
        "!e.ts": "x\n",
      });
      const expected: Readonly<Record<string, readonly string[]>> = {
        "!*.ts": ["lib/c.js", "sub/lib/d.js", "sub/lib.md"],
        "!*.{ts,js}": ["sub/lib.md"],
        "!lib": ["!e.ts", "a.ts", "sub/lib.md"],
        "!lib/": ["!e.ts", "a.ts", "sub/lib.md"],
        "!a.ts/": ["!e.ts", "a.ts", "lib/b.ts", "lib/c.js", "sub/lib/d.js", "sub/lib.md"],
        "!/lib": ["!e.ts", "a.ts", "sub/lib/d.js", "sub/lib.md"],
        "!lib/**": ["!e.ts", "a.ts", "sub/lib/d.js", "sub/lib.md"],
        "!**/*.js": ["!e.ts", "a.ts", "lib/b.ts", "sub/lib.md"],
        "\\!*": ["!e.ts"],
      };
      for (const [glob, files] of Object.entries(expected)) {
        expectEqual(namesOf((await grep(fixture, "^x$", { glob })).lines), files, `files of ${glob}`);
        expectEqual((await walk(fixture, { glob, type: "file" })).names, files, `entries of ${glob}`);
      }
      expectEqual(
        (await grep(fixture, "^x$", { glob: "!*.ts", root: `${fixture.directory}/a.ts` })).hits.length,
        1,
        "a root",
      );
      await expectError(grep(fixture, "^x$", { glob: "!" }), "SEARCH_PATTERN", "a glob of the sign alone");
    },
  ),
  on("search:glob:path", "A glob with a slash matches the path relative to the root", async (fixture) => {
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
];
