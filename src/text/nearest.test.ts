import { describe, expect, it } from "vitest";
import { foldTypography, nearestNames } from "./nearest.js";

describe("nearestNames", () => {
  const tools = ["read", "write", "edit", "ls", "grep", "find", "bash", "process", "todo_set", "todo_read", "webfetch"];

  it.each([
    ["raed", ["read"]],
    ["todoset", ["todo_set"]],
    ["Todo-Read", ["todo_read"]],
    ["gerp", ["grep"]],
    ["read_file", ["read"]],
    ["fetch", ["webfetch"]],
    ["zzzzzz", []],
    ["", []],
  ])("finds for %j: %j", (name, expected) => {
    const found = nearestNames(name, tools);
    expect(found.slice(0, Math.max(1, expected.length))).toEqual(expected);
  });

  it("puts the nearest first and keeps the given order among equals", () => {
    expect(nearestNames("name", ["names", "name2", "name"])).toEqual(["name", "names", "name2"]);
  });

  it("returns at most the limit, three by default, and each name once", () => {
    const many = ["aaa1", "aaa2", "aaa3", "aaa4", "aaa1"];
    expect(nearestNames("aaa", many)).toEqual(["aaa1", "aaa2", "aaa3"]);
    expect(nearestNames("aaa", many, 1)).toEqual(["aaa1"]);
  });

  it("finds a name that differs in quotes, spaces, dashes or composition only", () => {
    const files = ["Bob’s file.txt", "re\u0301sume\u0301.md", "Shot\u202f1.png", "a–b"];
    expect(nearestNames("Bob's file.txt", files)[0]).toBe("Bob’s file.txt");
    expect(nearestNames("résumé.md", files)[0]).toBe("re\u0301sume\u0301.md");
    expect(nearestNames("Shot 1.png", files)[0]).toBe("Shot\u202f1.png");
    expect(nearestNames("a-b", files)[0]).toBe("a–b");
  });

  it("compares very long names by their start", () => {
    const long = "x".repeat(100_000);
    expect(nearestNames(long, [`${long}y`, "y".repeat(100_000)])).toEqual([`${long}y`]);
  });
});

describe("foldTypography", () => {
  it("leaves plain text as it is", () => {
    expect(foldTypography(`it's a "plain" - text`)).toBe(`it's a "plain" - text`);
    expect(foldTypography("“a” ‘b’ c—d\u00a0e")).toBe(`"a" 'b' c-d e`);
  });
});
