/** The proxy that the environment names for a URL. Used only where the host trusts it. */
import { HaftError, isLoopback } from "../../kernel/index.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** @returns Undefined where the connection is direct. Loopback is always direct: behind a proxy it would be another machine. */
export function proxyFor(url: URL, environment: Environment): URL | undefined {
  const name = url.protocol === "https:" ? "https_proxy" : "http_proxy";
  const text = environment[name] ?? environment[name.toUpperCase()] ?? "";
  if (text === "" || isLoopback(url.hostname) || isExcluded(url, environment.no_proxy ?? environment.NO_PROXY ?? "")) {
    return undefined;
  }
  const whole = text.includes("://") ? text : `http://${text}`;
  if (URL.canParse(whole) && /^https?:$/.test(new URL(whole).protocol)) return new URL(whole);
  throw new HaftError(
    "CONFIG_INVALID",
    `Did not use the proxy of ${name.toUpperCase()}: it is not an http or https URL. Set it to one, such as http://proxy.example:3128.`,
  );
}

/** `*`, `host`, `.host`, `*.host`, each with or without a port; a host stands for its subdomains too. */
function isExcluded(url: URL, list: string): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      if (entry === "*") return true;
      const [, host = "", onPort] = /^(.*?)(?::(\d+))?$/.exec(entry.replace(/^\*?\./, ""))!;
      if (onPort !== undefined && onPort !== port) return false;
      return url.hostname === host || url.hostname.endsWith(`.${host}`);
    });
}
