/** What is said about an HTTP request, and about where its connection goes. */
import type { Claim } from "../kernel/index.js";
import { utf8Length } from "../text/index.js";
import { type Judged, judgeAddress, judgeHost } from "./address-guard.js";
import type { PolicyContext } from "./policy-context.js";
import { type CompiledRule, ruleVerdict } from "./rules/index.js";
import {
  afterTaint,
  allow,
  ask,
  askUnlessAllowed,
  denyAlways,
  rememberedAs,
  strictest,
  TAINTED,
  type Verdict,
} from "./verdict.js";
import { type WebGuard, withoutPort } from "./web-guard.js";

type NetworkClaim = Extract<Claim, { kind: "network" }>;
type Network = Pick<PolicyContext, "rules" | "isTainted" | "web" | "shownUrls" | "secrets">;

/** A request before it is made; with `address`, one of its connections before that is made. */
export function judgeNetwork(claim: NetworkClaim, network: Network): Verdict {
  const { method, url, address } = claim;
  const what = `It sends a ${method} request to ${url}${contentText(claim, network)}`;
  const target = URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined || !/^https?:$/.test(target.protocol))
    return ask("network-address", `${what}, which is not an HTTP address.`, "high");
  const request = new JudgedRequest(claim, target, what, network);
  return address === undefined ? request.verdict() : request.connection(address);
}

