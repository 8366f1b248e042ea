import { describe, expect, it } from "vitest";
import { requireKnownOptions } from "./adapter-options.js";
import { partsOf, textOf } from "./outcome-parts.js";

const image = { kind: "image", data: new Uint8Array([1, 2, 3]), mime: "image/png" } as const;

describe("the parts of an outcome", () => {
  it("are its blocks in order, an image as base64, and none for an empty text", () => {
    const content = [
      { kind: "text", text: "a" },
      { kind: "json", value: { b: [1] } },
      { kind: "text", text: "" },
      { kind: "resource", uri: "artifact:1" },
      { kind: "resource", uri: "artifact:2", text: "c" },
      image,
    ] as const;
    expect(partsOf({ content })).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: '{"b":[1]}' },
      { type: "text", text: "artifact:1" },
      { type: "text", text: "c" },
      { type: "image", mime: "image/png", data: "AQID" },
    ]);
  });

  it("are one text where none is an image", () => {
    expect(
      textOf([
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ]),
    ).toBe("a\nb");
    expect(textOf([])).toBe("");
    expect(textOf(partsOf({ content: [{ kind: "text", text: "a" }, image] }))).toBeUndefined();
  });
});

describe("the options of an adapter", () => {
  it("are refused where one is unknown, with what there is", () => {
    const problem = (options: object) => {
      try {
        requireKnownOptions("toX", options, ["approvals", "onEvent"]);
        return undefined;
      } catch (thrown) {
        return (thrown as Error).message;
      }
    };
    expect(problem({ approvals: true })).toBeUndefined();
    expect(problem({ aproval: true })).toBe("`toX` has no option `aproval`. Did you mean `approvals`?");
    expect(problem({ zz: 1 })).toBe("`toX` has no option `zz`. Its options: approvals, onEvent.");
  });
});
