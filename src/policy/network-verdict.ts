/** What is said about an HTTP request. */
import type { Claim } from "../kernel/index.js";
import { isPublicHost } from "./public-host.js";
import { afterTaint, allow, ask, askUnlessAllowed, TAINTED, type Verdict } from "./verdict.js";

/**
 * Reads from public hosts run unasked, until the session has read untrusted content: what it has read could then choose the host,
 * and the address could carry a secret out.
 */
export function judgeNetwork(
  { method, url }: Pick<Extract<Claim, { kind: "network" }>, "method" | "url">,
  isTainted: boolean,
): Verdict {
  const request = `It sends a ${method} request to ${url}`;
  const key = { remember: `${method} ${url}`, rememberedText: `${method} ${url}` };
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol))
    return ask("network-address", `${request}, which is not an HTTP address.`, "high");
  if (!isPublicHost(target.hostname))
    return {
      ...ask("network-private", `${request}, which is not a public host.`, "high", key),
      settledByHost: "exact",
    };
  const isRead = /^(GET|HEAD)$/i.test(method);
  if (!isRead) {
    const asked = askUnlessAllowed("network", `${request}.`, "medium", key);
    const verdict: Verdict = { ...asked, settledByHost: "any" };
    return isTainted ? afterTaint(verdict) : verdict;
  }
  if (isTainted)
    return ask("network-tainted", `${request}. ${TAINTED}`, "medium", { ...key, remember: `tainted ${key.remember}` });
  return allow("network-read", `${request}, a public host.`);
}
