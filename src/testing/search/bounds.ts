/** Where a search stops: on abort, at symlinks and special files, and at the edge of its grant. */
import { type BoundCall, EMPTY_GRANT, type Grant } from "../../kernel/index.js";
import { on } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture, plant, treeGrant } from "../fixture.js";
import type { Suite } from "../plan.js";
import { grep, grepQuery, lay, walk } from "./find.js";

export const searchBounds: Suite<Fixture> = [
  on("search:symlinks:not-followed", "Symlinks in the tree are not followed, and loops do no harm", async (fixture) => {
    await lay(fixture, { "real/a.txt": "x\n" });
    await plant(fixture, { kind: "link", path: `${fixture.directory}/real/loop`, target: ".." });
    await plant(fixture, { kind: "link", path: `${fixture.directory}/self`, target: "self" });
    await plant(fixture, { kind: "link", path: `${fixture.directory}/dir`, target: "real" });
    await plant(fixture, { kind: "link", path: `${fixture.directory}/file`, target: "real/a.txt" });
    const { lines, end } = await grep(fixture, "^x$");
    expectEqual([lines, end.why], [["real/a.txt:1: x"], "complete"], "lines and why");
    expectEqual((await walk(fixture, { type: "file" })).names, ["real/a.txt"], "files of the walk");
  }),
  on(
    "search:symlinks:as-root",
    "A root that is a symlink to a directory is searched; results have the requested path",
    async (fixture) => {
      await lay(fixture, { "real/a.txt": "x\n" });
      await plant(fixture, { kind: "link", path: `${fixture.directory}/link`, target: "real" });
      expectEqual(
        (await grep(fixture, "^x$", { root: `${fixture.directory}/link` })).lines,
        ["link/a.txt:1: x"],
        "lines",
      );
    },
  ),
  on("search:special:fifo", "A FIFO in the tree is skipped and does not block the search", async (fixture) => {
    await lay(fixture, { "a.txt": "x\n" });
    await plant(fixture, { kind: "fifo", path: `${fixture.directory}/pipe` });
    const { lines, end } = await grep(fixture, "^x$");
    expectEqual([lines, end.why], [["a.txt:1: x"], "complete"], "lines and why");
  }),
  on(
    "search:cancel:before",
    "With an aborted signal the end record is cancelled and there are no hits",
    async (fixture) => {
      await lay(fixture, { "a.txt": "x\n" });
      const { hits, end } = await grep(fixture, "^x$", { signal: AbortSignal.abort() });
      expectEqual([hits.length, end.why], [0, "cancelled"], "hits and why");
    },
  ),
  on("search:cancel:during", "Aborting ends a running search with one end record, cancelled", async (fixture) => {
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
  on("search:cancel:costly-rules", "Aborting works while expensive ignore rules are evaluated", async (fixture) => {
    const numbered = (count: number, line: (index: number) => string) =>
      Array.from({ length: count }, (_, at) => line(at));
    const tree: Record<string, string> = { ".gitignore": numbered(9_000, (index) => `*a*b${index}x\n`).join("") };
    for (const name of numbered(100, (index) => `${"a".repeat(100)}${index}`)) tree[name] = "";
    await lay(fixture, tree);
    const controller = new AbortController();
    const { search } = bindAll(fixture, undefined, { workspace: fixture.directory });
    const query = grepQuery(fixture, "", { signal: controller.signal });
    let entries = 0;
    let why = "";
    for await (const record of search.walk(query)) {
      if (record.kind === "end") why = record.why;
      // After the first one the directory is listed and its rules are read: the rest is synchronous.
      else if (entries++ === 0) fixture.clock.timer(0, () => controller.abort());
    }
    expectEqual(why, "cancelled", "why");
    expectThat(entries < 101, "it ended before all was found");
  }),
  on(
    "search:grant:root-is-read-once",
    "The root that was checked is the one that is searched, also where the query changes when read again",
    async (fixture) => {
      await lay(fixture, { "in/a.txt": "x\n", "out/b.txt": "x\n" });
      const { search } = bindAll(fixture, treeGrant(`${fixture.directory}/in`, ["read"]));
      for (const at of [2, 3, 4, 5, 6, 7, 8]) {
        const changing = () => {
          let reads = 0;
          return Object.defineProperty(grepQuery(fixture, "^x$"), "root", {
            enumerable: true,
            get: () => `${fixture.directory}/${++reads === at ? "out" : "in"}`,
          });
        };
        const found: string[] = [];
        for await (const record of search.grep(changing())) if (record.kind === "hit") found.push(record.path);
        for await (const record of search.walk(changing())) if (record.kind !== "end") found.push(record.path);
        expectEqual([...new Set(found)], [`${fixture.directory}/in/a.txt`], `changed at ${at}`);
      }
    },
  ),
  on(
    "search:grant:needed",
    "A root outside the grant is CALL_UNCLAIMED, and a search after the end of the call fails",
    async (fixture) => {
      await lay(fixture, { "in/a.txt": "x\n", "out/b.txt": "x\n" });
      const grant = treeGrant(`${fixture.directory}/in`, ["read"]);
      await expectError(grep(fixture, "^x$", { grant }), "CALL_UNCLAIMED", "a directory above");
      await expectError(
        grep(fixture, "^x$", { grant, root: `${fixture.directory}/out` }),
        "CALL_UNCLAIMED",
        "grep beside",
      );
      await expectError(walk(fixture, { grant, root: `${fixture.directory}/out` }), "CALL_UNCLAIMED", "walk beside");
      expectEqual(
        (await grep(fixture, "^x$", { grant, root: `${fixture.directory}/in` })).lines,
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
    "A grant for a directory alone does not cover its contents",
    async (fixture) => {
      await lay(fixture, { "in/a.txt": "x\n" });
      const grant = { files: [{ path: `${fixture.directory}/in`, access: ["read"], scope: "self" }] } as const;
      const hits = await grep(fixture, "^x$", { grant, root: `${fixture.directory}/in` }).then(
        (found) => found.hits.length,
        () => 0,
      );
      expectEqual(hits, 0, "hits");
      const file = { files: [{ path: `${fixture.directory}/in/a.txt`, access: ["read"], scope: "self" }] } as const;
      expectEqual(
        (await grep(fixture, "^x$", { grant: file, root: `${fixture.directory}/in/a.txt` })).hits.length,
        1,
        "hits in the file that is granted",
      );
    },
  ),
  on(
    "search:grant:except",
    "Paths that the grant excepts are not searched, and counted under policy",
    async (fixture) => {
      await lay(fixture, {
        ".env": "x\n",
        "sub/key.pem": "x\n",
        "private/a.txt": "x\n",
        "private/b.txt": "x\n",
        "open.txt": "x\n",
      });
      const except = [`${fixture.directory}/.env`, `${fixture.directory}/sub/key.pem`, `${fixture.directory}/private`];
      const grant = treeGrant(fixture.directory, ["read"], { except });
      const { lines, end } = await grep(fixture, "^x$", { grant, includeIgnored: true });
      expectEqual(lines, ["open.txt:1: x"], "lines");
      expectThat((end.skipped.policy ?? 0) >= 3, "at least three are counted under policy");
      expectEqual(
        (await walk(fixture, { grant, type: "file" })).names.includes("private/a.txt"),
        false,
        "the walk returned an excepted file",
      );
    },
  ),
  on(
    "search:grant:except-names",
    "Names that the grant excepts are neither searched nor listed anywhere below the root, and counted under policy",
    async (fixture) => {
      const secrets = [".env", ".ENV.local", "sub/Key.PEM", "sub/.ssh/config", "sub/.ssh/deep/k.pem"];
      const open = [".envrc", "[a].txt", "a.txt", "sub/a.pem.txt", "sub/b.txt"];
      await lay(fixture, Object.fromEntries([...secrets, ...open].map((name) => [name, "x\n"])));
      await lay(fixture, { ".gitignore": "*.log\n", "ignored.log": "x\n", "node_modules/.env": "x\n" });
      const exceptNames = [".env", ".Env.*", "*.pem", ".ssh", "[b].txt"];
      const grant = treeGrant(fixture.directory, ["read"], { exceptNames });
      const query = { grant, prune: ["node_modules"] };
      const lines = open.map((name) => `${name}:1: x`);
      const found = await grep(fixture, "^x$", query);
      expectEqual([found.lines, found.end.skipped], [lines, { policy: 4 }], "lines and skipped");
      const all = await grep(fixture, "^x$", { ...query, includeIgnored: true });
      expectEqual(
        [all.lines.length, all.end.skipped],
        [open.length + 1, { policy: 4 }],
        "lines and skipped, with ignored files",
      );
      const files = await grep(fixture, "^x$", { ...query, mode: "files", pattern: { multiline: true } });
      expectEqual([files.hits.length, files.end.skipped], [open.length, { policy: 4 }], "files and skipped");
      const walked = await walk(fixture, { ...query, type: "file" });
      expectEqual(
        [walked.names, walked.end.skipped],
        [[".envrc", ".gitignore", ...open.slice(1)], { policy: 4 }],
        "walk",
      );
      const both = { ...grant, except: [`${fixture.directory}/.env`, `${fixture.directory}/a.txt`] };
      const once = await grep(fixture, "^x$", { ...query, grant: both });
      expectEqual(
        [once.lines.length, once.end.skipped],
        [open.length - 1, { policy: 5 }],
        "lines and skipped, with excepted paths",
      );
    },
  ),
  on(
    "search:grant:except-names-any-letter",
    "Globs of any letters omit names in any case, and a question mark is one character",
    async (fixture) => {
      await lay(fixture, { CLÉ: "x\n", "é.key": "x\n", "éé.key": "x\n", "\u017fecret": "x\n", "a.txt": "x\n" });
      for (const [exceptNames, omitted] of [
        [
          ["clé", "?.key"],
          ["CLÉ", "é.key"],
        ],
        [["secret"], ["\u017fecret"]],
      ] as const) {
        const grant = treeGrant(fixture.directory, ["read"], { exceptNames });
        const { lines, end } = await grep(fixture, "^x$", { grant });
        const rest = ["CLÉ", "a.txt", "é.key", "éé.key", "\u017fecret"].filter(
          (name) => !omitted.includes(name as never),
        );
        expectEqual(
          [lines.toSorted(), end.skipped],
          [rest.map((name) => `${name}:1: x`).toSorted(), { policy: omitted.length }],
          "lines and skipped",
        );
      }
    },
  ),
  on(
    "search:grant:except-names-granted",
    "A root that is granted itself is searched whatever its name, and one that is only inside a tree is refused",
    async (fixture) => {
      await lay(fixture, { ".ssh/config": "x\n", ".ssh/key.pem": "x\n", ".env": "x\n" });
      const exceptNames = [".ssh", "*.pem", ".env"];
      const root = `${fixture.directory}/.ssh`;
      const { lines, end } = await grep(fixture, "^x$", { grant: treeGrant(root, ["read"], { exceptNames }), root });
      expectEqual([lines, end.skipped], [[".ssh/config:1: x"], { policy: 1 }], "lines and skipped");
      const file = `${fixture.directory}/.env`;
      const alone = await grep(fixture, "^x$", { grant: treeGrant(file, ["read"], { exceptNames }), root: file });
      expectEqual([alone.lines, alone.end.skipped], [[".env:1: x"], {}], "lines and skipped of a file");
      const grant = treeGrant(fixture.directory, ["read"], { exceptNames });
      for (const refused of [root, file]) {
        await expectError(grep(fixture, "^x$", { grant, root: refused }), "CALL_UNCLAIMED", `grep in ${refused}`);
        await expectError(walk(fixture, { grant, root: refused }), "CALL_UNCLAIMED", `walk in ${refused}`);
      }
    },
  ),
  on(
    "search:grant:except-names-through-a-symlink",
    "A symlink as root is judged by the real name, and names that the decision excepts are omitted too",
    async (fixture) => {
      await lay(fixture, { "in/.ssh/config": "x\n", "in/.ssh/key.pem": "x\n", "in/.env": "x\n", "in/a": "x\n" });
      await plant(fixture, { kind: "link", path: `${fixture.directory}/in/dir`, target: ".ssh" });
      await plant(fixture, { kind: "link", path: `${fixture.directory}/in/notes`, target: ".env" });
      const inside = `${fixture.directory}/in`;
      const grant = treeGrant(inside, ["read"], { exceptNames: [".ssh", ".env"] });
      const found = await grep(fixture, "^x$", { grant, root: inside });
      expectEqual([found.lines, found.end.skipped], [["in/a:1: x"], { policy: 2 }], "lines and skipped");
      for (const root of [`${inside}/dir`, `${inside}/notes`])
        await expectError(grep(fixture, "^x$", { grant, root }), "POLICY_DENIED", `grep in ${root}`);
      const asked: string[] = [];
      const call = { authorizeRealPath: allows(asked, { exceptNames: ["*.pem"] }) };
      const moved = await grep(fixture, "^x$", { grant, root: `${inside}/dir`, call });
      expectEqual(
        [moved.lines, moved.end.skipped, asked],
        [["in/dir/config:1: x"], { policy: 1 }, [`${inside}/dir -> ${inside}/.ssh tree`]],
        "lines, skipped and what was asked",
      );
    },
  ),
  on(
    "search:grant:symlink-out",
    "A root whose real path is outside the grant is authorized by its real path",
    async (fixture) => {
      await lay(fixture, { "in/a.txt": "x\n", "out/b.txt": "x\n" });
      await plant(fixture, { kind: "link", path: `${fixture.directory}/in/link`, target: "../out" });
      const grant = treeGrant(`${fixture.directory}/in`, ["read"]);
      await expectError(grep(fixture, "^x$", { grant, root: `${fixture.directory}/in/link` }), "POLICY_DENIED", "grep");
      expectEqual(
        (await grep(fixture, "^x$", { grant, root: `${fixture.directory}/in` })).lines,
        ["in/a.txt:1: x"],
        "lines",
      );
    },
  ),
  on(
    "search:moved:allow",
    "A root whose real path is outside is searched if policy allows it, asked once for the whole tree",
    async (fixture) => {
      await lay(fixture, { "in/a.txt": "x\n", "out/b.txt": "x\n", "out/sub/c.txt": "x\n", "one.txt": "x\n" });
      await plant(fixture, { kind: "link", path: `${fixture.directory}/in/link`, target: "../out" });
      await plant(fixture, { kind: "link", path: `${fixture.directory}/in/one`, target: "../one.txt" });
      const grant = treeGrant(`${fixture.directory}/in`, ["read"]);
      const root = `${fixture.directory}/in/link`;
      const asked: string[] = [];
      const call = { authorizeRealPath: allows(asked) };
      const tree = [`${root} -> ${fixture.directory}/out tree`];
      const found = await grep(fixture, "^x$", { grant, root, call });
      expectEqual(
        [found.lines, found.end.why, asked],
        [["in/link/b.txt:1: x", "in/link/sub/c.txt:1: x"], "complete", tree],
        "lines, why and what was asked",
      );
      asked.length = 0;
      const { names } = await walk(fixture, { grant, root, call, type: "file" });
      expectEqual([names, asked], [["in/link/b.txt", "in/link/sub/c.txt"], tree], "walk and what was asked");
      const file = await grep(fixture, "^x$", { grant, root: `${fixture.directory}/in/one`, call });
      expectEqual(file.lines, ["in/one:1: x"], "lines of a root that is a file");
    },
  ),
  on(
    "search:moved:excepts",
    "Paths at the real root that the grant or the decision excepts are omitted and counted",
    async (fixture) => {
      await lay(fixture, { "in/": "", "out/.env": "x\n", "out/keys/k": "x\n", "out/private/p": "x\n", "out/b": "x\n" });
      await plant(fixture, { kind: "link", path: `${fixture.directory}/in/link`, target: "../out" });
      const out = `${fixture.directory}/out`;
      const grant = treeGrant(`${fixture.directory}/in`, ["read"], { except: [`${out}/private`] });
      const call = { authorizeRealPath: allows([], { except: [`${out}/.env`, `${out}/keys`] }) };
      const { lines, end } = await grep(fixture, "^x$", { grant, root: `${fixture.directory}/in/link`, call });
      expectEqual([lines, end.skipped], [["in/link/b:1: x"], { policy: 3 }], "lines and skipped");
    },
  ),
  on(
    "search:moved:approved-pair",
    "A root whose real path was authorized with the claim is searched without another question",
    async (fixture) => {
      await lay(fixture, { "in/": "", "out/sub/c.txt": "x\n" });
      await plant(fixture, { kind: "link", path: `${fixture.directory}/in/link`, target: "../out" });
      const root = `${fixture.directory}/in/link`;
      const moved = [{ asked: root, real: `${fixture.directory}/out` }];
      const { lines } = await grep(fixture, "^x$", {
        grant: treeGrant(root, ["read"], { symlinkTargets: moved }),
        root,
      });
      expectEqual(lines, ["in/link/sub/c.txt:1: x"], "lines");
      const wider = treeGrant(`${fixture.directory}/in`, ["read"], { symlinkTargets: moved });
      await expectError(grep(fixture, "^x$", { grant: wider, root }), "POLICY_DENIED", "a pair of another claim");
    },
  ),
];

/** Allows every real path and appends each question to `asked`, as `path -> real scope`. */
function allows(asked: string[], more: Partial<Grant> = {}): BoundCall["authorizeRealPath"] {
  return async (path, real) => {
    asked.push(`${path} -> ${real.path} ${real.scope}`);
    const grant = { ...EMPTY_GRANT, id: "more", files: [real], ...more };
    return { effect: "allow", rule: "test:outside", risk: "low", reason: "It may.", grant };
  };
}
