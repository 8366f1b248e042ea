import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { undocumentedExports } from "./architecture/documentation-rule.js";
import { listFiles, parseSource, REPOSITORY, readSources } from "./architecture/source-tree.js";

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
