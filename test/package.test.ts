import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { isBuiltin } from "./architecture/import-rules.js";
import { parseSource, REPOSITORY } from "./architecture/source-tree.js";

const manifest = JSON.parse(readFileSync(join(REPOSITORY, "package.json"), "utf8")) as {
  version: string;
  bin: Record<string, string>;
  scripts: Record<string, string>;
  exports: Record<string, string | { types: string; default: string }>;
};
const entries = Object.values(manifest.exports).flatMap((target) => (typeof target === "string" ? [] : [target]));

beforeAll(() => {
  if (!existsSync(join(REPOSITORY, "dist/index.js"))) {
    throw new Error("There is no build. Run `npm run build` first; `npm test` does it.");
  }
});

const packed = packedFiles();

/** What `npm pack` would pack, by path. */
function packedFiles(): readonly string[] {
  const home = mkdtempSync(join(tmpdir(), "haft-pack-"));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    npm_config_cache: join(home, "cache"),
    npm_config_offline: "true",
    npm_config_update_notifier: "false",
  };
  const listed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: REPOSITORY,
    encoding: "utf8",
    env,
  });
  rmSync(home, { recursive: true, force: true });
  return (JSON.parse(listed) as { files: { path: string }[] }[])[0]?.files.map(({ path }) => path) ?? [];
}

/** Everything that loading a built file loads at once; `import()` is followed only on demand. */
function loadedBy(entry: string, followLazy: boolean): Set<string> {
  const seen = new Set<string>();
  const visit = (path: string) => {
    if (seen.has(path)) return;
    seen.add(path);
    const { imports } = parseSource(path, readFileSync(path, "utf8"));
    for (const { specifier, kind } of imports) {
      if (kind === "dynamic" && !followLazy) continue;
      if (specifier.startsWith(".")) visit(join(dirname(path), specifier));
      else seen.add(specifier);
    }
  };
  visit(join(REPOSITORY, entry));
  return seen;
}

describe("the built package", () => {
  it("has a file and types for each entry, and each loads", async () => {
    for (const { types, default: file } of entries) {
      expect(existsSync(join(REPOSITORY, types))).toBe(true);
      const loaded = (await import(pathToFileURL(join(REPOSITORY, file)).href)) as object;
      expect(Object.keys(loaded).length).toBeGreaterThan(0);
    }
  });

  it("reaches no module of Node from the pure entries, not even lazily", () => {
    for (const entry of [
      "dist/kernel/index.js",
      "dist/text/index.js",
      "dist/dialects/index.js",
      "dist/testing/index.js",
    ]) {
      expect([...loadedBy(entry, true)].filter((name) => !name.startsWith("/") && isBuiltin(name))).toEqual([]);
    }
  });

  it("loads no package and no backend with the main entry until they are needed", () => {
    const loaded = [...loadedBy("dist/index.js", false)];
    expect(loaded.filter((name) => !name.startsWith("/"))).toEqual([]);
    const heavy = /^(async )?function (createMemoryBackend|createPosixBackend|createLocalBackend|mcpServers)\(/gm;
    const found = (paths: Iterable<string>) =>
      [...paths].flatMap((path) => [...(path.startsWith("/") ? readFileSync(path, "utf8") : "").matchAll(heavy)]);
    expect(found(loaded)).toEqual([]);
    expect(found(loadedBy("dist/index.js", true)).length).toBeGreaterThan(1);
  });

  it("packs the build, its licence and its documents, and neither tests nor sources", () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "config.schema.json",
        "dist/index.js",
        "dist/index.d.ts",
      ]),
    );
    const others = packed.filter((path) => /\.(test|fixture)\.|^(src|test|bench|scripts)\//.test(path));
    expect(others).toEqual(["bench/RESULTS.md"]);
  });

  it("is built before it is packed, whatever was built before", () => {
    // test/package/run.mjs packs an unbuilt clone by it.
    expect(manifest.scripts.prepack).toBe(manifest.scripts.pretest);
  });

  it("has no link in a packed document that leads out of the package, or to no heading", () => {
    const documents = new Map(
      packed
        .filter((path) => path.endsWith(".md"))
        .map((path) => [path, readFileSync(join(REPOSITORY, path), "utf8").replace(/^```[\s\S]*?^```/gm, "")]),
    );
    const broken: string[] = [];
    let count = 0;
    for (const [path, text] of documents) {
      for (const [, link = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^https?:/.test(link)) continue;
        count++;
        const [file = "", heading] = link.split("#");
        const target = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), file));
        const isThere = packed.includes(target) && (heading === undefined || headingsOf(target).includes(heading));
        if (!isThere) broken.push(`${path}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
    expect(count).toBeGreaterThan(50);

    function headingsOf(target: string): readonly string[] {
      return [...(documents.get(target) ?? "").matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) =>
        title
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, "")
          .replaceAll(" ", "-"),
      );
    }
  });

  it("has an executable command that prints its version", () => {
    const command = join(REPOSITORY, manifest.bin.haft ?? "");
    expect(statSync(command).mode & 0o777).toBe(0o755);
    expect(spawnSync(command, ["--version"], { encoding: "utf8" }).stdout.trim()).toBe(manifest.version);
  });
});
