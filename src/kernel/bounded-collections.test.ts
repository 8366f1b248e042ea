import { describe, expect, it } from "vitest";
import { BoundedMap, BoundedSet } from "./bounded-collections.js";

describe("bounded collections", () => {
  it("a map forgets what was set longest ago, and setting again counts as new", () => {
    const map = new BoundedMap<string, number>(2, [
      ["a", 1],
      ["b", 2],
    ]);
    map.set("a", 3).set("c", 4);
    expect([...map]).toEqual([
      ["a", 3],
      ["c", 4],
    ]);
    expect([...new BoundedMap(1, map)]).toEqual([["c", 4]]);
  });

  it("a set forgets what was added longest ago, and adding again counts as new", () => {
    const set = new BoundedSet(2, ["a", "b"]);
    set.add("a").add("c");
    expect([...set]).toEqual(["a", "c"]);
  });
});
