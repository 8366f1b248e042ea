/** Reads the HTML page of results that DuckDuckGo returns. */
import { Parser } from "htmlparser2";

export interface PageResult {
  readonly title: string;
  /** Absolute; a redirect of the provider is unwrapped. */
  readonly url: string;
  readonly snippet: string;
}

/** What was found on a page. Texts are as the page has them, with entities decoded. */
export interface ResultPage {
  /** In the order of the page, without advertisements. */
  readonly results: readonly PageResult[];
  readonly advertisements: number;
  /** The page states that nothing was found. */
  readonly isEmpty: boolean;
  /** The page is a bot check. Judged by elements and their attributes, never by text. */
  readonly isChallenge: boolean;
}

/** More are not read: a page has about 30. */
const MAX_RESULTS = 100;

const EMPTY_MARKS = new Set(["no-results", "result--no-result"]);
/** In an id, a class, or the path of a script, frame or form. */
const CHALLENGE = /anomaly|captcha|challenge-(?:form|platform)|turnstile/i;
const LINKS_OF_CHALLENGES: Readonly<Record<string, string>> = { script: "src", iframe: "src", form: "action" };

type Attributes = Readonly<Record<string, string>>;

/** @param base - The URL of the page. */
export function parseResultPage(html: string, base: string): ResultPage {
  const results: { title: string; url: string; snippet: string }[] = [];
  let advertisements = 0;
  let isEmpty = false;
  let isChallenge = false;
  /** Whether the container that was opened last is an advertisement. */
  let isInAdvertisement = false;
  let open: { readonly field: "title" | "snippet"; depth: number } | undefined;
  /** The result that texts belong to; undefined inside an advertisement. */
  let current: { title: string; url: string; snippet: string } | undefined;

  const startLink = (href: string | undefined) => {
    const url = resultUrl(href, base);
    const isSkipped = isInAdvertisement || url === "advertisement";
    if (isSkipped) advertisements++;
    current = isSkipped || url === undefined ? undefined : { title: "", url, snippet: "" };
    if (current !== undefined && results.length < MAX_RESULTS) results.push(current);
    open = { field: "title", depth: 0 };
  };
  const parser = new Parser({
    onopentag(name, attributes) {
      const classes = (attributes.class ?? "").split(/\s+/);
      if (classes.includes("result")) isInAdvertisement = classes.includes("result--ad");
      if (classes.some((one) => EMPTY_MARKS.has(one))) isEmpty = true;
      if (isChallengeElement(name, attributes)) isChallenge = true;
      if (name === "a" && classes.includes("result__a")) startLink(attributes.href);
      else if (classes.includes("result__snippet")) open = { field: "snippet", depth: 0 };
      else if (open !== undefined) open.depth++;
    },
    ontext(text) {
      if (open !== undefined && current !== undefined) current[open.field] += text;
    },
    onclosetag() {
      if (open !== undefined && open.depth-- === 0) open = undefined;
    },
  });
  parser.end(html);
  return { results, advertisements, isEmpty: isEmpty && results.length === 0, isChallenge };
}

function isChallengeElement(name: string, attributes: Attributes): boolean {
  const link = attributes[LINKS_OF_CHALLENGES[name] ?? ""] ?? "";
  return [attributes.id, attributes.class, link.replace(/[?#].*/s, "")].some((one) => CHALLENGE.test(one ?? ""));
}

/** The target of a link, "advertisement" for one that is paid for; undefined if it is no web address. */
function resultUrl(href: string | undefined, base: string): string | undefined {
  const link = urlOf(href, base);
  if (link === undefined) return undefined;
  const target = link.pathname === "/l/" ? urlOf(link.searchParams.get("uddg") ?? undefined, base) : link;
  if (target === undefined) return undefined;
  const isPaid = target.pathname === "/y.js" && /(?:^|\.)duckduckgo\.com$/.test(target.hostname);
  return isPaid ? "advertisement" : target.href;
}

function urlOf(href: string | undefined, base: string): URL | undefined {
  if (href === undefined || href.trim() === "") return undefined;
  try {
    const url = new URL(href, base);
    return url.protocol === "http:" || url.protocol === "https:" ? url : undefined;
  } catch {
    return undefined;
  }
}
