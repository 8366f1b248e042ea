import type { ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import {
  WEBSEARCH_COUNTS,
  type WebSearchData,
  type WebSearchInput,
  type WebSearchLimits,
} from "../../tools/websearch/contract.js";
import { asInput } from "../arguments.js";
import { counted, textResult } from "../rendering.js";
import { renderHaftFailure } from "./failure-text.js";
import { withNotes } from "./notes.js";
import { withToolNotes } from "./tool-notes.js";
import { WEB_LABEL } from "./web-label.js";

export const haftWebsearchPresenter: ToolPresenter<WebSearchInput, WebSearchData, WebSearchLimits> = {
  name: "websearch",
  aliases: { q: "query", search: "query", limit: "count", max_results: "count", num_results: "count" },
  bareString: "query",
  decode: asInput,
  render(result, about) {
    if (result.isError || result.data === undefined) return renderHaftFailure(result, about);
    return textResult(withNotes(listOf(result.data), withToolNotes(about, result)));
  },
};

function listOf({ query, provider, results, omitted }: WebSearchData): string {
  if (results.length === 0)
    return `No results for "${showControls(query)}" (${showControls(provider)}). Try other or fewer words.`;
  const rows = results.map(({ title, url, snippet }, index) => {
    const lines = snippet === "" ? [title, url] : [title, url, snippet];
    return `${index + 1}. ${lines.map(showControls).join("\n   ")}`;
  });
  return [WEB_LABEL, ...rows, ...moreOf(results.length, omitted)].join("\n");
}

function moreOf(shown: number, omitted: number): readonly string[] {
  if (omitted === 0) return [];
  const { maxCount } = WEBSEARCH_COUNTS;
  const next = shown >= maxCount ? "search for more specific words" : `raise \`count\` (at most ${maxCount})`;
  return [`(${counted(omitted, "more result")}; ${next})`];
}
