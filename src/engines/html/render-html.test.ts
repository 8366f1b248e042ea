import { describe, expect, it } from "vitest";
import { fc } from "../../testing/property.fixture.js";
import { articleOf, renderFeed, renderHtml, simplifyHtml } from "./index.js";
import { PageReader } from "./page-reader.js";
import { PageRenderer } from "./page-renderer.js";

const SITE = "https://site.test/docs/page.html";
const markdown = (html: string, more: { maxCharacters?: number } = {}) =>
  renderHtml(html, { format: "markdown", url: SITE, ...more });
const text = (html: string) => renderHtml(html, { format: "text", url: SITE }).text;

describe("what a rendered page says about itself", () => {
  it("has the title, and absolute links in its text", () => {
    const page = markdown(
      `<title>T &amp; U</title><p><a href="a">A</a> <a href="/docs/a">again</a> <a href="b#x">B</a> <a href="/none"></a>
       <a href="mailto:a@b.test">mail</a> <a href="#here">here</a> <img src="i.png" alt="pic">`,
    );
    expect(page.title).toBe("T & U");
    expect(page.text).toBe(
      "[A](https://site.test/docs/a) [again](https://site.test/docs/a) [B](https://site.test/docs/b#x) [mail](mailto:a@b.test) here ![pic](https://site.test/docs/i.png)",
    );
    expect(page.notes).toEqual([]);
  });

  it("has no title where the page has none", () => {
    expect(markdown("<p>Text.")).not.toHaveProperty("title");
  });

  it("has no links that were dropped with a menu", () => {
    const menu = `<ul>${["one", "two", "three", "four", "five"].map((name) => `<li><a href="/${name}">${name}</a>`).join("")}</ul>`;
    const page = markdown(`${menu}<p>${"A sentence. ".repeat(30)}<a href="/kept">kept</a></p>`);
    expect(page.text).toContain("[kept](https://site.test/kept)");
    expect(page.text).not.toContain("/one");
    expect(page.notes).toEqual(["Omitted 5 links of navigation (menus, header, footer, sidebars)."]);
  });

  it("has the menus of a page that has nothing else", () => {
    const page = markdown(
      `<nav>${"<p>All that there is to read is in this element. ".repeat(5)}<a href="/a">A</a></nav><p>Short.</p>`,
    );
    expect(page.text).toContain("All that there is");
    expect(page.text).toContain("[A](https://site.test/a)");
    expect(page.notes).toEqual([]);
  });

  it("says that a page without text may need JavaScript", () => {
    const page = markdown(`<div id="root"></div><script src="/app.js"></script>`);
    expect(page.text).toBe("");
    expect(page.notes).toEqual([expect.stringContaining("JavaScript")]);
    expect(markdown("").notes).toEqual([]);
  });

  it("keeps a long header and a list of titles", () => {
    const lead = "The lead of the page is part of its text. ".repeat(12);
    expect(markdown(`<header><h1>H</h1><p>${lead}</p></header><p>Body.`).text).toContain("The lead");
    const titles = `<ul>${Array.from({ length: 8 }, (_, index) => `<li><a href="/${index}">The title of an article, number ${index}</a>`).join("")}</ul>`;
    expect(markdown(`${titles}<p>${"Body. ".repeat(60)}`).text).toContain("number 7");
  });

  it("keeps the first heading of a header that it drops", () => {
    const page = markdown(`<header><h1>The title</h1><a href="/">Home</a></header><p>${"Body. ".repeat(60)}`);
    expect(page.text).toMatch(/^# The title\n\nBody\./);
  });

  it("stops at a size", () => {
    const page = markdown("<p>Some text here.</p>".repeat(10_000), { maxCharacters: 1_000 });
    expect(page.text.length).toBeGreaterThanOrEqual(1_000);
    expect(page.text.length).toBeLessThan(1_100);
  });
});

describe("a page as plain text", () => {
  it("has no marks", () => {
    expect(
      text(
        `<h2>A *b*</h2><p><b>Bold</b> <a href="/x">link</a> <code>f()</code> x<sup>2</sup></p><hr><img alt="Pic" src="/p">`,
      ),
    ).toBe("A *b*\n\nBold link f() x^2\n\nPic");
    expect(text(`<ul><li>One<li>Two</ul><table><tr><th>A<th>B<tr><td>1<td>2|3</table><pre>x\n y</pre>`)).toBe(
      "- One\n- Two\n\nA | B\n1 | 2|3\n\nx\n y",
    );
  });
});

describe("the article of a page", () => {
  const body = `<p>${"A sentence of the article. ".repeat(20)}</p>`;

  it("is the smallest part that has most of the text", () => {
    const page = articleOf(
      `<title>T</title><base href="/b/"><p>Before.</p><main><p>Around it.</p><article><h1>H</h1>${body}<a href="x">x</a></article>
       <article><p>A teaser.</p></article></main><p>After. <a href="/y">y</a></p>`,
      SITE,
    );
    expect(page.text).toMatch(/^# H\n\nA sentence/);
    expect(page.text).not.toMatch(/Before|Around|teaser|After/);
    expect(page.title).toBe("T");
    expect(page.text).toContain("[x](https://site.test/b/x)");
  });

  it("is all of the main part where no article stands out", () => {
    const page = articleOf(`<p>Before.</p><main>${`<article>${body}</article>`.repeat(3)}</main>`, SITE);
    expect(page.text.match(/A sentence/g)).toHaveLength(60);
    expect(page.text).not.toContain("Before");
  });

  it("is the whole page where none is marked, with a note", () => {
    const page = articleOf(`<div>${body}</div>`, SITE);
    expect(page.text).toContain("A sentence");
    expect(page.notes).toEqual(["The page marks no part as its article; this is all of its text."]);
  });
});

/** Markup that pages have, and markup that only attacks have. */
const PIECES = [
  ..."a b div p ul ol li table tr td th thead h1 h2 pre code blockquote dl dt dd nav main article header footer".split(
    " ",
  ),
  ..."svg math script style title template select option button details summary sup sub br img hr form iframe".split(
    " ",
  ),
].flatMap((name) => [
  `<${name}>`,
  `</${name}>`,
  `<${name} class="menu share" href="/x" hidden`,
  `<${name} colspan=9 rowspan=9 start=5>`,
]);
const ODD = [
  "text ",
  "<",
  ">",
  "&amp;",
  "&#27;[31m",
  "\0",
  "\x1b]0;x\x07",
  "\u202e",
  "&#0;",
  "<!--",
  "-->",
  "<![CDATA[",
  "]]>",
  '"',
  "\n",
  "```",
  "|",
  "*",
  "](",
  "<?xml",
];
const page = fc.array(fc.constantFrom(...PIECES, ...ODD), { maxLength: 60 }).map((parts) => parts.join(""));

describe("any input", () => {
  it("renders", () => {
    fc.assert(
      fc.property(page, fc.constantFrom("markdown", "text"), (html, format) => {
        renderHtml(html, { format, url: SITE });
        renderFeed(html, SITE);
        simplifyHtml(html, SITE);
      }),
    );
  });

  it.each(["constructor", "tostring", "valueof"])("may have an element that is called %s", (name) => {
    const html = `<item><${name}>some <b>text</b></${name}></item>`;
    expect(markdown(html).text).toBe("some **text**");
    expect(simplifyHtml(html, SITE).text).toBe("some text");
    expect(renderFeed(html, SITE).notes).toEqual([]);
  });

  it("loses no word outside of what is not text", () => {
    const INVISIBLE =
      /script|style|title|template|svg|math|select|iframe|option|button|hidden|<!|<\?|nav|header|footer|<a>/;
    const visible = fc.array(
      fc.constantFrom(...[...PIECES, ...ODD].filter((piece) => !INVISIBLE.test(piece)), "text ", "text "),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(visible, (parts) => {
        const html = parts.join("");
        const words = html.replace(/<[a-z/][^>]*(?:>|$)/g, "").match(/text/g) ?? [];
        expect(markdown(html).text.match(/text/g) ?? []).toHaveLength(words.length);
      }),
    );
  });
});

describe("a table with cells that span others", () => {
  it("has each cell in its column, and no empty ones at the ends of rows", () => {
    const html = `<table><tr><th>A<th colspan=2>B<th>D<th><tr><td rowspan=3>1<td>2<td rowspan=2>3<td>4<tr><td>5<td>6<tr><td>7<td><td></table>`;
    expect(markdown(html).text).toBe(
      ["| A | B | | D |", "| --- | --- | --- | --- |", "| 1 | 2 | 3 | 4 |", "| | 5 | | 6 |", "| | 7 |"].join("\n"),
    );
  });

  it("has what is beyond a hundred columns in the last of them", () => {
    const [, , row] = markdown(`<table><tr>${"<td>x".repeat(101)}<td>y<tr><td>z</table>`).text.split("\n");
    expect(row).toBe(`| ${"x | ".repeat(99)}x x y |`);
  });
});

/** Steps of the reader for a page, and the size of what it becomes. */
function cost(html: string) {
  let events = 0;
  const renderer = new PageRenderer({ isMarkdown: true, url: SITE, dropsBoilerplate: true, onSize: () => events++ });
  const reader = new PageReader(renderer);
  reader.read(html);
  return { steps: reader.steps + events, size: renderer.finish().text.length };
}

const REPEATED: Readonly<Record<string, (count: number) => string>> = {
  "nested elements": (count) => `${"<div>".repeat(count)}x`,
  "nested lists": (count) => "<ul><li>x".repeat(count),
  "nested quotes": (count) => "<blockquote>x".repeat(count),
  "nested tables": (count) => "<table><tr><td>x".repeat(count),
  "end tags of elements far outside": (count) => "<div>".repeat(count) + "<b>".repeat(count) + "</div>".repeat(count),
  "items in nested inline elements": (count) => `<ul>${"<b>".repeat(count)}${"<li>x".repeat(count)}`,
  "interleaved elements": (count) => "<b><p><i><a href=/x>x</b></p>".repeat(count),
  "scripts that do not end": (count) => "<script <!-- ".repeat(count),
  "links in one paragraph": (count) => `<p>${'<a href="/x">x</a> '.repeat(count)}`,
  menus: (count) => `<div>${"<a href=/x>m</a>".repeat(6)}</div>`.repeat(count / 4),
  entities: (count) => "&amp;&nosuch;&#x1f600;&#0;&".repeat(count),
  cells: (count) => `<table>${"<tr><td colspan=50 rowspan=9>x<td>y".repeat(count / 4)}`,
};

describe("the cost of a page", () => {
  it.each(Object.entries(REPEATED))("is linear for %s", (_name, build) => {
    const [small, large] = [cost(build(4_000)), cost(build(8_000))];
    expect(large.steps).toBeLessThanOrEqual(2.1 * small.steps + 100);
    expect(large.size).toBeLessThanOrEqual(2.1 * small.size + 100);
  });

  it("is not an error for a table of any length and any number of main parts", () => {
    const cells = "<tr><td>x<td>y";
    const rows = markdown(`<table>${cells.repeat(200_000)}</table>`).text.split("\n");
    expect(rows).toHaveLength(200_002);
    expect(rows.at(-1)).toBe("| x | y |");
    expect(articleOf("<main>x</main>".repeat(200_000), SITE).text.match(/x/g)).toHaveLength(200_000);
  });

  it("has no padding for the short rows of a wide table", () => {
    const short = "<tr><td>x";
    const wide = `<table><tr>${"<td>y".repeat(100)}${short.repeat(10_000)}</table>`;
    expect(markdown(wide).text.split("\n").slice(3)).toEqual(Array.from({ length: 10_000 }, () => "| x |"));
    const spanned = `<table><tr><td colspan=100>y<td>z${short.repeat(10_000)}</table>`;
    expect(markdown(spanned).text.length).toBeLessThan(spanned.length);
  });

  it("is in proportion to a page whose cells span everything", () => {
    for (const row of ["<tr><td rowspan=1000 colspan=99>a<td>b<tr><td>c", "<tr><td colspan=99>a<td>b"])
      for (const html of [`<table>${row.repeat(5_000)}</table>`, `<table>${row}${row}</table>`.repeat(5_000)]) {
        const { text } = markdown(html);
        expect(text.match(/[abc]/g)).toHaveLength(html.match(/>[abc]/g)!.length);
        expect(text.length).toBeLessThan(8 * html.length);
      }
  });

  it("is bounded for the elements that a tag looks at", () => {
    const html = "<div>".repeat(100_000) + "<b>".repeat(1_000) + "</div>".repeat(100_000);
    expect(cost(html).steps).toBeLessThan(160 * 200_000);
  });

  it("disregards all but the start of a huge attribute", () => {
    const page = markdown(
      `<a href="/x" class="${"menu ".repeat(200_000)}">x</a><a href="/${"y".repeat(1 << 20)}">y</a>`,
    );
    expect(page.text.length).toBeLessThan(10_000);
    expect(page.text).toContain("[x](https://site.test/x)");
  });
});
