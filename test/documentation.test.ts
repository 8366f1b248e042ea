import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Claim, createToolkit } from "../src/index.js";
import { autonomyPolicy } from "../src/policy/autonomy-policy.js";
import { POLICY_CALL } from "../src/testing/policy-call.fixture.js";
import { undocumentedExports } from "./architecture/documentation-rule.js";
import { listFiles, parseSource, REPOSITORY, readSources } from "./architecture/source-tree.js";
import { toolsOf } from "./types/guide-adapter.js";

/** `./dist/testing/index.js` in the exports map is built from `src/testing/index.ts`. */
function publicEntries(): string[] {
  const { exports } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as {
    exports: Record<string, string | { default: string }>;
  };
  return Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [] : [target.default.replace(/^\.\/dist\//, "src/").replace(/\.js$/, ".ts")],
  );
}

describe("documentation", () => {
  it("every symbol of a public entry has a doc block", () => {
    expect(publicEntries()).toContain("src/index.ts");
    expect(undocumentedExports(readSources(), publicEntries())).toEqual([]);
  });

  it("finds what has none, through any number of indexes", () => {
    const files = Object.entries({
      "src/index.ts": `export { a, b as c, type D } from "./kernel/index.js"; export const e = 1;`,
      "src/kernel/index.ts": `import { D } from "./d.js"; export { a, b } from "./a.js"; export type { D };`,
      "src/kernel/a.ts": `/** Documented. */ export function a() {}\nexport class b {}`,
      "src/kernel/d.ts": "export interface D {}",
    }).map(([path, text]) => parseSource(path, text));
    expect(undocumentedExports(files, ["src/index.ts"])).toEqual([
      "src/kernel/a.ts: b is public and has no doc block.",
      "src/kernel/d.ts: D is public and has no doc block.",
      "src/index.ts: e is public and has no doc block.",
    ]);
    expect(undocumentedExports(files, ["src/gone.ts"])).toHaveLength(1);
  });

  it("the architecture page names files and functions that exist", () => {
    const page = readFileSync(join(REPOSITORY, "docs/architecture.md"), "utf8");
    const rows = [...page.matchAll(/^\| [^|]+ \| `([^`|]+\.ts)` \| ([^|]+) \|/gm)];
    expect(rows.length).toBeGreaterThan(15);
    for (const [, path = "", names = ""] of rows) {
      const source = readFileSync(join(REPOSITORY, "src", path), "utf8");
      for (const [, name] of names.matchAll(/`(\w+)`/g))
        expect([path, source]).toEqual([path, expect.stringMatching(new RegExp(`\\b${name}[(<]`))]);
    }
  });

  it.each(["CONTRIBUTING.md", "docs/architecture.md"])("%s names paths and npm scripts that exist", (name) => {
    const page = readFileSync(join(REPOSITORY, name), "utf8");
    const paths = pathsIn(page);
    expect(paths.length).toBeGreaterThan(20);
    const files = ["src", "test", "docs", "bench", "examples"].flatMap((directory) => listFiles(directory));
    expect(isAmong(files, "src/tools/gone/x.ts")).toBe(false);
    expect(paths.filter((path) => !existsSync(join(REPOSITORY, path)) && !isAmong(files, path))).toEqual([]);
    const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as { scripts: object };
    const named = [...page.matchAll(/\bnpm (?:run ([a-z:]+)|(start|test)\b)/g)].map(([, run, own]) => run ?? own ?? "");
    expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
  });
});

describe("links", () => {
  const pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "examples/README.md"].concat(
    listFiles("docs").filter((path) => path.endsWith(".md")),
  );

  it.each(pages)("of %s lead to files and headings that exist", (page) => {
    expect(brokenLinks(page, readFileSync(join(REPOSITORY, page), "utf8"))).toEqual([]);
  });

  it("that are broken are found", () => {
    const text = [
      "# The `a` of B, and: c",
      "## Twice",
      "## Twice",
      "```md\n[x](in-code.md)\n## Not a heading\n```",
      "`[x](in-code.md)` [ok](#the-a-of-b-and-c) [ok](#twice-1) [ok](https://example.com/x.md) [ok](../README.md#a-session)",
      "[x](gone.md) [x](#not-a-heading) [x](../README.md#gone) [x](#twice-2)",
    ].join("\n\n");
    expect(brokenLinks("docs/x.md", text)).toEqual(["gone.md", "#not-a-heading", "../README.md#gone", "#twice-2"]);
  });
});

describe("the policy guide", () => {
  const guide = readFileSync(join(REPOSITORY, "docs/guide/policy.md"), "utf8");

  it("begins with rules that decide as it says", () => {
    const [, block = ""] = /^```sh\n([\s\S]*?)^```/m.exec(guide) ?? [];
    const rules = [...block.matchAll(/^haft policy (allow|deny) '(.*?)'/gm)].map(
      ([, effect, rule]) => `${effect} ${rule}`,
    );
    expect(rules).toEqual(["allow read path:/**", "allow npm test", "deny path:infra/**", "deny write path:**"]);
    const file = (access: "read" | "write", path: string): Claim => ({
      kind: "file",
      path,
      access: [access],
      scope: "self",
    });
    const npmTest: Claim = { kind: "command", command: "npm test", cwd: "/ws" };
    const claims = [
      ...[npmTest, file("read", "/etc/hosts"), file("read", "/home/u/.ssh/id_rsa"), file("read", "/ws/infra/a")],
      ...[file("write", "/ws/a"), file("write", "/etc/hosts")],
    ];
    const decided = (some: readonly string[]) =>
      claims.map((claim) => autonomyPolicy({ rules: some }).decide([claim], { ...POLICY_CALL, tool: "any" }).effect);
    expect(decided(rules.slice(0, 3))).toEqual(["allow", "allow", "ask", "deny", "allow", "deny"]);
    expect(decided(rules)).toEqual(["allow", "allow", "ask", "deny", "deny", "deny"]);
  });
});

describe("the programs in TypeScript", () => {
  it.each([
    ["docs/guide/policy.md", "guide-policy.ts"],
    ["docs/guide/library.md", "guide-adapter.ts"],
  ])("of %s are compiled as test/types/%s", (page, copy) => {
    const text = readFileSync(join(REPOSITORY, page), "utf8");
    const programs = [...text.matchAll(/^```ts\n(import [\s\S]*?)^```/gm)].map(([, block]) => block);
    const compiled = readFileSync(join(REPOSITORY, "test/types", copy), "utf8");
    expect(programs).toEqual([compiled.replace('"../../src/index.js"', '"haft"')]);
  });

  it("make an adapter that runs calls, reads JSON, and asks", async () => {
    const toolkit = await createToolkit({ persist: false, on: "memory" });
    const asked: string[] = [];
    const tools = toolsOf(toolkit.box(), async (reason) => asked.push(reason) > 1);
    const run = (name: string, input: unknown) =>
      tools.find((one) => one.name === name)?.run("1", input, AbortSignal.timeout(10_000));
    expect(await run("write", '{"path":"a.txt","content":"x"}')).toMatchObject({ isError: false });
    const first = await run("delete", { path: "a.txt" });
    expect(first).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("The user said no.") }] });
    expect(await run("delete", { path: "a.txt" })).toMatchObject({ isError: false });
    expect(asked).toHaveLength(2);
    await toolkit.close();
  });
});

