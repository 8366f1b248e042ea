/** Which hosts something may connect to that is given a list of them: by name, and by each address that a name resolves to. */
import type { HostGuard } from "../kernel/index.js";
import { judgeAddress, judgeHost } from "./address-guard.js";
import { hostMatcher } from "./host-pattern.js";

/**
 * The hosts of a list, as rules name them: "packages.example.com", "*.example.com", "*". A private host or address counts only where the list
 * names it without a wildcard; metadata of clouds never does.
 */
export function hostGuard(hosts: readonly string[]): HostGuard {
  const matchers = hosts.flatMap((pattern) => {
    const matches = hostMatcher(pattern);
    return matches === undefined ? [] : [{ matches, isExact: !pattern.includes("*") }];
  });
  const isNamed = (host: string, exactly: boolean) =>
    matchers.some(({ matches, isExact }) => (isExact || !exactly) && matches(host));
  return {
    hostRefusal(host) {
      if (!isNamed(host, false)) return "it is not one of the allowed hosts";
      const { place, what } = judgeHost(host);
      return place === "public" || (place === "private" && isNamed(host, true)) ? undefined : `it is ${what}`;
    },
    addressRefusal(address, host) {
      const judged = judgeAddress(address);
      if (judged === undefined) return `"${address}" is not an IP address`;
      const { place, what } = judged;
      return place === "public" || (place === "private" && isNamed(host, true))
        ? undefined
        : `it resolves to ${address}, which is ${what}`;
    },
  };
}
