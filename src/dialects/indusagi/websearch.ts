import type { ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import {
  WEBSEARCH_COUNTS,
  WEBSEARCH_TIMEOUT_MS,
  type WebSearchData,
  type WebSearchInput,
  type WebSearchLimits,
} from "../../tools/websearch/contract.js";
import { missing, numberArgument, textArgument } from "../arguments.js";
import type { IndusagiEdition } from "./edition.js";
import { renderIndusagiFailure } from "./failure-text.js";

const { defaultCount, maxCount } = WEBSEARCH_COUNTS;

export function indusagiWebsearchPresenter(
  edition: IndusagiEdition,
): ToolPresenter<WebSearchInput, WebSearchData, WebSearchLimits> {
  return {
    name: "websearch",
    description: `Search the web; returns titles, URLs and snippets, as text and as JSON. ${defaultCount} results unless \`count\` asks for up to ${maxCount}.`,
    parameters: {
      type: "object",
      properties: {
        query: { type: "string", description: "What to search for." },
        count: { type: "number", description: "Most results to return." },
      },
      required: ["query"],
    },
    limits: { defaultCount, maxCount, timeoutMs: WEBSEARCH_TIMEOUT_MS },
    decode(args) {
      const query = textArgument(args, "query");
      if (query === undefined || query.trim() === "") return missing("query", "text that is not empty");
      const count = Math.floor(numberArgument(args, "count") ?? defaultCount);
      return { input: { query, count: Math.min(Math.max(count, 1), maxCount) } };
    },
    render(result, about) {
      if (result.isError || result.data === undefined) return renderIndusagiFailure(edition, result, about);
      const { data } = result;
      const value = data.results.map(({ title, url, snippet }) => ({ title, url, snippet }));
      return {
        content: [
          { kind: "text", text: listOf(data) },
          { kind: "json", value },
        ],
      };
    },
  };
}

function listOf({ query, results }: WebSearchData): string {
  if (results.length === 0) return `No results found for "${showControls(query)}".`;
  return results
    .map(({ title, url, snippet }, index) => {
      const lines = snippet === "" ? [title, url] : [title, url, snippet];
      return `${index + 1}. ${lines.map(showControls).join("\n   ")}`;
    })
    .join("\n\n");
}
