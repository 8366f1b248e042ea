import { describe, expect, it } from "vitest";
import { parseResultPage, textOfHtml } from "./index.js";
import { PageReader } from "./page-reader.js";
import { ResultPageHandler } from "./result-page.js";

const SITE = "https://search.test/html/";
const link = (name: string, title = name) => `<a class="result__a" href="https://${name}.test/">${title}</a>`;

describe("a page of results", () => {
  it("has title and snippet up to the end of their elements, with elements inside", () => {
    const html = `${link("one", "<b>one</b> &amp; more")} not this
      <div class="result__snippet">a <i>b</i><br> c</div> nor this`;
    expect(parseResultPage(html, SITE)).toEqual({
      results: [{ title: "one & more", url: "https://one.test/", snippet: "a b c" }],
      advertisements: 0,
      isEmpty: false,
      isChallenge: false,
    });
  });

  it("has at most 100 results", () => {
    expect(parseResultPage(link("a").repeat(150), SITE).results).toHaveLength(100);
  });

  it("is a bot check by the target of a form, a script or a frame, and not by that of a link", () => {
    const isChallenge = (html: string) => parseResultPage(html, SITE).isChallenge;
    expect(isChallenge('<form action="//search.test/anomaly.js?x">')).toBe(true);
    expect(isChallenge('<script src="/turnstile/v0/api.js"></script>')).toBe(true);
    expect(isChallenge('<a href="/captcha"></a><form action="/html/?q=captcha">')).toBe(false);
  });
});

it("takes the text of a fragment", () => {
  expect(textOfHtml("plain")).toBe("plain");
  expect(textOfHtml("<strong>a</strong> &lt; <em>b</em>&#x27;s <")).toBe("a < b's <");
});

const REPEATED: Readonly<Record<string, (count: number) => string>> = {
  "end tags of paragraphs inside nested elements": (count) => "<div>".repeat(count) + "</p>".repeat(count),
  "end tags without an element": (count) => "<div>".repeat(count) + "</span>".repeat(count),
  "results inside of each other": (count) => `<div class="result">${link("a").slice(0, -4)}`.repeat(count),
  "nested snippets": (count) => '<div class="result__snippet">x'.repeat(count),
};

describe("the cost of a page of results", () => {
  it.each(Object.entries(REPEATED))("is linear for %s", (_name, build) => {
    const steps = (html: string) => {
      const reader = new PageReader(new ResultPageHandler(SITE));
      reader.read(html);
      return reader.steps;
    };
    const small = steps(build(4_000));
    expect(small).toBeGreaterThan(4_000);
    expect(steps(build(8_000))).toBeLessThanOrEqual(2.1 * small + 100);
  });
});
