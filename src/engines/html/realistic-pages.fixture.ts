/** Pages as sites build them, with all that is around their text: ten kinds, each 5 to 30 KB, made from parts. */

export interface RealisticPage {
  readonly name: string;
  readonly html: string;
  /** Sentences that must be in the answer. */
  readonly main: readonly string[];
  /** Texts of menus, banners and footers. */
  readonly navigation: readonly string[];
}

const SUBJECTS = ["The parser", "A reader", "This release", "Our team", "The old bridge", "Each request", "The dough"];
const VERBS = ["keeps", "returns", "replaces", "measures", "describes", "carries", "needs"];
const OBJECTS = ["a small buffer", "the whole story", "three cups of water", "every open file", "the next station"];
const ENDS = ["before noon", "without a copy", "in the second year", "for each caller", "when the wind turns"];
const MENU_WORDS = "Home Products Pricing Docs Blog Careers Support Contact Login Careers Status Partners Events".split(
  " ",
);

/** Collects what a page consists of while it is written. */
class PageBuilder {
  readonly main: string[] = [];
  readonly navigation: string[] = [];
  #count = 0;

  sentence(): string {
    const n = this.#count++;
    const pick = (words: readonly string[], step: number) => words[Math.floor(n / step) % words.length]!;
    const text = `${pick(SUBJECTS, 1)} ${pick(VERBS, 2)} ${pick(OBJECTS, 3)} ${pick(ENDS, 5)} (note ${n}).`;
    this.main.push(text);
    return text;
  }

  sentences(count: number): string {
    return Array.from({ length: count }, () => this.sentence()).join(" ");
  }

  paragraphs(count: number, size = 4): string {
    return Array.from({ length: count }, () => `<p>${this.sentences(size)}</p>`).join("\n");
  }

  heading(level: number, text: string): string {
    this.main.push(text);
    return `<h${level} id="s${this.#count}">${text}<a class="headerlink" href="#s${this.#count}">¶</a></h${level}>`;
  }

  /** A text that belongs to the navigation. */
  aside(text: string): string {
    this.navigation.push(text);
    return text;
  }

  links(count: number, prefix: string): string[] {
    return Array.from({ length: count }, (_, index) => {
      const text = this.aside(`${prefix} ${MENU_WORDS[index % MENU_WORDS.length]} ${index}`);
      return `<a class="menu-item" href="/${prefix.toLowerCase()}/${index}">${text}</a>`;
    });
  }

  list(count: number, prefix: string): string {
    return `<ul>${this.links(count, prefix)
      .map((link) => `<li>${link}</li>`)
      .join("")}</ul>`;
  }

  header(): string {
    return `<header class="site-header"><a href="/" class="logo">${this.aside("Acme Home")}</a><nav>${this.list(12, "Top")}</nav>
<form role="search"><input type="search" placeholder="Search"><button>Search</button></form></header>`;
  }

  footer(): string {
    return `<footer class="site-footer"><div class="columns">${this.list(10, "Foot")}${this.list(8, "Legal")}</div>
<p>${this.aside("© 2024 Acme Corporation. All rights reserved.")}</p></footer>`;
  }

  cookies(): string {
    const text = this.aside("We and our partners use cookies to improve your experience and to show advertisements.");
    return `<div id="cookie-consent" class="cookie-banner"><p>${text}</p><button>Accept all</button><a href="/privacy">${this.aside("Privacy policy")}</a></div>`;
  }

  share(): string {
    return `<div class="social-share"><a href="https://x.test/share">${this.aside("Share on X")}</a><a href="https://f.test/share">${this.aside("Share by mail")}</a></div>`;
  }

  trail(): string {
    return `<ol class="breadcrumb">${this.links(3, "Crumb")
      .map((link) => `<li>${link}</li>`)
      .join("")}</ol>`;
  }

