import { describe, expect, it } from "vitest";
import { pageKind } from "./index.js";

const bytes = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const NUL = bytes("\0\x01\x02\0");

describe("the kind of a body", () => {
  it.each([
    ["text/html; charset=utf-8", "x", "html"],
    ["Application/XHTML+XML", "x", "html"],
    ["application/rss+xml", "x", "feed"],
    ["application/atom+xml", "x", "feed"],
    ["text/xml", "<?xml version='1.0'?>\n<rss version='2.0'>", "feed"],
    ["application/xml", "<!-- x --><feed xmlns='http://www.w3.org/2005/Atom'>", "feed"],
    ["application/xml", "<?xml version='1.0'?><rdf:RDF xmlns:rdf='x'>", "feed"],
    ["application/xml", "<?xml version='1.0'?><!DOCTYPE html><html>", "html"],
    ["application/xml", "<project/>", "text"],
    ["image/svg+xml", "<svg>", "text"],
    ["text/html", "<?xml version='1.0'?><rss>", "feed"],
    ["application/json", "x", "json"],
    ["application/vnd.api+json; x=y", "x", "json"],
    ["application/feed+json", "{}", "json"],
    ["text/plain", "<html>", "text"],
    ["", `${"<!-- a -->".repeat(400)}<html>`, "html"],
    ["application/xml", `${"<!-- a -->".repeat(400)}<nav>`, "text"],
    ["text/markdown", "# x", "text"],
    ["application/javascript", "x", "text"],
    ["application/x-unheard-of", "plain words", "text"],
    ["application/pdf", "x", "pdf"],
    ["image/png", "x", "image"],
    ["video/mp4", "x", "binary"],
  ])("of %s (%j) is %s", (type, start, kind) => {
    expect(pageKind(type, bytes(start))).toBe(kind);
  });

  it.each([
    ["  <!DOCTYPE html><p>", "html"],
    ["\xef\xbb\xbf<!-- hi --><html lang=en>", "html"],
    ["<?xml version='1.0'?><html>", "html"],
    ["<rss>", "feed"],
    ['{ "a": 1 }', "json"],
    ["[1, 2]", "json"],
    ["[x] a list item", "text"],
    ["words", "text"],
    ["", "text"],
    ["%PDF-1.7\n\0", "pdf"],
    ["\x89PNG\r\n\x1a\n\0", "image"],
    ["GIF89a\0", "image"],
    ["RIFF\0\0\0\0WEBPVP8", "image"],
    ["\x7fELF\0\0", "binary"],
  ])("without a type, of %j is %s", (start, kind) => {
    expect(pageKind(undefined, bytes(start))).toBe(kind);
    expect(pageKind("application/octet-stream", bytes(start))).toBe(kind);
  });

  it("is not text where the bytes are binary", () => {
    expect(pageKind("text/plain", NUL)).toBe("binary");
    expect(pageKind("application/zip", NUL)).toBe("binary");
    expect(
      pageKind("application/octet-stream", Uint8Array.from([0xff, 0xfe, 60, 0, 104, 0, 116, 0, 109, 0, 108, 0, 62, 0])),
    ).toBe("html");
  });
});
