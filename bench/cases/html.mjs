/** A page as Markdown beside turndown; ten times the page may take at most twelve times as long. */
import { renderHtml } from "../../dist/engines/html/index.js";
import { atLeastTimes, atMostTimes, memory, right } from "../goals.mjs";

const WORDS =
  "a page of many sections has lists and tables with links code and some more words in each paragraph".split(" ");
const MARK = "QUARTZ";

/** Sections with a paragraph, a list, a table and code, until the page has so many characters. */
function pageOf(characters) {
  const parts = [
    "<!doctype html><html><head><title>Bench</title><style>p{}</style></head><body><nav><a href=/>Home</a></nav><main>",
  ];
  for (let size = 0, n = 0; size < characters; n++) {
    const words = Array.from({ length: 60 }, (_, index) => WORDS[(n + index * 7) % WORDS.length]).join(" ");
    const part = `<section class="s${n}"><h2 id="s${n}">Section ${n} ${MARK}</h2><p>${words} <a href="/page/${n}?a=1&amp;b=2">a link</a> and <b>bold</b> &amp; <code>code_${n}</code>.</p>
<ul><li>${words.slice(0, 60)}<li><i>${words.slice(60, 120)}</i></ul>
<table><tr><th>Name<th>Value<tr><td>n${n}<td>${n * n}<tr><td>w<td>${words.slice(0, 30)}</table><pre><code class="language-js">const x${n} = ${n};\n</code></pre></section>\n`;
    parts.push(part);
    size += part.length;
  }
  return `${parts.join("")}</main><footer>Foot</footer></body></html>`;
}

const sections = (text, html) => {
  const [found, expected] = [text, html].map((one) => one.split(MARK).length);
  return found === expected ? {} : { say: `has ${found} of ${expected} sections`, wrong: true };
};

const ours = (characters) => async () => {
  const html = pageOf(characters);
  return () => sections(renderHtml(html, { format: "markdown", url: "https://bench.test/" }).text, html);
};

const turndown =
  (characters) =>
  async ({ layout }) => {
    const { default: Turndown } = await import(layout.peers.turndown.entry);
    const html = pageOf(characters);
    return () => sections(new Turndown().turndown(html), html);
  };

function htmlCase(id, what, characters, goals, more = {}) {
  const sides = { ours: ours(characters), turndown: turndown(characters), ...more };
  return { id, table: "library", what, goals, sides };
}

const faster = atLeastTimes(3, { beside: "turndown" });

export const cases = [
  htmlCase("html-500k", "a page of 500 KB as Markdown", 500_000, [faster, right]),
  htmlCase(
    "html-5m",
    "a page of 5 MB as Markdown",
    5_000_000,
    [atMostTimes(12, { beside: "small", name: "that of 500 KB" }), faster, memory(250), right],
    { small: ours(500_000) },
  ),
];
