/** Any data that the tools for the web return. */
import { fc } from "../testing/property.fixture.js";
import { stripInvisible } from "../text/index.js";
import { count, text } from "./any-text.fixture.js";

export const pages = fc.record(
  {
    url: text,
    redirects: fc.array(text, { maxLength: 2 }),
    status: count,
    statusText: text,
    contentType: text,
    kind: fc.constantFrom("html", "feed", "json", "text", "pdf", "image", "binary"),
    title: text,
    // The tool has removed what is invisible.
    text: text.map((page) => stripInvisible(page).text),
    offset: count,
    nextOffset: count,
    totalCharacters: count,
    bodyBytes: count,
    isBodyComplete: fc.boolean(),
    picture: fc.record({ width: count, height: count }),
    artifact: text,
    cached: fc.constantFrom("fresh", "revalidated"),
    ageSeconds: count,
    notes: fc.array(text, { maxLength: 2 }),
  },
  {
    requiredKeys: [
      ...([
        "url",
        "redirects",
        "status",
        "statusText",
        "contentType",
        "kind",
        "text",
        "offset",
        "totalCharacters",
      ] as const),
      ...(["bodyBytes", "isBodyComplete", "notes"] as const),
    ],
  },
);
export const searches = fc.record({
  query: text,
  provider: text,
  results: fc.array(fc.record({ title: text, url: text, snippet: text }), { maxLength: 3 }),
  omitted: count,
});
export const responses = fc.record(
  {
    url: text,
    redirects: fc.array(text, { maxLength: 2 }),
    method: fc.constant("GET"),
    status: count,
    statusText: text,
    headers: fc.array(fc.tuple(text, text), { maxLength: 3 }),
    contentType: text,
    text,
    bodyBytes: count,
    isBodyComplete: fc.boolean(),
    savedTo: text,
  },
  {
    requiredKeys: [
      "url",
      "redirects",
      "method",
      "status",
      "statusText",
      "headers",
      "contentType",
      "bodyBytes",
      "isBodyComplete",
    ],
  },
);
