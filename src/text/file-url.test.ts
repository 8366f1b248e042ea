import { expect, it } from "vitest";
import { pathOfFileUrl } from "./file-url.js";

it.each([
  ["file:///a/b.txt", "/a/b.txt"],
  ["FILE:///a", "/a"],
  ["file://localhost/a", "/a"],
  ["file:/a", "/a"],
  ["file:///a%20b/%C3%A9.txt", "/a b/é.txt"],
  ["file:///a%23b%25", "/a#b%"],
  ["file:///", "/"],
])("%s names %s", (url, path) => {
  expect(pathOfFileUrl(url)).toEqual({ path });
});

it.each([
  ["file://server/share/a", "it names another host, `server`"],
  ["file://a.txt", "it has no absolute path"],
  ["file:///C:/a", "it contains a Windows path"],
  ["file:///a#L10", "it contains `?` or `#`, which end the path of a URL"],
  ["file:///a?b", "it contains `?` or `#`, which end the path of a URL"],
  ["file:///a%2Fb", "it contains an encoded `/` or NUL, which no file name can contain"],
  ["file:///a%00", "it contains an encoded `/` or NUL, which no file name can contain"],
  ["file:///%E9", "its `%` escapes are not UTF-8"],
  ["file:///100%", "its `%` escapes are not UTF-8"],
])("%s is refused: %s", (url, problem) => {
  expect(pathOfFileUrl(url)).toEqual({ problem });
});

it.each(["a.txt", "file:a", "./file:///a", "profile:///a", "https://a/b", "files/a"])("%s is no such URL", (text) => {
  expect(pathOfFileUrl(text)).toBeUndefined();
});
