import { describe, expect, it } from "vitest";
import { omittedImage, partsOf, textOf } from "./outcome-parts.js";

const ok = { status: "ok", isError: false } as const;
const failed = { status: "failed", isError: true } as const;
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
    expect(partsOf({ ...ok, content })).toEqual([
      { type: "text", text: "a" },
      { type: "text", text: '{"b":[1]}' },
      { type: "text", text: "artifact:1" },
      { type: "text", text: "c" },
      { type: "image", mime: "image/png", data: "AQID" },
    ]);
  });

  it("have a text where a call failed without one", () => {
    const message = { type: "text", text: "The call failed without a message (failed)." };
    expect(partsOf({ ...failed, content: [] })).toEqual([message]);
    expect(partsOf({ ...failed, content: [{ kind: "text", text: " \n" }] })).toEqual([message]);
    expect(partsOf({ ...failed, content: [image] })).toEqual([
      message,
      { type: "image", mime: "image/png", data: "AQID" },
    ]);
    expect(partsOf({ ...failed, code: "CALL_TIMEOUT", content: [] })).toMatchObject([
      { text: "The call failed without a message (CALL_TIMEOUT)." },
    ]);
    expect(partsOf({ ...failed, content: [{ kind: "text", text: "no" }] })).toEqual([{ type: "text", text: "no" }]);
    expect(partsOf({ ...ok, content: [] })).toEqual([]);
  });

  it("are one text where none is an image, or a text stands for it", () => {
    const withImage = partsOf({ ...ok, content: [{ kind: "text", text: "a" }, image] });
    expect(textOf(withImage, (one) => omittedImage(one, "it is large"))).toBe(
      "a\n[image/png, 3 bytes, not shown: it is large.]",
    );
    expect(
      textOf([
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ]),
    ).toBe("a\nb");
    expect(textOf([])).toBe("");
    expect(textOf(withImage)).toBeUndefined();
  });
});
