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

/** Codes of the port that mean that the provider did not answer; any other ends the call as it is. */
const NO_ANSWER: readonly ErrorCode[] = ["WEB_UNREACHABLE", "WEB_TIMEOUT", "WEB_REDIRECTS", "WEB_UNREADABLE"];

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

function refuseInput(input: WebSearchInput, limits: WebSearchLimits): ToolResult<never> | undefined {
  const { query, count, provider } = input;
  const { maxCount, maxQueryCharacters, providers } = limits;
  const refuse = (parameter: string, problem: string) =>
    fail("CALL_INVALID", `Did not search: ${problem}.`, { details: { parameter, problem } });
  if (query.trim() === "") return refuse("query", "`query` is empty");
  if (query.length > maxQueryCharacters)
    return refuse("query", `\`query\` has ${query.length} characters; use at most ${maxQueryCharacters}`);
  if (count !== undefined && (!Number.isInteger(count) || count < 1 || count > maxCount))
    return refuse("count", `\`count\` was ${count}; use an integer from 1 to ${maxCount}`);
  if (provider === undefined || providers.some(({ name }) => name === provider)) return undefined;
  const known = providers.map(({ name }) => name).join(", ");
  return refuse("provider", `the provider "${showControls(provider)}" is not configured; configured: ${known}`);
}

/** What is asked of which provider. */
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
  const network: Claim = { kind: "network", method, url };
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
  ctx: ToolContext<WebSearchLimits>,
): Promise<SearchOutcome> {
  if (ctx.http === undefined) return { kind: "failed", why: "Haft runs without access to the network here" };
  const { url, ...request } = provider.request(query, count);
  try {
    // Elsewhere the request would not be the one that the user has configured.
    const response = await ctx.http.fetch(url, { ...request, redirect: "same-host", timeoutMs: ctx.limits.timeoutMs });
    const { bytes } = await response.read(MAX_RESPONSE_BYTES);
    const { status, headers } = response;
    return await provider.parse({ status, headers, text: decodeText(bytes, "utf-8").text });
  } catch (thrown) {
    if (HaftError.is(thrown) && NO_ANSWER.includes(thrown.code))
      return { kind: "failed", why: reasonOf(provider, thrown, ctx.limits) };
    throw thrown;
  }
}

/** The reason alone of what the port says: "Did not fetch "https://…": the connection was refused. Check …". */
function reasonOf(provider: SearchProvider, thrown: HaftError, { timeoutMs }: WebSearchLimits): string {
  if (thrown.code === "WEB_TIMEOUT") return `it did not answer within ${timeoutMs} ms`;
  const reason = thrown.message.replace(/^Did not [^"]*"[^"]*": /, "").replace(/\.(?: .*)?$/s, "");
  return `no answer from ${new URL(provider.endpoint).host}, ${reason}`;
}

async function askFunction(
  provider: CustomSearch,
  query: string,
  count: number,
  { clock, signal, limits: { timeoutMs } }: ToolContext<WebSearchLimits>,
): Promise<SearchOutcome> {
  const stop = new AbortController();
  const failed = (why: string): SearchOutcome => ({ kind: "failed", why });
  const search = () => provider.search(query, { count, signal: AbortSignal.any([signal, stop.signal]) });
  try {
    const outcome: SearchOutcome = await withTimeout({ clock, ms: timeoutMs, signal }, search, () =>
      failed(`it did not answer within ${timeoutMs} ms`),
    );
    return isOutcome(outcome) ? outcome : failed("it returned something else than an outcome");
  } catch (thrown) {
    return failed(`it threw: ${messageOf(thrown).replace(/\.$/, "")}`);
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
  brave: '"web": { "search": { "provider": "brave", "key": "BRAVE_API_KEY" } }',
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
  const { status } = outcome;
  const message = `Did not search: ${provider} failed: ${why}. Try again; or ${other}.`;
  return fail("WEB_SEARCH_FAILED", message, {
    details: { provider, why, ...(status === undefined ? {} : { status }) },
  });
}