it("the README and the library guide say which tools each box has", async () => {
  const stateDir = mkdtempSync(join(tmpdir(), "haft-boxes-"));
  const toolkit = await createToolkit({ stateDir, on: ["local", { name: "other", target: "memory" }] });
  const names = (box?: "coding" | "schedules" | "memory") =>
    toolkit
      .box(box)
      .descriptors()
      .map(({ name }) => name);
  const own = [...names("coding"), ...names("schedules"), ...names("memory")];
  expect([names("schedules").length, names("memory").length]).toEqual([6, 3]);
  expect(new Set(own).size).toBe(own.length);
  expect(names().filter((name) => !own.includes(name))).toEqual(["move", "copy", "delete", "time", "http_request"]);
  await toolkit.close();
  rmSync(stateDir, { recursive: true });
  for (const page of ["README.md", "docs/guide/library.md"])
    expect(readFileSync(join(REPOSITORY, page), "utf8")).toMatch(
      /`box\("coding"\)`\s+leaves\s+out\s+schedules,\s+memory,\s+`copy`,\s+`move`,\s+`delete`,\s+`time`\s+and\s+`http_request`/,
    );
});

/** A name of MCP, not a path. */
const METHOD = "tools/call";

/** The paths in code and in links: what contains a slash or ends like a file. */
function pathsIn(page: string): readonly string[] {
  const code = [...page.matchAll(/^```sh\n([\s\S]*?)^```|`([^`\n]+)`/gm)].flatMap(([, block, span]) =>
    (block ?? span ?? "").split(/\s+/),
  );
  const links = [...page.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path = ""]) => path.replace(/^\.\.\//, ""));
  const isPath = /^(?=.*(?:\/|\.(?:ts|mjs|md)$))[.\w<][\w<>/.-]*$/;
  return [...new Set([...code.filter((word) => isPath.test(word) && word !== METHOD), ...links])];
}

/** Whether a file has that path, or ends with it. `<name>` and a part that is `x` stand for any name. */
function isAmong(files: readonly string[], path: string): boolean {
  const pattern = path
    .replace(/\/$/, "")
    .replaceAll(".", "\\.")
    .replace(/<\w+>|\bx(?:-y)?\b/g, "[\\w-]+");
  const named = new RegExp(`(?:^|/)${pattern}(?:/|$)`);
  return files.some((file) => named.test(file));
}

/** The relative links of a page that lead to no file, or to no heading of it. */
function brokenLinks(page: string, text: string): readonly string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/`[^`\n]*`/g, "");
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = "", anchor] = target.split("#");
    const file = path === "" ? page : join(dirname(page), path);
    if (!existsSync(join(REPOSITORY, file)) && path !== "") return true;
    return (
      anchor !== undefined &&
      !anchorsOf(path === "" ? text : readFileSync(join(REPOSITORY, file), "utf8")).includes(anchor)
    );
  });
}

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): readonly string[] {
  const counts = new Map<string, number>();
  return [...text.replaceAll(/^```[\s\S]*?^```$/gm, "").matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) => {
    const shown = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = shown
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-");
    const count = counts.get(slug) ?? 0;
    counts.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}
