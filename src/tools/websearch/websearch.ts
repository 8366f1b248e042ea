import {
  type Claim,
  type ClaimContext,
  defineTool,
  type ErrorCode,
  fail,
  HaftError,
  messageOf,
  ok,
  type ToolContext,
  type ToolResult,
  withTimeout,
} from "../../kernel/index.js";
import { decodeText, showControls } from "../../text/index.js";
import {
  type CustomSearch,
  MAX_QUERY_CHARACTERS,
  type SearchOutcome,
  type SearchProvider,
  WEBSEARCH_COUNTS,
  WEBSEARCH_TIMEOUT_MS,
  type WebSearchData,
  type WebSearchInput,
  type WebSearchLimits,
  websearchSchema,
} from "./contract.js";
import { createProvider } from "./providers/create-provider.js";
import { cleanResults } from "./search-results.js";

/** Of a response; a page of 30 results has 40 KiB. */
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;
/** Before the call itself is ended: the timeout of the request is reported. */
const GRACE_MS = 5_000;

/** Codes of the port for what is the provider's; any other ends the call as it is. */
const OF_THE_PROVIDER: readonly ErrorCode[] = ["WEB_UNREACHABLE", "WEB_TIMEOUT", "WEB_REDIRECTS", "WEB_UNREADABLE"];

const limits: WebSearchLimits = {
  ...WEBSEARCH_COUNTS,
  timeoutMs: WEBSEARCH_TIMEOUT_MS,
  maxQueryCharacters: MAX_QUERY_CHARACTERS,
  providers: [createProvider("duckduckgo")],
};

/**
 * Searches the web with one of the configured providers, by one request. An empty list means that the provider found nothing; a
 * provider that blocks the request, fails, or returns what cannot be read is an error: `WEB_SEARCH_BLOCKED`, `WEB_SEARCH_FAILED`.
 */
export const websearchTool = defineTool({
  name: "websearch",
  description: "Search the web; returns titles, URLs and snippets. Read a page with `webfetch`.",
  input: websearchSchema,
  effect: "read",
  limits,
  deadlineMs: (_, { timeoutMs }) => timeoutMs + GRACE_MS,
  annotations: { title: "Search the web", openWorld: true },
  claims: (input: WebSearchInput, context) => refuseInput(input, context.limits) ?? claimsOf(input, context),
  run: runSearch,
});

function refuseInput(
  { query }: WebSearchInput,
  { maxQueryCharacters }: WebSearchLimits,
): ToolResult<never> | undefined {
  const refuse = (problem: string) =>
    fail("CALL_INVALID", `Did not search: ${problem}.`, { details: { parameter: "query", problem } });
  if (query.trim() === "") return refuse("`query` is empty");
  if (query.length <= maxQueryCharacters) return undefined;
  return refuse(`\`query\` has ${query.length} characters; use at most ${maxQueryCharacters}`);
}

/** What is asked of which provider. A name is one of the schema's. */
function chosen({ query, count, provider }: WebSearchInput, { providers, defaultCount }: WebSearchLimits) {
  const one = providers.find(({ name }) => provider === undefined || name === provider);
  if (one === undefined) throw new HaftError("CONFIG_INVALID", "No search provider is configured.");
  return { provider: one, query: query.trim(), count: count ?? defaultCount };
}

/** A provider that is a function reaches the network by itself, and the host answers for it. */
function claimsOf(input: WebSearchInput, context: ClaimContext<WebSearchLimits>): readonly Claim[] {
  const { provider, query, count } = chosen(input, context.limits);
  if ("search" in provider) return [];
  const { method, url, secret } = provider.request(query, count);
  const network: Claim = { kind: "network", method, url, purpose: "search" };
  return secret === undefined ? [network] : [network, { kind: "secret", name: secret, hosts: [new URL(url).hostname] }];
}

async function runSearch(input: WebSearchInput, ctx: ToolContext<WebSearchLimits>): Promise<ToolResult<WebSearchData>> {
  const { provider, query, count } = chosen(input, ctx.limits);
  const outcome = await ("search" in provider
    ? askFunction(provider, query, count, ctx)
    : ask(provider, query, count, ctx));
  if (outcome.kind !== "results") return refused(provider.name, outcome);
  const found = cleanResults(outcome.results);
  if (found.length === 0 && outcome.results.length > 0)
    return refused(provider.name, { kind: "failed", why: "its results have no web addresses" });
  const results = found.slice(0, count);
  const data = { query, provider: provider.name, results, omitted: found.length - results.length };
  return ok(data, {
    structured: { query, provider: provider.name, results: results.map((one) => ({ ...one })) },
    provenance: { from: "web", ref: "endpoint" in provider ? provider.endpoint : provider.name },
    urls: results.map(({ url }) => url),
  });
}

