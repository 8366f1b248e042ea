import type { ToolPresenter } from "../../kernel/index.js";
import { showControls } from "../../text/index.js";
import type { WebSearchData, WebSearchInput, WebSearchLimits } from "../../tools/websearch/contract.js";
import { missing, textArgument } from "../arguments.js";
import { textResult } from "../rendering.js";
import { renderBuddyFailure } from "./failure-text.js";
import { NO_RESULTS, searchRow } from "./messages.js";

const WEB_SEARCH_RESULTS = 8;
const WEB_SEARCH_TIMEOUT_MS = 15_000;

export const webSearchPresenter: ToolPresenter<WebSearchInput, WebSearchData, WebSearchLimits> = {
  name: "web_search",
  description: `Search the web; returns the title, URL and snippet of at most ${WEB_SEARCH_RESULTS} results.`,
  parameters: {
    type: "object",
    properties: { query: { type: "string", description: "What to search for" } },
    required: ["query"],
  },
  limits: { defaultCount: WEB_SEARCH_RESULTS, maxCount: WEB_SEARCH_RESULTS, timeoutMs: WEB_SEARCH_TIMEOUT_MS },
  decode(args) {
    const query = textArgument(args, "query");
    return query === undefined ? missing("query", "text") : { input: { query } };
  },
  render(result) {
    if (result.isError || result.data === undefined) return renderBuddyFailure(result, ({ message }) => message);
    const rows = result.data.results.map(({ title, url, snippet }, index) =>
      searchRow(index + 1, showControls(title), showControls(url), showControls(snippet)),
    );
    return textResult(rows.length === 0 ? NO_RESULTS : rows.join(""));
  },
};
