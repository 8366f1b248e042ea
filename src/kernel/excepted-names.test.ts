import { describe, expect, it } from "vitest";
import { covers, EMPTY_GRANT, type Grant } from "./claims.js";
import { isExceptedBelow, isExceptedName } from "./excepted-names.js";
import { requireTreeCovered } from "./guard.js";

const tree = (path: string, exceptNames: readonly string[], ...files: Grant["files"]): Grant => ({
  ...EMPTY_GRANT,
  id: "g",
  files: [{ path, access: ["read", "write", "delete"], scope: "tree" }, ...files],
  exceptNames,
});

describe("a grant that excepts names", () => {
  it("has globs of `*` and `?`, matched against one name, without regard to case", () => {
    for (const [glob, matching, others] of [
      [".env", [".env", ".ENV"], [".env.local", "a.env", "env"]],
      ["*.pem", ["a.pem", ".pem", "A.PEM", "a.b.Pem"], ["a.pem.txt", "pem"]],
      ["ID_?sa*", ["id_rsa", "id_DSA.pub"], ["id_sa", "id_ecdsa"]],
      ["é?.KEY", ["É1.key", "e\u0301😀.key"], ["e1.key", "é.key"]],
      [".ssh", [".\u017fsh"], [".ss"]],
      ["a[b]{c,d}!\\.(x|y)^$", ["A[b]{c,d}!\\.(x|y)^$"], ["ab", "a[b]c"]],
      ["*", ["a", "."], []],
      ["a**a", ["aa", "aba"], ["a", "ab"]],
      ["a/b", [], ["b", "a"]],
    ] as const) {
      for (const name of matching) expect([glob, name, isExceptedName([glob], name)]).toEqual([glob, name, true]);
      for (const name of others) expect([glob, name, isExceptedName([glob], name)]).toEqual([glob, name, false]);
    }
  });

  it("matches in time that does not explode with the number of stars", () => {
    expect(isExceptedName([`${"*a".repeat(200)}b`], "a".repeat(20_000))).toBe(false);
  });

  it("covers by a tree no such name below it, and nothing below such a name", () => {
    const grant = tree("/w/.ssh", [".env", ".ssh", "*.pem"]);
    for (const path of ["/w/.ssh", "/w/.ssh/config", "/w/.ssh/a/b"]) expect(covers(grant, path, "read")).toBe(true);
    for (const path of ["/w/.ssh/.env", "/w/.ssh/a/.Env", "/w/.ssh/.env/a", "/w/.ssh/.ssh", "/w/.ssh/x.pem/a/b"])
      for (const access of ["read", "write", "create", "delete"] as const)
        expect(covers(grant, path, access)).toBe(false);
    expect(covers(tree("/", [".env"]), "/a/.env/b", "read")).toBe(false);
    expect(covers(tree("/", [".env"]), "/a/env/b", "read")).toBe(true);
  });

  it("covers such a path by a place of scope self, or a tree that begins there", () => {
    const self = { path: "/w/.env", access: ["read"], scope: "self" } as const;
    const grant = tree("/w", [".env", ".ssh"], self, { path: "/w/.ssh", access: ["read"], scope: "tree" });
    expect([covers(grant, "/w/.env", "read"), covers(grant, "/w/.env", "write")]).toEqual([true, false]);
    expect([covers(grant, "/w/.env/a", "read"), covers(grant, "/w/a/.env", "read")]).toEqual([false, false]);
    expect([covers(grant, "/w/.ssh/a", "read"), covers(grant, "/w/.ssh/.env", "read")]).toEqual([true, false]);
  });

  it("refuses them as protected, and takes a whole tree that contains them", () => {
    const self = { path: "/w/.ssh", access: ["read", "delete"], scope: "self" } as const;
    const grant = tree("/w", [".env", ".ssh"], self);
    expect(() => requireTreeCovered(grant, "/w/a", "delete")).not.toThrow();
    expect(() => requireTreeCovered(grant, "/w/a/.env", "delete")).toThrow(
      /Did not delete "\/w\/a\/\.env": it is protected/,
    );
    expect(() => requireTreeCovered(grant, "/w/.ssh", "delete")).toThrow(/claimed it without its contents/);
    expect(() => requireTreeCovered(grant, "/v/.env", "read")).toThrow(/the call did not claim it/);
  });

  it("compiles the globs of a list once, and those that are added later", () => {
    const exceptNames = [".env"];
    expect([isExceptedName(exceptNames, ".env"), isExceptedName(exceptNames, "a.pem")]).toEqual([true, false]);
    exceptNames.push("*.pem");
    expect(isExceptedBelow(exceptNames, "/w", "/w/a.pem/b")).toBe(true);
    expect(isExceptedBelow(exceptNames, "/w/a.pem", "/w/a.pem/b")).toBe(false);
  });
});
