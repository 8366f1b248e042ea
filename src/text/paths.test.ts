import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import {
  baseName,
  joinPath,
  normalizePath,
  parentOf,
  relativeInside,
  resolvePath,
  trailingSlash,
  walkMissing,
  withoutTrailingSlash,
} from "./paths.js";

const anyPath = fc
  .array(fc.constantFrom("a", "b.ts", "..", ".", "", "~", "...", "a b", "é"), { minLength: 1, maxLength: 8 })
  .chain((names) => fc.constantFrom("", "/").map((start) => start + names.join("/")));
const trimSlash = (path: string) => (path.length > 1 ? path.replace(/\/$/, "") : path);

describe("normalizePath", () => {
  it("agrees with the platform's own rule, without a trailing slash", () => {
    fc.assert(fc.property(anyPath, (path) => normalizePath(path) === trimSlash(posix.normalize(path))));
  });

  it("keeps a leading .. only where it cannot be resolved", () => {
    expect(normalizePath("a/../..")).toBe("..");
    expect(normalizePath("/../a")).toBe("/a");
    expect(normalizePath("")).toBe(".");
    expect(normalizePath("//a//b/")).toBe("/a/b");
  });
});

describe("folderEnd", () => {
  it("is what only the path of a directory ends in", () => {
    for (const path of ["a", "a.", "a..", ".a", "..a", "a/...", "a/.b", "~"])
      expect(trailingSlash(path)).toBeUndefined();
    expect(["a/", "a//", "a/.", "a/..", ".", "..", "/", "/."].map(trailingSlash)).toEqual([
      "/",
      "/",
      "/.",
      "/..",
      ".",
      "..",
      "/",
      "/.",
    ]);
  });

  it("is taken off where normalizing drops it", () => {
    expect(
      ["a/", "a//./", "a/.", "./a/.b/", "/", "//", "/.", "a", "a/..", "..", "."].map(withoutTrailingSlash),
    ).toEqual(["a", "a", "a", "./a/.b", "/", "/", "/", "a", "a/..", "..", "."]);
    fc.assert(fc.property(anyPath, (path) => normalizePath(withoutTrailingSlash(path)) === normalizePath(path)));
  });
});

describe("joinPath", () => {
  it("puts a path below a directory, absolute or not", () => {
    expect(joinPath("/w", "a/../b")).toBe("/w/b");
    expect(joinPath("src", "../a")).toBe("a");
    expect(joinPath("/w", "/a")).toBe("/w/a");
    expect(joinPath("", "a")).toBe("a");
  });
});

describe("resolvePath", () => {
  it("gives an absolute path without any ..", () => {
    fc.assert(
      fc.property(anyPath, anyPath, (cwd, path) => {
        const full = resolvePath(`/${cwd}`, path);
        expect(full).toBe(trimSlash(posix.resolve(`/${cwd}`, path)));
        expect(full.split("/")).not.toContain("..");
      }),
    );
    expect(resolvePath("relative", "../../a")).toBe("/a");
  });

  it("expands ~ and ~/x only, and only with a home", () => {
    expect(resolvePath("/w", "~", "/home/u")).toBe("/home/u");
    expect(resolvePath("/w", "~/x", "/home/u")).toBe("/home/u/x");
    expect(resolvePath("/w", "~/../../..", "/home/u")).toBe("/");
    expect(resolvePath("/w", "~root/x", "/home/u")).toBe("/w/~root/x");
    expect(resolvePath("/w", "a/~", "/home/u")).toBe("/w/a/~");
    expect(resolvePath("/w", "~/x")).toBe("/w/~/x");
  });
});

describe("parentOf and baseName", () => {
  it.each([
    ["/a/b", "/a", "b"],
    ["/a", "/", "a"],
    ["/", "/", ""],
    ["a", ".", "a"],
    ["a/b/", "a", "b"],
    ["..", "../..", ".."],
    [".", "..", "."],
  ])("take %s apart", (path, parent, name) => {
    expect(parentOf(path)).toBe(parent);
    expect(baseName(path)).toBe(name);
  });
});

describe("walkMissing", () => {
  it.each([
    ["/w/dir", "gone/below", "/w/dir", "gone/below"],
    ["/w/dir", "gone/./below//../it/", "/w/dir", "gone/it"],
    ["/w/dir", "gone/..", "/w/dir", ""],
    ["/w/dir", "gone/../../file", "/w", "file"],
    ["/w/dir", "gone/../../other/../../../../file", "/", "file"],
    ["/", "gone", "/", "gone"],
  ])("from %s by %s", (real, rest, directory, missing) => {
    expect(walkMissing(real, rest)).toEqual({ real: directory, missing });
  });
});

describe("relativeInside", () => {
  it.each([
    ["/w", "/w", ""],
    ["/w", "/w/a/b", "a/b"],
    ["/w", "/w/../x", undefined],
    ["/w", "/wide", undefined],
    ["/w/", "/w/..a", "..a"],
    ["/", "/a", "a"],
    [".", "a/b", "a/b"],
    [".", "../a", undefined],
    [".", "/a", undefined],
    ["..", "../../a", undefined],
    ["..", "../a", "a"],
  ])("from %s sees %s as %s", (root, path, relative) => {
    expect(relativeInside(root, path)).toBe(relative);
  });

  it("agrees with joining: what is inside joins back to itself", () => {
    fc.assert(
      fc.property(anyPath, anyPath, (root, path) => {
        const full = resolvePath("/", path);
        const relative = relativeInside(resolvePath("/", root), full);
        if (relative !== undefined) expect(joinPath(resolvePath("/", root), relative)).toBe(full);
        expect(relativeInside(full, joinPath(full, "x/y"))).toBe("x/y");
      }),
    );
  });
});
