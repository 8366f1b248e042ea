import { describe, expect, it } from "vitest";
import { renderFeed } from "./index.js";

const SITE = "https://site.test/feed.xml";

describe("a feed as Markdown", () => {
  it("is its title and its items, of RSS", () => {
    const feed = renderFeed(
      `<?xml version="1.0"?><rss version="2.0"><channel><title>News &amp; more</title><link>https://site.test/</link><description>What is new</description>
<image><title>Logo</title><url>x</url></image>
<item><title>First [draft]</title><link>/1?a=1&amp;b=2</link><pubDate>Mon, 01 Jan 2024 10:00:00 GMT</pubDate>
<description><![CDATA[<p>Some <b>bold</b> text &amp; <script>x()</script>more.</p>]]></description><content:encoded>ignored</content:encoded></item>
<item><description>&lt;p&gt;Escaped&lt;/p&gt; *text*</description></item></channel></rss>`,
      SITE,
    );
    expect(feed.text).toBe(
      [
        "# News & more",
        "What is new",
        "## [First \\[draft\\]](https://site.test/1?a=1&b=2)",
        "Mon, 01 Jan 2024 10:00:00 GMT",
        "Some bold text & more.",
        "## Untitled",
        "Escaped \\*text\\*",
      ].join("\n\n"),
    );
    expect(feed).toMatchObject({ title: "News & more", notes: [] });
  });

  it("is the same of Atom and of RDF", () => {
    const atom = renderFeed(
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>A</title><link rel="self" href="/self"/><entry><title type="html">&lt;b&gt;One&lt;/b&gt;</title>
<link rel="edit" href="/edit"/><link href="/one"/><published>2024-01-01</published><updated>2024-02-02</updated>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>Some <i>text</i></p></div></content></entry></feed>`,
      SITE,
    );
    expect(atom.text).toBe("# A\n\n## [One](https://site.test/one)\n\n2024-01-01\n\nSome text");
    const rdf = renderFeed(
      `<rdf:RDF><channel><title>R</title></channel><item rdf:about="x"><title>T</title><link>https://r.test/</link><dc:date>2024</dc:date></item></rdf:RDF>`,
      SITE,
    );
    expect(rdf.text).toBe("# R\n\n## [T](https://r.test/)\n\n2024");
  });

  it("has the links of its items, each once, and no other URL of its text", () => {
    const items = ["/1#top", "/1", "https://a.test/?b=1&amp;c=2", "mailto:a@b.test", "#here", "https://self.test/"];
    const feed = renderFeed(
      `<rss><channel><link>https://channel.test/</link>${items.map((link) => `<item><title>http://title.test/</title><link>${link}</link><description>http://text.test/ &lt;a href="http://summary.test/"&gt;x&lt;/a&gt;</description></item>`).join("")}</channel></rss>`,
      SITE,
    );
    expect([...feed.links]).toEqual(["https://site.test/1", "https://a.test/?b=1&c=2", "https://self.test/"]);
  });

  it("has long summaries truncated, and says that there are no items", () => {
    const long = renderFeed(
      `<rss><channel><item><title>T</title><description>${"word ".repeat(1_000)}</description></item>`,
      SITE,
    );
    expect(long.text.length).toBeLessThan(1_100);
    expect(long.text).toMatch(/word …$/);
    expect(renderFeed("<rss><channel><title>T</title></channel></rss>", SITE).notes).toEqual([
      "The feed contains no items.",
    ]);
    expect(renderFeed("", SITE).text).toBe("");
  });
});
