import { HaftError } from "../../kernel/index.js";
import { plainHost } from "../host-pattern.js";

/**
 * Whether a host is one of the listed domains: "*" is every host, a domain includes its subdomains, an IP address is that address.
 *
 * @param entries - Bare domains; a scheme, port or path is disregarded, and `*.` before a domain changes nothing.
 * @throws `CONFIG_INVALID` for an entry that names no host.
 */
export function domainMatcher(entries: readonly string[]): (hostname: string) => boolean {
  const matchers = entries.map(matcherOf);
  return (hostname) => {
    const host = plainHost(hostname);
    return matchers.some((matches) => matches(host));
  };
}

function matcherOf(entry: string): (host: string) => boolean {
  if (entry.trim() === "*") return () => true;
  const domain = domainOf(entry);
  const isAddress = domain.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(domain);
  return isAddress ? (host) => host === domain : (host) => host === domain || host.endsWith(`.${domain}`);
}

const LABELS = /^[a-z\d_-]+(?:\.[a-z\d_-]+)*$/;

function domainOf(entry: string): string {
  const bare = entry
    .trim()
    .replace(/^https?:\/\//i, "")
    .replace(/[/?#].*$/s, "")
    .replace(/^\*\./, "");
  // An IPv6 address, which URLs have in brackets.
  const host = /^[\da-f]*:[\da-f:.]*:[\da-f:.]*$/i.test(bare) ? `[${bare}]` : bare;
  const url = URL.canParse(`http://${host}/`) && !/[\s@*\\]/.test(host) ? new URL(`http://${host}/`) : undefined;
  const domain = url === undefined ? "" : plainHost(url.hostname);
  if (domain.startsWith("[") || LABELS.test(domain)) return domain;
  throw new HaftError(
    "CONFIG_INVALID",
    `Did not make the policy: \`allowedDomains\` has ${JSON.stringify(entry)}, which names no host. Write a domain such as "example.com", an IP address, or "*".`,
    { details: { option: "allowedDomains" } },
  );
}
