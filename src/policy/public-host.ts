/** Whether the host of a URL is on the public internet, as far as its name says. */

/** Not public, by the first two octets: this machine, private, shared, link-local (with the metadata of clouds), test, multicast. */
function isPublicIpv4([a = 0, b = 0, c = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  if (a === 100 && b >= 64 && b < 128) return false;
  if (a === 169 && b === 254) return false;
  if (a === 172 && b >= 16 && b < 32) return false;
  if (a === 192 && (b === 168 || (b === 0 && (c === 0 || c === 2)))) return false;
  if (a === 198 && (b === 18 || b === 19 || (b === 51 && c === 100))) return false;
  return !(a === 203 && b === 0 && c === 113);
}

/** Global unicast is `2000::/3`; not public of it are tunnels that carry an IPv4 address, and addresses of documentation. */
function isPublicIpv6(address: string): boolean {
  const [first = "", second = ""] = address.split(":");
  const head = Number.parseInt(first, 16);
  const next = Number.parseInt(second || "0", 16);
  if (!(head >= 0x2000 && head <= 0x3fff) || head === 0x2002) return false;
  return head !== 0x2001 || (next >= 0x0200 && next !== 0x0db8);
}

/** Names that resolve in a private network only. A name without a dot is one of a local network, too. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|home\.arpa|test|invalid)$/i;

/**
 * @param hostname - As `URL.hostname` gives it: IPv4 in four decimal numbers, IPv6 in brackets. What a name resolves to is not
 *   known here: whoever connects checks the address.
 */
export function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return isPublicIpv6(hostname.slice(1, -1));
  if (/^\d+(\.\d+){3}$/.test(hostname)) return isPublicIpv4(hostname.split(".").map(Number));
  const name = hostname.replace(/\.$/, "");
  return name.includes(".") && !PRIVATE_NAME.test(name);
}
