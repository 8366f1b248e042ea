/** The web options of a toolkit, and what of them goes to the policy, the HTTP port, the redactor and `websearch`. */
import type { HttpOptions, HttpSecret } from "../kernel/index.js";
import { HaftError, type Http, requireKnownOptions } from "../kernel/index.js";
import { hostMatcher, MIN_SECRET_LENGTH, type NamedSecret, type WebPolicy } from "../policy/index.js";
import {
  type CustomSearch,
  createProvider,
  SEARCH_PROVIDERS,
  type SearchProvider,
  type SearchProviderName,
} from "../tools/index.js";

/** Which search `websearch` asks. */
export interface SearchOptions {
  /** "duckduckgo" (default), "searxng", "brave" or "tavily". */
  readonly provider?: SearchProviderName;
  /** Where its requests go. Default: that of the provider; SearXNG has none. */
  readonly url?: string;
  /** The key of Brave or Tavily itself. It is sent to the host of the provider only, and not shown. */
  readonly key?: string;
  /**
   * Functions that a call can choose by name, beside the provider; where no other option is given, in its place. They reach the
   * network by themselves.
   */
  readonly providers?: readonly CustomSearch[];
}

/** What calls may reach of the web, and how. Hosts are written as in rules: "example.com", "*.example.com". */
export interface WebOptions extends HttpOptions {
  /** Hosts of this machine or of private networks that requests may reach. Default: none. Metadata addresses are never reached. */
  readonly privateHosts?: readonly string[];
  /** If given, requests reach these hosts only. */
  readonly allowedHosts?: readonly string[];
  /** Hosts that no request reaches, whatever else allows them. */
  readonly blockedHosts?: readonly string[];
  /**
   * True: texts from the web, other servers, panes and files outside the workspace are enclosed in `<untrusted source="…" id="…">`
   * for the model, with an id that they cannot know. Default false.
   */
  readonly fence?: boolean;
  readonly search?: SearchOptions;
  /** Makes the requests in place of Haft's own port; then `lookup`, `dial`, `ca`, `proxy` and `secrets` are not used. It is not closed here. */
  readonly http?: Http;
}

const WEB_OPTIONS: Readonly<Record<keyof WebOptions, true>> = {
  privateHosts: true,
  allowedHosts: true,
  blockedHosts: true,
  fence: true,
  search: true,
  http: true,
  lookup: true,
  dial: true,
  ca: true,
  proxy: true,
  secrets: true,
};

/** The name under which the key of the search is sent. */
export const SEARCH_KEY = "search-key";

/** @throws `CONFIG_INVALID` */
export function requireWeb(web: WebOptions | undefined): void {
  if (web === undefined) return;
  if (typeof web !== "object" || web === null) throw invalid("`web` is an object");
  requireKnownOptions("createToolkit({ web })", web, Object.keys(WEB_OPTIONS));
  for (const list of ["privateHosts", "allowedHosts", "blockedHosts"] as const) {
    const hosts: unknown = web[list] ?? [];
    if (!Array.isArray(hosts)) throw invalid(`\`web.${list}\` is a list of hosts`);
    const wrong: unknown = hosts.find((host) => typeof host !== "string" || hostMatcher(host) === undefined);
    if (wrong !== undefined)
      throw invalid(
        `\`web.${list}\` has ${JSON.stringify(wrong)}; a host is a name such as "example.com" or "*.example.com"`,
      );
  }
  const { proxy, search = {}, secrets = [] } = web;
  if (proxy !== undefined && proxy !== "trusted") throw invalid('`web.proxy` is "trusted", or absent');
  if (!Array.isArray(secrets)) throw invalid("`web.secrets` is a list of `{ name, value, hosts }`");
  for (const secret of secrets) requireSecret(secret);
  const names = secrets.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index || name === SEARCH_KEY);
  if (twice !== undefined)
    throw invalid(`\`web.secrets\` has the name "${twice}" twice, or it is that of the search's key`);
  if (!Array.isArray(search.providers ?? [])) throw invalid("`web.search.providers` is a list of `{ name, search }`");
  requireDistinct(searchProviders(web).map(({ name }) => name));
}

/** A call chooses a provider by its name. */
function requireDistinct(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(`\`web.search\` has two providers of the name "${twice}"`);
}

function requireSecret({ name, value, hosts }: HttpSecret): void {
  if (typeof name !== "string" || name === "" || !Array.isArray(hosts) || hosts.length === 0)
    throw invalid("each of `web.secrets` has a `name`, a `value` and at least one of `hosts`");
  if (typeof value !== "string" || value.length < MIN_SECRET_LENGTH)
    throw invalid(`the value of the secret "${name}" is not a string of at least ${MIN_SECRET_LENGTH} characters`);
  const wrong = hosts.find((host) => typeof host !== "string" || host === "" || /[*/@?#\s]/.test(host));
  if (wrong !== undefined)
    throw invalid(`the secret "${name}" is bound to ${JSON.stringify(wrong)}; name each host, without wildcards`);
}

function invalid(why: string): HaftError {
  return new HaftError("CONFIG_INVALID", `Did not make a toolkit: ${why}.`, { details: { option: "web" } });
}

/** The configured search. @throws `CONFIG_INVALID` */
function searchProvider({ provider = "duckduckgo", url, key }: SearchOptions = {}): SearchProvider {
  return createProvider(provider, {
    ...(url === undefined ? {} : { url }),
    ...(key === undefined ? {} : { secret: SEARCH_KEY }),
  });
}

/** Those that `websearch` can be asked for, the default first. */
export function searchProviders({ search = {} }: WebOptions = {}): readonly (SearchProvider | CustomSearch)[] {
  const { providers = [], ...configured } = search;
  return Object.keys(configured).length === 0 && providers.length > 0
    ? providers
    : [searchProvider(search), ...providers];
}

/** Those of `web`, and the key of the search. */
function secretsOf({ secrets = [], search = {} }: WebOptions): readonly HttpSecret[] {
  const { provider = "duckduckgo", key } = search;
  const kind = SEARCH_PROVIDERS[provider];
  if (key === undefined || !("key" in kind)) return secrets;
  const hosts = [new URL(searchProvider(search).endpoint).host];
  return [...secrets, { name: SEARCH_KEY, value: key, hosts, ...kind.key }];
}

export function httpOptions(web: WebOptions = {}): HttpOptions {
  const { lookup, dial, ca, proxy } = web;
  return {
    ...(lookup === undefined ? {} : { lookup }),
    ...(dial === undefined ? {} : { dial }),
    ...(ca === undefined ? {} : { ca }),
    ...(proxy === undefined ? {} : { proxy }),
    secrets: secretsOf(web),
  };
}

/** Where only some hosts are allowed, the default search is off unless it was chosen. */
export function webPolicy(web: WebOptions): WebPolicy {
  const { privateHosts = [], allowedHosts, blockedHosts = [], search } = web;
  const isUnchosen = search === undefined && allowedHosts !== undefined;
  const providers = isUnchosen ? [] : searchProviders(web);
  return {
    privateHosts,
    blockedHosts,
    ...(allowedHosts === undefined ? {} : { allowedHosts }),
    searchEndpoints: providers.flatMap((one) => ("endpoint" in one ? [one.endpoint] : [])),
    // A port of the embedder's may know others.
    ...(web.http !== undefined && web.secrets === undefined && search?.key === undefined
      ? {}
      : { secrets: secretsOf(web).map(({ name, hosts }) => ({ name, hosts })) }),
  };
}

export function webSecrets(web: WebOptions = {}): readonly NamedSecret[] {
  return secretsOf(web).map(({ name, value }) => ({ name, value }));
}
