import { expect, it } from "vitest";
import { linksOfHtml } from "./links-of-html.js";

it("returns where links and images lead, and no URL of the text", () => {
  const html = `<p>http://evil.example/a</p><a href="/b?x=1&amp;y=2#part">b</a><area href="c"><img src="d.png">
    <a href="mailto:a@example.com">m</a><script>"http://evil.example/s"</script><!-- <a href="/comment">x</a> -->`;
  expect([...linksOfHtml(html, "https://example.com/dir/page")]).toEqual([
    "https://example.com/b?x=1&y=2",
    "https://example.com/dir/c",
    "https://example.com/dir/d.png",
  ]);
});

it("resolves them by the first base", () => {
  const html = `<base href="https://cdn.example/x/"><base href="https://evil.example/"><a href="a">a</a>`;
  expect([...linksOfHtml(html, "https://example.com/")]).toEqual(["https://cdn.example/x/a"]);
});