/** What a request has beside its method and URL, as the end of a clause: ` with 2 headers and a body of 5 bytes`. */
function contentText({ headers = [], body }: NetworkClaim, { secrets = [] }: Network): string {
  const parts = [
    ...secrets.map((name) => `the secret "${name}"`),
    ...(headers.length === 0 ? [] : [counted(headers.length, "header")]),
    ...(body === undefined ? [] : [`a body of ${counted(utf8Length(body), "byte")}`]),
  ];
  const last = parts.pop();
  return last === undefined ? "" : ` with ${parts.length === 0 ? "" : `${parts.join(", ")} and `}${last}`;
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;

class JudgedRequest {
  readonly #claim: NetworkClaim;
  readonly #method: string;
  readonly #url: URL;
  readonly #what: string;
  readonly #network: Network;
  readonly #host: Judged;
  readonly #rule: CompiledRule | undefined;

  /** @param what - A clause that says what is done. */
  constructor(claim: NetworkClaim, url: URL, what: string, network: Network) {
    this.#claim = claim;
    this.#method = claim.method.toUpperCase();
    this.#url = url;
    this.#what = what;
    this.#network = network;
    this.#host = judgeHost(url.hostname);
    this.#rule = network.rules.forHosts([url.hostname]);
  }

  /** Reads from public hosts run unasked, until the session has read untrusted content. */
  verdict(): Verdict {
    const { web } = this.#network;
    const { hostname } = this.#url;
    const rule = this.#rule;
    const barred = this.#barred();
    if (barred !== undefined) return barred;
    const isSearch = this.#isSearch;
    if (!isSearch && !web.isAllowed(hostname))
      return denyAlways(
        "web-allowed-hosts",
        `${this.#what}, and "${hostname}" is not one of the hosts in "web.allowedHosts".`,
        "Use one of these hosts, or ask the user to add it.",
      );
    const usual = isSearch
      ? allow("web-search", `${this.#what}, the search that the user has configured.`)
      : this.#usual();
    if (rule === undefined || rule.effect === "allow") return usual;
    return strictest([ruleVerdict(rule, this.#what, rememberedAs(usual)), usual]) ?? usual;
  }

  /** Without rules that ask and deny. */
  #usual(): Verdict {
    const { isTainted, shownUrls } = this.#network;
    if (this.#host.place === "private" && !this.#isOpened) return this.#askAboutPrivate();
    const rule = this.#rule;
    if (!this.#isRead) {
      const asked = askUnlessAllowed("network", `${this.#what}.`, "medium", this.#key);
      if (isTainted) return afterTaint(asked);
      if (rule?.effect === "allow") return { ...ruleVerdict(rule, this.#what), risk: "medium", changes: true };
      return { ...asked, suggest: `host:${this.#url.hostname}` };
    }
    const ofPublic = this.#host.place === "public" ? ", a public host" : ", a private host that the user has listed";
    const read = allow("network-read", `${this.#what}${ofPublic}.`);
    const isShown = !this.#hasContent && shownUrls?.has(withoutFragment(this.#url)) === true;
    if (!isTainted || isShown || this.#isNamed) return read;
    const { remember } = this.#key;
    return {
      ...ask("network-tainted", `${this.#what}. ${TAINTED}`, "medium", {
        ...this.#key,
        remember: `tainted ${remember}`,
      }),
      isRead: true,
      suggest: `host:${this.#url.hostname}`,
    };
  }

  /** What an approval of the request does not cover: another address than one would expect from the host as it is written. */
  connection(address: string): Verdict {
    const { hostname } = this.#url;
    const judged = judgeAddress(address);
    const barred = this.#barred();
    if (barred !== undefined) return barred;
    const resolves = `"${hostname}" resolves to ${address}`;
    if (judged === undefined) return denyAlways("network-address", `${resolves}, which is not an IP address.`);
    if (judged.place === "metadata") return denyAlways("network-metadata", `${resolves}, ${judged.what}.`);
    if (this.#network.web.isBlocked(address.includes(":") ? `[${address}]` : address))
      return denyAlways("web-blocked-hosts", `${resolves}, which "web.blockedHosts" blocks.`);
    if (judged.place === "public") return allow("network-address", `${resolves}, a public address.`);
    if (this.#isOpened || this.#network.web.isSearch(this.#url))
      return allow("network-private", `${resolves}, ${judged.what}, and the user has listed that host.`);
    if (this.#host.place === "private") return this.#askAboutPrivate();
    return {
      ...denyAlways("network-private", `${resolves}, ${judged.what}.`, this.#howToList),
      suggest: `host:${hostname}`,
    };
  }

  /** What nothing allows. */
  #barred(): Verdict | undefined {
    const { hostname } = this.#url;
    const { place, what } = this.#host;
    if (place === "metadata") return denyAlways("network-metadata", `${this.#what}, and "${hostname}" is ${what}.`);
    if (this.#network.web.isBlocked(hostname))
      return denyAlways("web-blocked-hosts", `${this.#what}, and "web.blockedHosts" blocks "${hostname}".`);
    return this.#rule?.effect === "deny" ? ruleVerdict(this.#rule, this.#what) : undefined;
  }

  /** A user who is asked sees the host, so that their answer settles it at every level. */
  #askAboutPrivate(): Verdict {
    const { hostname } = this.#url;
    const asked: Verdict = {
      ...ask("network-private", `${this.#what}, and "${hostname}" is ${this.#host.what}.`, "high", this.#key),
      next: this.#howToList,
      atEveryLevel: true,
      ...(this.#isRead ? { isRead: true } : {}),
      suggest: `host:${hostname}`,
    };
    return this.#network.isTainted && !this.#isRead ? afterTaint(asked) : asked;
  }

  get #howToList(): string {
    return `The user can add "${this.#url.hostname}" to "web.privateHosts".`;
  }

  /** The user wants this private host to be reached. */
  get #isOpened(): boolean {
    return this.#network.web.isPrivateHost(this.#url.hostname) || (this.#isNamed && !this.#rule!.text.includes("*"));
  }

  /** A rule of the user allows this host, and not just any. */
  get #isNamed(): boolean {
    return this.#rule?.effect === "allow" && !/host:\*$/.test(this.#rule.text.trim());
  }

  get #isRead(): boolean {
    return /^(GET|HEAD)$/.test(this.#method);
  }

  /** Any request to the endpoint could carry data there, and the page would repeat it: only what says that it is a search counts. */
  get #isSearch(): boolean {
    const isStated = this.#claim.purpose === "search" && !this.#hasContent && /^(GET|POST)$/.test(this.#method);
    return isStated && this.#network.web.isSearch(this.#url);
  }

  /** Whether the model has put more into it than its URL. */
  get #hasContent(): boolean {
    const { headers = [], body } = this.#claim;
    return headers.length > 0 || body !== undefined;
  }

  /** Stands for the request with exactly this content and these secrets. */
  get #key() {
    const key = `${this.#method} ${withoutFragment(this.#url)}`;
    const { headers = [], body } = this.#claim;
    const { secrets = [] } = this.#network;
    if (!this.#hasContent && secrets.length === 0) return { remember: key, rememberedText: key };
    const remember = `${key} ${JSON.stringify([headers, body ?? null, secrets])}`;
    return { remember, rememberedText: `${key}${contentText(this.#claim, this.#network)}, exactly as it is` };
  }
}

function withoutFragment(url: URL): string {
  const plain = new URL(url);
  plain.hash = "";
  return plain.href;
}

/** A secret may be sent to the hosts that the user has bound it to, and to no other. */
export function judgeSecret({ name, hosts }: Extract<Claim, { kind: "secret" }>, web: WebGuard): Verdict {
  const where = hosts.join(", ");
  const bound = web.hostsOfSecret(name);
  if (bound === undefined)
    return web.secretNames === undefined
      ? ask("secret", `It uses the secret "${name}" for ${where}.`, "high")
      : unknownSecret(name, web.secretNames);
  const other = hosts.find((host) => !bound.includes(withoutPort(host)));
  if (other === undefined)
    return allow("secret-of-host", `It sends the secret "${name}" to ${where}, to which the user has bound it.`);
  return denyAlways(
    "secret-of-host",
    `It would send the secret "${name}" to ${other}, and the user has bound it to ${bound.join(", ")}.`,
    "Send the request without `secret`, or to that host.",
  );
}

function unknownSecret(name: string, known: readonly string[]): Verdict {
  const others =
    known.length === 0
      ? "none is configured"
      : `the configured ones are ${known.map((one) => JSON.stringify(one)).join(", ")}`;
  return denyAlways(
    "unknown-secret",
    `There is no secret ${JSON.stringify(name)}; ${others}.`,
    `${known.length === 0 ? "Send the request without `secret`" : "Use one of them"}, or ask the user to add it to "web.secrets" of the configuration.`,
  );
}