  page(name: string, body: string): RealisticPage {
    const style = `<style>.menu { display: flex } ${".x{color:red}".repeat(60)}</style>`;
    const script = `<script>window.data = ${JSON.stringify(Array.from({ length: 60 }, (_, id) => ({ id, html: "<p>x</p>" })))};</script>`;
    const html = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${name}</title>${style}</head>
<body><a class="skip-link" href="#main">${this.aside("Skip to the content")}</a>\n${body}\n${script}</body></html>`;
    return { name, html, main: this.main, navigation: this.navigation };
  }
}

const repeat = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join("\n");

function documentation(): RealisticPage {
  const page = new PageBuilder();
  const section = (title: string) =>
    `${page.heading(2, title)}${page.paragraphs(2)}<pre><code class="language-ts">const x = open("${title}");\n</code></pre>
<aside class="note"><p>${page.sentence()}</p></aside><ul><li>${page.sentence()}</li><li>${page.sentence()}</li></ul>`;
  return page.page(
    "documentation",
    `${page.header()}<div class="layout"><aside class="sidebar">${page.list(40, "Side")}</aside><main id="main">${page.trail()}
<article>${page.heading(1, "Opening files")}${repeat(5, (n) => section(`Section ${n}`))}</article>
<nav class="toc">${page.list(6, "Toc")}</nav></main></div>${page.footer()}`,
  );
}

function news(): RealisticPage {
  const page = new PageBuilder();
  return page.page(
    "news article",
    `${page.cookies()}${page.header()}<article class="story"><header>${page.heading(1, "Bridge reopens after repairs")}
<p class="byline">${page.sentence()}</p></header>${page.share()}<figure><img src="/b.jpg" alt="The bridge"><figcaption>${page.sentence()}</figcaption></figure>
${page.paragraphs(9)}<blockquote><p>${page.sentences(2)}</p></blockquote>${page.paragraphs(4)}</article>
<aside class="related"><h3>${page.aside("Read next")}</h3>${page.list(8, "Related")}</aside>${page.footer()}`,
  );
}

/** An older blog without the elements of HTML 5. */
function blog(): RealisticPage {
  const page = new PageBuilder();
  const comment = () => `<div class="comment"><b>A reader</b><p>${page.sentences(2)}</p></div>`;
  return page.page(
    "blog",
    `<div id="wrapper"><div id="menu">${page.list(9, "Menu")}</div><div id="content"><div class="post">${page.heading(1, "Notes on buffers")}
${page.paragraphs(8)}<p>See <a href="/more">the next part of these notes</a>. ${page.sentence()}</p>${page.share()}</div>
<div id="comments">${repeat(6, comment)}</div></div><div id="archive">${page.list(24, "Archive")}</div>
<div id="tags">${page.links(12, "Tag").join(" ")}</div><div id="bottom"><div class="links">${page.links(6, "Bottom").join(" | ")}</div></div></div>`,
  );
}

function product(): RealisticPage {
  const page = new PageBuilder();
  const row = (index: number) => `<tr><th>Property ${index}</th><td>${page.sentence()}</td></tr>`;
  return page.page(
    "product",
    `${page.header()}<main>${page.trail()}<div class="gallery"><img src="/p1.jpg" alt="Front"><img src="/p2.jpg" alt="Back"></div>
${page.heading(1, "Copper kettle")}<p class="price">49.00 €</p><form><label>Quantity<input type="number"></label><select><option>1<option>2</select><button>Add to cart</button></form>
${page.paragraphs(3)}<table class="specs"><tbody>${repeat(14, row)}</tbody></table>${page.heading(2, "Reviews")}
${repeat(8, () => `<div class="review"><p>${page.sentences(2)}</p></div>`)}</main>${page.footer()}${page.cookies()}`,
  );
}

/** Laid out with tables. */
function forum(): RealisticPage {
  const page = new PageBuilder();
  const post = (index: number) =>
    `<table class="post"><tr><td class="author">user${index}</td><td><div class="body">${page.paragraphs(2, 3)}<blockquote>${page.sentence()}</blockquote></div></td></tr></table>`;
  return page.page(
    "forum thread",
    `<table width="100%"><tr><td colspan="2"><div class="bar">${page.links(8, "Bar").join(" · ")}</div></td></tr>
<tr><td width="20%"><div>${page.list(14, "Forums")}</div></td><td>${page.heading(1, "Why does it stop?")}${repeat(10, post)}</td></tr></table>${page.footer()}`,
  );
}

function wiki(): RealisticPage {
  const page = new PageBuilder();
  const linked = () =>
    `<p>${page.sentence()} It is near the <a href="/wiki/River">river</a> and the <a href="/wiki/Town_(old)">old town</a>.<sup class="reference"><a href="#cite-1">[1]</a></sup> ${page.sentences(3)}</p>`;
  return page.page(
    "wiki article",
    `<div id="content" role="main">${page.heading(1, "The old bridge")}<div id="toc" role="navigation">${page.list(7, "Contents")}</div>
<table class="infobox"><caption>Facts</caption><tr><th>Built</th><td>${page.sentence()}</td></tr><tr><th>Length</th><td>120 m</td></tr></table>
${repeat(4, (n) => page.heading(2, `Part ${n}`) + repeat(3, linked))}<ol class="references"><li id="cite-1">${page.sentence()}</li></ol></div>
<div id="panel" role="navigation">${page.list(30, "Languages")}</div>${page.footer()}`,
  );
}

function reference(): RealisticPage {
  const page = new PageBuilder();
  const member = (index: number) => `<section>${page.heading(3, `method${index}(path, options)`)}
<p><code><a href="/api/string">string</a> method${index}(<a href="/api/path">Path</a> path)</code></p>${page.paragraphs(1, 2)}
<dl><dt><code>path</code></dt><dd>${page.sentence()}</dd><dt><code>options</code></dt><dd>${page.sentence()}</dd></dl>
<table><thead><tr><th>Name</th><th>Meaning</th></tr></thead><tr><td>EIO</td><td>${page.sentence()}</td></tr></table></section>`;
  return page.page(
    "API reference",
    `<nav id="sidebar">${page.list(60, "Class")}</nav><div class="main" role="main">${page.heading(1, "Class File")}${repeat(10, member)}</div>${page.footer()}`,
  );
}

function recipe(): RealisticPage {
  const page = new PageBuilder();
  const items = (count: number) => repeat(count, () => `<li>${page.sentence()}</li>`);
  return page.page(
    "recipe",
    `${page.cookies()}<div role="banner">${page.list(10, "Top")}</div><div class="content"><div class="entry">${page.heading(1, "Bread in a pot")}
${page.share()}${page.paragraphs(5)}${page.heading(2, "Ingredients")}<ul class="ingredients">${items(9)}</ul>${page.heading(2, "Steps")}<ol>${items(8)}</ol>
${page.paragraphs(3)}</div></div><div role="complementary">${page.list(10, "Popular")}</div><div role="contentinfo">${page.list(9, "Foot")}</div>`,
  );
}

function changelog(): RealisticPage {
  const page = new PageBuilder();
  const change = () => `<li>${page.sentence()} (<a href="https://git.test/c/1">#12</a>)</li>`;
  const release = (index: number) =>
    `${page.heading(2, `Version 2.${index}.0`)}<p><time>2024-0${index + 1}-01</time></p><h3>Fixes</h3><ul>${repeat(6, change)}</ul>`;
  return page.page(
    "changelog",
    `${page.header()}<article>${page.heading(1, "Changelog")}${repeat(7, release)}</article>${page.footer()}`,
  );
}

function searchResults(): RealisticPage {
  const page = new PageBuilder();
  const result = (index: number) =>
    `<div class="result"><h2><a href="https://site${index}.test/page">${page.sentence()}</a></h2><div class="url">site${index}.test</div><p>${page.sentences(2)}</p></div>`;
  return page.page(
    "search results",
    `<div class="top">${page.links(9, "Filter").join(" ")}</div><div id="results">${repeat(20, result)}</div>
<div class="pages">${page.links(8, "Page").join(" ")}</div>${page.footer()}`,
  );
}

export const REALISTIC_PAGES: readonly RealisticPage[] = [
  documentation(),
  news(),
  blog(),
  product(),
  forum(),
  wiki(),
  reference(),
  recipe(),
  changelog(),
  searchResults(),
];
