import { isRecord } from "../../../kernel/index.js";
import type { SearchEndpoint, SearchOutcome, SearchProvider, SearchResponse } from "../contract.js";
import { jsonOutcome } from "./json-outcome.js";

/** The API accepts no larger count. */
const MAX_COUNT = 20;

/** The web search of the Brave Search API. */
export function brave(name: string, { url, secret }: SearchEndpoint): SearchProvider {
  const base = new URL(url);
  return {
    name,
    endpoint: base.origin + base.pathname,
    request(query, count) {
      const target = new URL(base);
      target.searchParams.set("q", query);
      target.searchParams.set("count", String(Math.min(count, MAX_COUNT)));
      target.searchParams.set("text_decorations", "false");
      const headers = [["accept", "application/json"]] as const;
      return { method: "GET", url: target.href, headers, ...(secret === undefined ? {} : { secret }) };
    },
    parse,
  };
}

async function parse(response: SearchResponse): Promise<SearchOutcome> {
  if (response.status === 422 && response.text.includes("SUBSCRIPTION_TOKEN_INVALID"))
    return { kind: "failed", why: "it does not accept the key (status 422)", status: 422 };
  const outcome = jsonOutcome(response, "description", ({ type, web }) =>
    // Without `web` where nothing was found.
    web === undefined && type === "search" ? [] : isRecord(web) ? web.results : undefined,
  );
  if (outcome.kind !== "results") return outcome;
  const { textOfHtml } = await import("../../../engines/html/index.js");
  const results = outcome.results.map(({ title, url, snippet }) => {
    return { title: textOfHtml(title), url, snippet: textOfHtml(snippet) };
  });
  return { kind: "results", results };
}
