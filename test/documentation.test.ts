import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { undocumentedExports } from "./architecture/documentation-rule.js";
import { parseSource, REPOSITORY, readSources } from "./architecture/source-tree.js";

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
    const files = [...page.matchAll(/`((?:\w[\w-]*\/)+[\w-]+\.ts)`/g)].map(([, path]) => path ?? "");
    expect(files.filter((path) => ![path, `src/${path}`].some((one) => existsSync(join(REPOSITORY, one))))).toEqual([]);
  });
});
