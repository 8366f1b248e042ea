import { isRecord } from "../../../kernel/index.js";
import type { SearchEndpoint, SearchOutcome, SearchProvider, SearchResponse } from "../contract.js";
import { jsonOutcome } from "./json-outcome.js";

/** A SearXNG instance, which must have `json` among its `search.formats`. The URL may have parameters: `?language=de`. */
export function searxng(name: string, { url }: SearchEndpoint): SearchProvider {
  const base = new URL(url);
  if (base.pathname === "/") base.pathname = "/search";
  return {
    name,
    endpoint: base.origin + base.pathname,
    request(query) {
      const target = new URL(base);
      target.searchParams.set("q", query);
      target.searchParams.set("format", "json");
      const headers = [["accept", "application/json"]] as const;
      return { method: "GET", url: target.href, headers };
    },
    parse,
  };
}

function parse(response: SearchResponse): SearchOutcome {
  if (response.status === 403)
    return { kind: "blocked", why: "it refuses JSON (status 403); its settings.yml must list json in search.formats" };
  let silent: readonly string[] = [];
  const outcome = jsonOutcome(response, "content", (answer) => {
    silent = unresponsive(answer.unresponsive_engines);
    return answer.results;
  });
  const isEmpty = outcome.kind === "results" && outcome.results.length === 0;
  if (!isEmpty || silent.length === 0) return outcome;
  return { kind: "failed", why: `its search engines did not respond: ${silent.join(", ")}`, noAnswer: true };
}

/** `[["google", "CAPTCHA"]]` as "google (CAPTCHA)". */
function unresponsive(engines: unknown): readonly string[] {
  if (!Array.isArray(engines)) return [];
  return engines
    .map((one) => (Array.isArray(one) ? one : isRecord(one) ? [one.engine, one.error_type] : [one]))
    .map(([engine, why]) => (why === undefined ? String(engine) : `${String(engine)} (${String(why)})`));
}
