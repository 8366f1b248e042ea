import { describe, expect, it } from "vitest";
import { linksOfHtml, renderFeed, renderHtml } from "./index.js";
import { PageLinks } from "./page-links.js";

const SITE = "https://site.test/docs/page.html";
const markdown = (html: string, url = SITE) => renderHtml(html, { format: "markdown", url }).text;
/** An address of so many characters. */
const address = (length: number) => "https://base.test/".padEnd(length - 1, "b").concat("/");

describe("the links of a page with a long base", () => {
  it("are relative to the page where the base is longer than 2,048 characters", () => {
    const link = (length: number) => markdown(`<base href="${address(length)}"><a href="x">x</a>`);
    expect(link(2_048)).toBe(`[x](${address(2_048)}x)`);
    expect(link(2_049)).toBe("[x](https://site.test/docs/x)");
  });

  it("are texts where the address of the page adds more than 2,048 characters", () => {
    const html = `<a href="x">x</a> <a href="/y">y</a> <img src="z.png" alt="z">`;
    const added = (length: number) => markdown(html, address(length));
    expect(added(2_048)).toContain(`[x](${address(2_048)}x)`);
    expect(added(2_049)).toBe("x [y](https://base.test/y) z");
    expect(renderFeed("<rss><channel><item><title>T</title><link>x</link></item>", address(2_049)).text).toBe("## T");
  });

  it("add no more than four million characters to the page, and those that add none stay", () => {
    const page = (base: string) =>
      `<base href="${base}">${Array.from({ length: 10_000 }, (_, index) => `<a href=${index}>x</a> `).join("")}<a href="https://a.test/">last</a>`;
    const [long, short] = [markdown(page(address(2_000))), markdown(page(address(100)))];
    expect(long.match(/x\]\(/g)).toHaveLength(2_000);
    expect(long).toMatch(/ x \[last\]\(https:\/\/a\.test\/\)$/);
    expect(short.match(/x\]\(/g)).toHaveLength(10_000);
    expect(linksOfHtml(page(address(2_000)), SITE).size).toBe(2_001);
  });

  it("count each time that one is shown", () => {
    const links = new PageLinks(address(2_000));
    const shown = Array.from({ length: 3_000 }, () => links.resolve("x")).filter((url) => url !== undefined);
    expect(shown).toHaveLength(2_000);
  });

  it("may be long as they are written", () => {
    const long = `https://a.test/${"y".repeat(5_000)}`;
    expect(new PageLinks(SITE).resolve(long)).toBe(long);
  });
});

describe("the links of the source of a page", () => {
  it("are where its links and images lead, and no URL of its text", () => {
    const html = `<p>http://evil.example/a</p><a href="/b?x=1&amp;y=2#part">b</a><area href="c"><img src="d.png">
    <a href="mailto:a@example.com">m</a><script>"http://evil.example/s"</script><!-- <a href="/comment">x</a> -->`;
    expect([...linksOfHtml(html, "https://example.com/dir/page")]).toEqual([
      "https://example.com/b?x=1&y=2",
      "https://example.com/dir/c",
      "https://example.com/dir/d.png",
    ]);
  });

  it("are resolved by the first base", () => {
    const html = `<base href="https://cdn.example/x/"><base href="https://evil.example/"><a href="a">a</a>`;
    expect([...linksOfHtml(html, "https://example.com/")]).toEqual(["https://cdn.example/x/a"]);
  });
});