async function ask(
  provider: SearchProvider,
  query: string,
  count: number,
  { http, limits: { timeoutMs } }: ToolContext<WebSearchLimits>,
): Promise<SearchOutcome> {
  const { url, ...request } = provider.request(query, count);
  try {
    // Elsewhere the request would not be the one that the user has configured.
    const response = await http.fetch(url, { ...request, redirect: "same-host", timeoutMs });
    const { bytes } = await response.read(MAX_RESPONSE_BYTES);
    const { status, headers } = response;
    return await provider.parse({ status, headers, text: decodeText(bytes, "utf-8").text });
  } catch (thrown) {
    if (HaftError.is(thrown) && OF_THE_PROVIDER.includes(thrown.code)) return failureOf(provider, thrown, timeoutMs);
    throw thrown;
  }
}

function failureOf(provider: SearchProvider, thrown: HaftError, timeoutMs: number): SearchOutcome {
  const { code, details, message } = thrown;
  if (code === "WEB_TIMEOUT") return unanswered(timeoutMs);
  const why = typeof details.why === "string" ? details.why : message.replace(/\.$/, "");
  if (code !== "WEB_UNREACHABLE") return { kind: "failed", why: `its answer cannot be read: ${why}` };
  return { kind: "failed", why: `no answer from ${new URL(provider.endpoint).host}: ${why}`, noAnswer: true };
}

function unanswered(timeoutMs: number): SearchOutcome {
  return { kind: "failed", why: `it did not answer within ${timeoutMs} ms`, noAnswer: true };
}

async function askFunction(
  provider: CustomSearch,
  query: string,
  count: number,
  { clock, signal, limits: { timeoutMs } }: ToolContext<WebSearchLimits>,
): Promise<SearchOutcome> {
  const stop = new AbortController();
  const search = () => provider.search(query, { count, signal: AbortSignal.any([signal, stop.signal]) });
  try {
    const outcome = await withTimeout({ clock, ms: timeoutMs, signal }, search, () => unanswered(timeoutMs));
    return isOutcome(outcome) ? outcome : { kind: "failed", why: "it returned something else than an outcome" };
  } catch (thrown) {
    return { kind: "failed", why: `it threw: ${messageOf(thrown).replace(/\.$/, "")}`, noAnswer: true };
  } finally {
    stop.abort();
  }
}

function isOutcome(value: SearchOutcome | null | undefined): value is SearchOutcome {
  if (value?.kind === "results") return Array.isArray(value.results);
  return (value?.kind === "blocked" || value?.kind === "failed") && typeof value.why === "string";
}

/** The lines of `haft.jsonc` that set a provider; the key is the name of an environment variable. */
const SETTINGS = {
  brave: '"web": { "search": { "provider": "brave", "env": "BRAVE_API_KEY" } }',
  searxng: '"web": { "search": { "provider": "searxng", "url": "https://searx.example.org/search" } }',
};

function refused(provider: string, outcome: Exclude<SearchOutcome, { kind: "results" }>): ToolResult<never> {
  const why = showControls(outcome.why);
  const lines = SETTINGS[provider === "brave" ? "searxng" : "brave"];
  const other = `the user can set another provider in haft.jsonc, for example \`${lines}\``;
  if (outcome.kind === "blocked") {
    const message = `Did not search: ${provider} blocked the request: ${why}. Wait some minutes and try again; or ${other}.`;
    return fail("WEB_SEARCH_BLOCKED", message, { details: { provider, why } });
  }
  const { status, noAnswer = false } = outcome;
  const next = noAnswer ? `Try again; or ${other}` : `T${other.slice(1)}`;
  const message = `Did not search: ${provider} failed: ${why}. ${next}.`;
  return fail("WEB_SEARCH_FAILED", message, {
    details: { provider, why, ...(status === undefined ? {} : { status }) },
  });
}
