import type { SearchEndpoint, SearchProvider } from "../contract.js";
import { jsonOutcome } from "./json-outcome.js";

/** The API accepts no larger count. */
const MAX_COUNT = 20;

/** The search of the Tavily API. */
export function tavily(name: string, { url, secret }: SearchEndpoint): SearchProvider {
  return {
    name,
    endpoint: url,
    request: (query, count) => ({
      method: "POST",
      url,
      headers: [
        ["accept", "application/json"],
        ["content-type", "application/json"],
      ],
      body: JSON.stringify({ query, max_results: Math.min(count, MAX_COUNT) }),
      ...(secret === undefined ? {} : { secret }),
    }),
    parse: (response) => jsonOutcome(response, "content", (answer) => answer.results),
  };
}
