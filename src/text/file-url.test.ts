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
  ["file://a.txt", "it holds no absolute path"],
  ["file:///C:/a", "it holds a Windows path"],
  ["file:///a#L10", "it holds a `?` or `#`, which ends the path of a URL"],
  ["file:///a?b", "it holds a `?` or `#`, which ends the path of a URL"],
  ["file:///a%2Fb", "it holds an encoded `/` or NUL, which no file name has"],
  ["file:///a%00", "it holds an encoded `/` or NUL, which no file name has"],
  ["file:///%E9", "its `%` escapes are not UTF-8"],
  ["file:///100%", "its `%` escapes are not UTF-8"],
])("%s is refused: %s", (url, problem) => {
  expect(pathOfFileUrl(url)).toEqual({ problem });
});

it.each(["a.txt", "file:a", "./file:///a", "profile:///a", "https://a/b", "files/a"])("%s is no such URL", (text) => {
  expect(pathOfFileUrl(text)).toBeUndefined();
});
