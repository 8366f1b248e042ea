/** What users write to name hosts: in rules, and in the configuration of the web. */

/** "example.com", "*.example.com" for all below it, "*", or an IPv6 address in brackets. */
export const HOST_PATTERN = /^(\*|(\*\.)?[^\s*/:@?#[\]]+|\[[\da-f:.]+\])$/i;

/** Whether a host, as `URL.hostname` gives it, is one that the pattern names. Undefined for what is not a pattern. */
export function hostMatcher(pattern: string): ((hostname: string) => boolean) | undefined {
  if (!HOST_PATTERN.test(pattern)) return undefined;
  if (pattern === "*") return () => true;
  if (!pattern.startsWith("*.")) {
    const host = plainHost(pattern);
    return (hostname) => plainHost(hostname) === host;
  }
  const suffix = `.${plainHost(pattern.slice(2))}`;
  return (hostname) => plainHost(hostname).endsWith(suffix) && plainHost(hostname).length > suffix.length;
}

/** In the spelling of URLs, without the dots of a root at its end: without them, a name may be an address. */
export function plainHost(host: string): string {
  return hostInUrl(host) ?? host.toLowerCase();
}

/** The same; undefined for what no URL can have as its host. */
export function hostInUrl(host: string): string | undefined {
  const once = spelledInUrl(host.replace(/[.\u3002\uff0e\uff61]+$/, ""));
  const bare = once?.replace(/\.+$/, "");
  return bare === undefined || bare === once ? once : spelledInUrl(bare);
}

function spelledInUrl(host: string): string | undefined {
  const url = `http://${host}/`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** Patterns for the hosts that both lists name. */
export function hostsOfBoth(some: readonly string[], others: readonly string[]): readonly string[] {
  const within = (inner: readonly string[], outer: readonly string[]) =>
    inner.filter((one) => outer.some((other) => includesHosts(other, one)));
  return [...new Set([...within(some, others), ...within(others, some)])];
}

function includesHosts(outer: string, inner: string): boolean {
  if (outer === "*" || outer === inner) return true;
  if (!inner.startsWith("*")) return hostMatcher(outer)?.(inner) === true;
  return outer.startsWith("*") && inner !== "*" && hostMatcher(outer)?.(`a.${inner.slice(2)}`) === true;
}
