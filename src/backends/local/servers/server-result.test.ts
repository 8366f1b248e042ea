import { describe, expect, it } from "vitest";
import { serverResult } from "./server-result.js";

function blocks(content: unknown): readonly unknown[] {
  return serverResult({ content }, "s").content.map(({ provenance: _, ...block }) => block);
}

describe("what another server answers", () => {
  it.each([
    ["hello", [{ kind: "text", text: "hello" }]],
    [{ type: "text", text: "hello" }, [{ kind: "text", text: "hello" }]],
    [{ x: 1 }, [{ kind: "json", value: { x: 1 } }]],
    [7, [{ kind: "json", value: 7 }]],
    [null, []],
    [undefined, []],
    [[], []],
  ])("is shown where %j stands for the list of blocks", (content, shown) => {
    expect(blocks(content)).toEqual(shown);
  });

  it.each([
    ["AAEC", "text/html", "[text/html, 3 bytes, not shown]"],
    ["AAEC", undefined, "[application/octet-stream, 3 bytes, not shown]"],
    ["AAEC", "image/", "[application/octet-stream, 3 bytes, not shown]"],
    ["<svg/>", "image/svg+xml", "[image/svg+xml, not in base64, not shown]"],
    ["data:image/png;base64,AAEC", "image/png", "[image/png, not in base64, not shown]"],
    ["", "image/png", "[image/png, 0 bytes, not shown]"],
    ["====", "image/png", "[image/png, 0 bytes, not shown]"],
  ])("is named where it says that %j is an image of the type %j", (data, mimeType, text) => {
    expect(blocks([{ type: "image", data, mimeType }])).toEqual([{ kind: "text", text }]);
  });

  it.each(["AAEC", "AA\nEC\n"])("is an image where %j is one", (data) => {
    const image = { kind: "image", data: new Uint8Array([0, 1, 2]), mime: "image/png" };
    expect(blocks([{ type: "image", data, mimeType: "image/png" }])).toEqual([image]);
  });
});
