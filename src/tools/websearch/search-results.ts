import { stripInvisible } from "../../text/index.js";
import type { SearchResult } from "./contract.js";

const MAX_TITLE = 200;
const MAX_SNIPPET = 500;

/** The results that have a web address, each address once, with texts of one clean row. Takes what a third party returns. */
export function cleanResults(results: readonly SearchResult[]): readonly SearchResult[] {
  const byUrl = new Map<string, SearchResult>();
  for (const { title, url, snippet } of results) {
    const address = webAddress(url);
    if (address === undefined || byUrl.has(address)) continue;
    const shown = { title: oneRow(title, MAX_TITLE) || address, url: address, snippet: oneRow(snippet, MAX_SNIPPET) };
    byUrl.set(address, shown);
  }
  return [...byUrl.values()];
}

/** Without credentials: a reader takes `https://bank.example@evil.example` for another host. */
function webAddress(text: unknown): string | undefined {
  try {
    const url = new URL(String(text));
    if (url.protocol !== "https:" && url.protocol !== "http:") return undefined;
    url.username = "";
    url.password = "";
    return url.href;
  } catch {
    return undefined;
  }
}

function oneRow(text: unknown, maxCharacters: number): string {
  if (typeof text !== "string") return "";
  const row = stripInvisible(text).text.replace(/\s+/g, " ").trim();
  const characters = Array.from(row);
  return characters.length <= maxCharacters ? row : `${characters.slice(0, maxCharacters - 1).join("")}…`;
}
