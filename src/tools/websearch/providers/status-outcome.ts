import type { SearchOutcome, SearchResponse } from "../contract.js";

/** What a status other than 200 means, the same for every provider; undefined for 200. */
export function statusOutcome({
  status,
  headers,
}: Pick<SearchResponse, "status" | "headers">): Exclude<SearchOutcome, { kind: "results" }> | undefined {
  if (status === 200) return undefined;
  const isBlocked = BLOCKED[status];
  if (isBlocked !== undefined) return { kind: "blocked", why: `${isBlocked} (status ${status})` };
  if (status === 401) return { kind: "failed", why: "it does not accept the key (status 401)", status };
  const location = headers.find(([name]) => name === "location")?.[1];
  const redirect = status >= 300 && status < 400 && location !== undefined ? ` and redirects to ${location}` : "";
  const why = `it answered with status ${status}${redirect}`;
  return { kind: "failed", why, status, ...(status >= 500 ? { noAnswer: true } : {}) };
}

const BLOCKED: Readonly<Record<number, string>> = {
  202: "it answers without results",
  402: "the quota of the plan is used up",
  403: "it refuses the request",
  429: "it has received too many requests",
  // Tavily
  432: "the quota of the plan is used up",
  433: "the quota of the plan is used up",
};
