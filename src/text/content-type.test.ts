import { expect, it } from "vitest";
import { parseContentType } from "./content-type.js";

it.each([
  ["", { mediaType: "" }],
  [" Text/HTML ", { mediaType: "text/html" }],
  ["text/html; Charset=UTF-8", { mediaType: "text/html", charset: "UTF-8" }],
  ['text/plain;charset = "ISO-8859-1"', { mediaType: "text/plain", charset: "ISO-8859-1" }],
  ["text/html; x=y; charset='gbk'; z", { mediaType: "text/html", charset: "gbk" }],
  ["text/html; charset=", { mediaType: "text/html" }],
  ['a/b; charset=" utf-8"', { mediaType: "a/b", charset: "utf-8" }],
  [`a/b; charset=${" ".repeat(60_000)};`, { mediaType: "a/b" }],
  ["; charset=utf-8", { mediaType: "", charset: "utf-8" }],
])("the content type %j", (header, parsed) => {
  expect(parseContentType(header)).toEqual(parsed);
});
