import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { built } from "../../testing/built.fixture.js";
import { isSampled } from "../../testing/long.fixture.js";

/** The largest body that `webfetch` reads. */
const PAGE_BYTES = 5_242_880;
const MAX_MB = 250;

/** What a page begins with, and what is repeated until it is as large as a page can be. Each "x" is text. Every run tries a third. */
const PAGES: Readonly<Record<string, readonly [start: string, unit: string]>> = {
  "rows of one cell": ["<table>", "<tr><td>x"],
  "rows of cells in another script": ["<table>", "<tr><td>ж<td>x"],
  "cells that span others": ["<table>", "<tr><td colspan=100>x<td rowspan=1000>x"],
  "nested lists": ["", "<ul><li>x"],
  "nested quotes": ["", "<blockquote>ж x"],
  "definition lists": ["", "<dl><dt>x<dd>x"],
  "cells of one row": ["<table><tr>", "<td>x"],
  "nested tables": ["", "<table><tr><td>x"],
  "nested elements": ["", "<div>x"],
  "line breaks before what looks like items": ["", "-x<br>- <br>"],
  links: ["", '<a href="/a">x</a> '],
  "attributes and comments": ["", "<p class=a id=b title>x<!---->"],
  "marks that do not end": ["", "<b>x<i>x"],
  "entities and characters that Markdown would interpret": ["<p>", "&lt;*x"],
  "lines of one character": ["<p>", "x\n"],
  "blocks in preformatted text": ["<pre>", "x<p>"],
};

/** What a process of its own needs for the rendering of the page, and how many "x" the text has. */
async function rendered(start: string, unit: string): Promise<{ readonly peakMb: number; readonly found: number }> {
  const program = `
    import { renderHtml } from ${JSON.stringify(pathToFileURL(built("engines/html/index.js")).href)};
    const [start, unit] = ${JSON.stringify([start, unit])};
    const count = Math.floor((${PAGE_BYTES} - start.length) / Buffer.byteLength(unit));
    const { text } = renderHtml(start + unit.repeat(count), { format: "markdown", url: "https://site.test/" });
    const peakMb = process.resourceUsage().maxRSS / 1024;
    let found = 0;
    for (let at = text.indexOf("x"); at !== -1; at = text.indexOf("x", at + 1)) found++;
    console.log(JSON.stringify({ peakMb, found: found / count }));`;
  // Started by a shell, which is small: the peak of a process begins with that of the process that it was forked from.
  const args = ["-c", '"$0" "$@"; exit', process.execPath, "--input-type=module", "-e", program];
  return JSON.parse((await promisify(execFile)("/bin/sh", args, { timeout: 100_000 })).stdout);
}

describe("a page of 5 MiB stays in little memory and loses no text", () => {
  it.each(Object.entries(PAGES).filter((_, index) => isSampled(index)))(
    "%s",
    { timeout: 120_000 },
    async (_name, [start, unit]) => {
      const { peakMb, found } = await rendered(start, unit);
      expect(found).toBe(unit.split("x").length - 1);
      expect(peakMb).toBeLessThan(MAX_MB);
    },
  );
});
