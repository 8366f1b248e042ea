import type { SearchEndpoint, SearchOutcome, SearchProvider, SearchResponse } from "../contract.js";
import { statusOutcome } from "./status-outcome.js";

/** The page answers programs that do not name a browser with a challenge. */
const USER_AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/** The HTML page of DuckDuckGo. Needs no key. */
export function duckduckgo(name: string, { url }: SearchEndpoint): SearchProvider {
  return {
    name,
    endpoint: url,
    request: (query) => ({
      method: "POST",
      url,
      headers: [
        ["user-agent", USER_AGENT],
        ["accept", "text/html"],
        ["content-type", "application/x-www-form-urlencoded"],
      ],
      body: new URLSearchParams({ q: query }).toString(),
    }),
    parse: (response) => parsePage(response, url),
  };
}

async function parsePage({ status, headers, text }: SearchResponse, url: string): Promise<SearchOutcome> {
  const { parseResultPage } = await import("../../../engines/html/index.js");
  const page = parseResultPage(text, url);
  if (page.results.length > 0) return { kind: "results", results: page.results };
  if (page.isChallenge) return { kind: "blocked", why: `its page is a bot check (status ${status})` };
  const refused = statusOutcome({ status, headers });
  if (refused !== undefined) return refused;
  if (page.isEmpty) return { kind: "results", results: [] };
  const why =
    page.advertisements > 0
      ? "its page has advertisements and no results"
      : "the layout of the page has changed: it has neither results nor a message that there are none";
  return { kind: "failed", why };
}
