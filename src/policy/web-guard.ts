/** Answers for the policy what a user has decided about the web. */
import { hostMatcher } from "./host-pattern.js";

/** What a user has decided about the web, for the policy. Hosts are patterns as in rules. */
export interface WebPolicy {
  /** Hosts of this machine or of private networks that requests may reach. */
  readonly privateHosts?: readonly string[];
  /** Absent: any. */
  readonly allowedHosts?: readonly string[];
  readonly blockedHosts?: readonly string[];
  /** URLs without a query: requests to them run unasked at every level. */
  readonly searchEndpoints?: readonly string[];
  /** The hosts to which a user has bound each secret, as `name` or `name:port`. Absent: not known, so that any secret is asked about. */
  readonly secrets?: readonly { readonly name: string; readonly hosts: readonly string[] }[];
}

/** What a user has decided about the web, ready to be asked. */
export interface WebGuard {
  isPrivateHost(host: string): boolean;
  isAllowed(host: string): boolean;
  isBlocked(host: string): boolean;
  isSearch(url: URL): boolean;
  /** The hosts of a secret, without ports; undefined for a name that is not known. */
  hostsOfSecret(name: string): readonly string[] | undefined;
  /** Undefined: not known, so that there may be others. */
  readonly secretNames: readonly string[] | undefined;
}

export function webGuard({
  privateHosts = [],
  allowedHosts = ["*"],
  blockedHosts = [],
  searchEndpoints = [],
  secrets,
}: WebPolicy = {}): WebGuard {
  const oneOf = (patterns: readonly string[]) => {
    const matchers = patterns.flatMap((pattern) => hostMatcher(pattern) ?? []);
    return (host: string) => matchers.some((matches) => matches(host));
  };
  const endpoints = new Set(searchEndpoints);
  const hosts = new Map(secrets?.map((one) => [one.name, one.hosts.map(withoutPort)]));
  return {
    isPrivateHost: oneOf(privateHosts),
    isAllowed: oneOf(allowedHosts),
    isBlocked: oneOf(blockedHosts),
    isSearch: (url) => endpoints.has(url.origin + url.pathname),
    hostsOfSecret: (name) => hosts.get(name),
    secretNames: secrets?.map(({ name }) => name),
  };
}

export const withoutPort = (host: string) => host.replace(/:\d+$/, "").toLowerCase();
