import { describe, expect, it } from "vitest";
import { renderHtml } from "./index.js";
import { REALISTIC_PAGES } from "./realistic-pages.fixture.js";

/** The text of an answer without its markup, as a reader sees it. */
const plain = (text: string) => text.replace(/\\(?=[!-/:-@[-`{-~])/g, "");

describe.each(REALISTIC_PAGES)("a page of the kind $name", ({ html, main, navigation }) => {
  it.each(["markdown", "text"] as const)("has all of its text and little else as %s", (format) => {
    const { text, notes } = renderHtml(html, { format, url: "https://site.test/a/b" });
    const answer = plain(text);
    expect(main.filter((sentence) => !answer.includes(sentence))).toEqual([]);
    const shown = navigation.filter((one) => answer.includes(one));
    const characters = shown.reduce((sum, one) => sum + one.length, 0);
    expect(characters, shown.join(", ")).toBeLessThanOrEqual(answer.length / 10);
    expect(notes).toEqual([expect.stringMatching(/^Omitted \d+ links of navigation/)]);
  });

  it("is of a realistic size", () => {
    expect(html.length).toBeGreaterThan(5_000);
    expect(html.length).toBeLessThan(30_000);
  });
});
