import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { fc } from "../testing/property.fixture.js";
import { compileGlob, escapeGlob, type GlobOptions, MAX_GLOB_BYTES } from "./glob.js";

function matches(pattern: string, path: string, options?: GlobOptions): boolean {
  const glob = compileGlob(pattern, options);
  if (!glob.ok) throw new Error(glob.error);
  return glob.matches(path);
}

describe("compileGlob", () => {
  it.each([
    ["*.ts", "src/deep/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["*.TS", "a.ts", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/*.ts", "lib/src/a.ts", false],
    ["/src/*.ts", "src/a.ts", true],
    ["./a", "a", true],
    ["/a", "b/a", false],
    ["src/", "src", true],
    ["**/a.ts", "a.ts", true],
    ["**/a.ts", "x/y/a.ts", true],
    ["src/**", "src/x/.y", true],
    ["src/**", "src", true],
    ["src/**", "srcs", false],
    ["a/**/b/**/c", "a/x/b/b/y/c", true],
    ["a/**/b", "a/x/y", false],
    ["*", ".env", true],
    [".e*", ".env", true],
    ["a**b", "axyb", true],
    ["a/b**", "a/bc/d", false],
    ["?", "😀", true],
    ["??", "😀", false],
    ["*?x", "😀x", true],
    ["[!a]", "b", true],
    ["[^a]", "a", false],
    ["[]a]", "]", true],
    ["[a-c]x", "bx", true],
    ["[a\\-c]", "b", false],
    ["[a-]", "-", true],
    ["[a", "[a", true],
    ["[{,}]", ",", true],
    ["*.{ts,js}", "a.js", true],
    ["{a,b{c,d}}/x", "bd/x", true],
    ["{,a}b", "b", true],
    ["{a}", "{a}", true],
    ["{a{b,c}", "{ac", true],
    ["a}b", "a}b", true],
    ["{src/**,lib}/a", "src/x/a", true],
    ["a+b.*", "a+b.c", true],
    ["a+b.*", "aab.c", false],
    ["(group)/page", "(group)/page", true],
    ["!a", "!a", true],
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["a\\", "a", true],
    ["**", "", false],
  ])("matches %s against %j: %s", (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it("ignores case on request, in classes too", () => {
    expect(matches("*.TS", "a.ts", { ignoreCase: true })).toBe(true);
    expect(matches("[A-C]É", "bé", { ignoreCase: true })).toBe(true);
    expect(matches("[!A-C]", "b", { ignoreCase: true })).toBe(false);
  });

  it("matches the whole path when matchBase is off", () => {
    expect(matches("*.ts", "src/a.ts", { matchBase: false })).toBe(false);
    expect(matches("**", "src/a.ts", { matchBase: false })).toBe(true);
  });

  it("agrees with picomatch where both give a glob the same meaning", () => {
    const part = fc.constantFrom("a", "b", ".", "*", "?", "[ab]", "[^a]", "{a,b}", "/", "/**/");
    const pattern = fc
      .array(part, { minLength: 1, maxLength: 7 })
      .map((parts) => parts.join("").replace(/\/{2,}/g, "/"));
    const name = fc.stringMatching(/^[ab.]{1,4}$/).filter((text) => !text.endsWith("."));
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
    // Left out: slashes at an end and `.` segments, which picomatch takes literally, `**` inside a name,
    // `**/**` and a `/**` or a dot at the end, which it does not treat alike after every part.
    const isPlain = (text: string) =>
      !/^\/|\/$|\/\*\*$|\*\*\*|\*\*\/\*\*|[^/]\*\*|\*\*[^/]/.test(text) &&
      !text.split("/").some((segment) => /^\.+$/.test(segment));
    fc.assert(
      fc.property(pattern.filter(isPlain), path, (glob, target) => {
        expect(matches(glob, target, { matchBase: false })).toBe(picomatch.isMatch(target, glob, { dot: true }));
      }),
    );
  });

  it("answers for a pattern of many stars on a long name", () => {
    const stars = "*a".repeat(200);
    expect(matches(`${stars}b`, "a".repeat(4000))).toBe(false);
    expect(matches(stars, "a".repeat(4000))).toBe(true);
    expect(matches(`${"**/a/".repeat(100)}b`, `${"a/".repeat(1000)}c`)).toBe(false);
  });

  it("refuses an empty glob, one that is too long and one with too many alternatives", () => {
    expect(compileGlob("")).toEqual({ ok: false, error: expect.stringContaining("empty") });
    expect(compileGlob("é".repeat(513))).toEqual({ ok: false, error: expect.stringContaining("1026 bytes") });
    expect(compileGlob("a".repeat(MAX_GLOB_BYTES)).ok).toBe(true);
    expect(compileGlob("{a,b}".repeat(8)).ok).toBe(true);
    expect(compileGlob("{a,b}".repeat(9))).toEqual({ ok: false, error: expect.stringContaining("256 alternatives") });
    expect(compileGlob(`{${"{a,b},".repeat(129)}c}`).ok).toBe(false);
  });
});

describe("escapeGlob", () => {
  it("makes any name match itself and nothing else", () => {
    const awkward = fc.array(fc.constantFrom("a", "*", "?", "[", "]", "{", "}", ",", "!", "\\", "^", "-", "😀"), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(awkward, awkward, (left, right) => {
        const [name, other] = [left.join(""), right.join("")];
        expect(matches(escapeGlob(name), name)).toBe(true);
        expect(matches(escapeGlob(name), other)).toBe(name === other);
      }),
    );
  });
});
