import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { stripInvisible } from "../../text/index.js";
import { renderHtml } from "./index.js";

/** Each file has a page, a line of "=====", and the Markdown that it becomes, as `webfetch` shows it. */
const DIRECTORY = new URL("pages/", import.meta.url);
const URL_OF_PAGES = "https://site.test/docs/page.html";

const pages = readdirSync(DIRECTORY).map((name) => {
  const [html, markdown] = readFileSync(new URL(name, DIRECTORY), "utf8").split("\n=====\n");
  return { name: name.replace(/\.txt$/, ""), html: html!, markdown: markdown!.trimEnd() };
});

describe("a page as Markdown", () => {
  it.each(pages)("$name", ({ html, markdown }) => {
    const { text } = renderHtml(html, { format: "markdown", url: URL_OF_PAGES });
    expect(stripInvisible(text).text).toBe(markdown);
  });

  it("has thirty concepts", () => {
    expect(pages.length).toBeGreaterThanOrEqual(30);
  });
});
