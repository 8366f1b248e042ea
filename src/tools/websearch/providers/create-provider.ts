/** The search providers that Haft has, by name. */
import { HaftError, requestProblem } from "../../../kernel/index.js";
import type { SearchEndpoint, SearchProvider } from "../contract.js";
import { brave } from "./brave.js";
import { duckduckgo } from "./duckduckgo.js";
import { searxng } from "./searxng.js";
import { tavily } from "./tavily.js";

export interface ProviderOptions {
  /** Absent: that of the provider. SearXNG has none. */
  readonly url?: string;
  /** The name of the secret that has the key. Brave and Tavily need one, the others take none. */
  readonly secret?: string;
}

interface ProviderKind {
  /** Where its requests go. Absent: the user has to say. */
  readonly url?: string;
  /** The header of its key, with what precedes the key in it. Absent: it needs no key. */
  readonly key?: { readonly header: string; readonly prefix: string };
  create(name: string, endpoint: SearchEndpoint): SearchProvider;
}

export const SEARCH_PROVIDERS = {
  duckduckgo: { url: "https://html.duckduckgo.com/html/", create: duckduckgo },
  searxng: { create: searxng },
  brave: {
    url: "https://api.search.brave.com/res/v1/web/search",
    key: { header: "X-Subscription-Token", prefix: "" },
    create: brave,
  },
  tavily: {
    url: "https://api.tavily.com/search",
    key: { header: "Authorization", prefix: "Bearer " },
    create: tavily,
  },
} as const satisfies Readonly<Record<string, ProviderKind>>;

export type SearchProviderName = keyof typeof SEARCH_PROVIDERS;

/** @throws `CONFIG_INVALID` for an unknown name, a URL that is missing or invalid, and a key that is missing or not used. */
export function createProvider(name: string, options: ProviderOptions = {}): SearchProvider {
  const kind = kindOf(name);
  if (kind === undefined)
    throw invalid(name, `there is no such provider. Use one of: ${Object.keys(SEARCH_PROVIDERS).join(", ")}`);
  const problem = searchProblem(name, options);
  if (problem !== undefined) throw invalid(name, problem.why);
  return Object.freeze(kind.create(name, { ...options, url: options.url ?? kind.url! }));
}

/** What a known provider lacks, or has and does not use: the option, and a clause. */
export function searchProblem(
  name: string,
  { url, secret }: { readonly [Name in keyof ProviderOptions]?: ProviderOptions[Name] | undefined },
): { readonly option: "url" | "key"; readonly why: string } | undefined {
  const kind = kindOf(name);
  const used = url ?? kind?.url;
  if (used === undefined) {
    const why = 'it needs the URL of an instance. Set `url`, for example "https://searx.example.org/search"';
    return { option: "url", why };
  }
  if (requestProblem(used) !== undefined) {
    const why = `\`url\` ${JSON.stringify(used)} must be an http or https URL without credentials`;
    return { option: "url", why };
  }
  if (kind?.key !== undefined && secret === undefined) return { option: "key", why: "it needs a key. Set `key`" };
  if (kind?.key !== undefined || secret === undefined) return undefined;
  return { option: "key", why: "it takes no key. Remove `key`, or set `provider` to the one that the key is for" };
}

function kindOf(name: string): ProviderKind | undefined {
  const kinds: Readonly<Record<string, ProviderKind>> = SEARCH_PROVIDERS;
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

function invalid(name: string, why: string): HaftError {
  return new HaftError("CONFIG_INVALID", `Did not configure the search provider ${JSON.stringify(name)}: ${why}.`);
}
