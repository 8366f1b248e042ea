/** What `websearch` takes and returns. */
import type { HttpHeaders, InferInput, JsonSchema } from "../../kernel/index.js";

/** How a web search is made: one request, and how its response is read. */
export interface SearchProvider {
  readonly name: string;
  /** The request of a query. Its URL without the query is what the policy has to know, see `endpoint`. */
  request(query: string, count: number): SearchRequest;
  /** Reads a response of any status. */
  parse(response: SearchResponse): SearchOutcome | Promise<SearchOutcome>;
  /** The URL that requests go to, without a query. */
  readonly endpoint: string;
}

/** Where the requests of a provider go. */
export interface SearchEndpoint {
  readonly url: string;
  /** The name of the secret that is its key. Absent: none is sent. */
  readonly secret?: string;
}

export interface SearchRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers?: HttpHeaders;
  readonly body?: string;
  /** The name of the secret that is the key of the provider; see `HttpRequest.secret`. */
  readonly secret?: string;
}

export interface SearchResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly text: string;
}

export interface SearchResult {
  readonly title: string;
  /** Absolute; redirects of the provider are unwrapped. */
  readonly url: string;
  /** "" if the provider gave none. */
  readonly snippet: string;
}

/**
 * Four outcomes: results, none (an empty list), blocked, and a provider that failed. `why` is a clause about the provider;
 * `noAnswer`: it did not answer, so that the same search may succeed later.
 */
export type SearchOutcome =
  | { readonly kind: "results"; readonly results: readonly SearchResult[] }
  | { readonly kind: "blocked"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string; readonly status?: number; readonly noAnswer?: boolean };

/** A provider of the host: a function instead of a request. It reaches the network by itself, so that the host answers for it. */
export interface CustomSearch {
  readonly name: string;
  search(query: string, options: { readonly count: number; readonly signal: AbortSignal }): Promise<SearchOutcome>;
}

export interface WebSearchLimits {
  readonly defaultCount: number;
  readonly maxCount: number;
  readonly timeoutMs: number;
  readonly maxQueryCharacters: number;
  /** The first is the default. */
  readonly providers: readonly (SearchProvider | CustomSearch)[];
}

export const WEBSEARCH_COUNTS = { defaultCount: 5, maxCount: 25 } as const;
export const WEBSEARCH_TIMEOUT_MS = 10_000;
export const MAX_QUERY_CHARACTERS = 500;

export const websearchSchema = {
  type: "object",
  properties: {
    query: { type: "string" },
    count: {
      type: "integer",
      minimum: 1,
      maximum: WEBSEARCH_COUNTS.maxCount,
      description: `Default ${WEBSEARCH_COUNTS.defaultCount}`,
    },
  },
  required: ["query"],
  additionalProperties: false,
} as const satisfies JsonSchema;

export interface WebSearchInput extends InferInput<typeof websearchSchema> {
  /** A parameter only where several providers are configured. Absent: the first of them. */
  readonly provider?: string;
}

export interface WebSearchData {
  readonly query: string;
  readonly provider: string;
  /** Without duplicates, in the provider's order. Empty: the provider found nothing. */
  readonly results: readonly SearchResult[];
  /** Results of the provider beyond `count`. */
  readonly omitted: number;
}
