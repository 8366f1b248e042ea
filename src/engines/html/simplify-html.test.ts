import { describe, expect, it, vi } from "vitest";
import { simplifyHtml } from "./index.js";

const simplify = (html: string) => simplifyHtml(html, "https://site.test/").text;

describe("the plain simplifier", () => {
  it("drops what is not text and marks headings, items and links", () => {
    expect(
      simplify(`<html><head><title>T</title></head><style>p{}</style><script>x()</script><svg><text>s</text></svg>
<h1>Title</h1><p>See <a href="/docs?a=1&amp;b=2">the <b>docs</b></a> &amp; more.</p>
<h3>Part</h3><ul><li>One<li>Two <a href="x">x</a></ul><p>Last</p>`),
    ).toBe("# Title\n\nSee the docs (/docs?a=1&b=2) & more.\n\n### Part\n\n- One\n- Two x (x)\n\nLast");
  });

  it("decodes few names and all numbers, and tidies whitespace", () => {
    expect(simplify("<p>&lt;b&gt; &quot;q&quot; &#65;&#x42; &#0; &#xD800; &hearts; a&nbsp;b</p>")).toBe(
      '<b> "q" AB \ufffd \ufffd &hearts; a b',
    );
    expect(simplify("<div>  a \n\n b<br>c</div><div></div><div></div><div>d</div>")).toBe("a b\nc\n\nd");
  });

  it("keeps the text of a link without address and drops a link without text", () => {
    expect(simplify(`<a>plain</a> <a href="/x"><img src="i"></a><a href="/y"> y </a>`)).toBe("plain y (/y)");
  });

  it("does not look at the text of a link again when the link ends", () => {
    const slice = vi.spyOn(Array.prototype, "slice");
    simplify("<a href=x><table><td>x".repeat(1_000) + "</table></a>".repeat(1_000));
    const copied = slice.mock.results.reduce((sum, { value }) => sum + value.length, 0);
    slice.mockRestore();
    expect(copied).toBeLessThan(200_000);
  });
});
