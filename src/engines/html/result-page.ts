/** Reads the HTML page of results that DuckDuckGo returns. */
import { type Attributes, type PageHandler, PageReader } from "./page-reader.js";

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

/** Collects results as the page is read: each begins with its link, and a snippet belongs to the link before it. */
export class ResultPageHandler implements PageHandler {
  readonly #base: string;
  readonly #results: { title: string; url: string; snippet: string }[] = [];
  #advertisements = 0;
  #hasEmptyMark = false;
  #isChallenge = false;
  /** Whether the container that was opened last is an advertisement. */
  #isInAdvertisement = false;
  #field: "title" | "snippet" | undefined;
  /** The result that texts belong to; undefined inside an advertisement. */
  #current: { title: string; url: string; snippet: string } | undefined;

  /** @param base - The URL of the page. */
  constructor(base: string) {
    this.#base = base;
  }

  open(name: string, attributes: Attributes): (() => void) | undefined {
    const classes = (attributes.class ?? "").split(/\s+/);
    if (classes.includes("result")) this.#isInAdvertisement = classes.includes("result--ad");
    if (classes.some((one) => EMPTY_MARKS.has(one))) this.#hasEmptyMark = true;
    if (isChallengeElement(name, attributes)) this.#isChallenge = true;
    if (name === "a" && classes.includes("result__a")) {
      this.#begin(attributes.href);
      return this.#read("title");
    }
    return classes.includes("result__snippet") ? this.#read("snippet") : undefined;
  }

  text(text: string): void {
    if (this.#field !== undefined && this.#current !== undefined) this.#current[this.#field] += text;
  }

  finish(): ResultPage {
    const isEmpty = this.#hasEmptyMark && this.#results.length === 0;
    return {
      results: this.#results,
      advertisements: this.#advertisements,
      isEmpty,
      isChallenge: this.#isChallenge,
    };
  }

  #begin(href: string | undefined): void {
    const url = resultUrl(href, this.#base);
    const isSkipped = this.#isInAdvertisement || url === "advertisement";
    if (isSkipped) this.#advertisements++;
    this.#current = isSkipped || url === undefined ? undefined : { title: "", url, snippet: "" };
    if (this.#current !== undefined && this.#results.length < MAX_RESULTS) this.#results.push(this.#current);
  }

  /** Text goes to the field until the element ends. */
  #read(field: "title" | "snippet"): () => void {
    this.#field = field;
    return () => {
      this.#field = undefined;
    };
  }
}

/** @param base - The URL of the page. */
export function parseResultPage(html: string, base: string): ResultPage {
  const handler = new ResultPageHandler(base);
  new PageReader(handler).read(html);
  return handler.finish();
}

/** The text of an HTML fragment, such as a snippet with `<strong>` and entities. */
export function textOfHtml(html: string): string {
  if (!/[<&]/.test(html)) return html;
  let text = "";
  const append = (part: string) => {
    text += part;
  };
  new PageReader({ open: () => undefined, text: append }).read(html);
  return text;
}

function isChallengeElement(name: string, attributes: Attributes): boolean {
  const link = attributes[LINKS_OF_CHALLENGES[name] ?? ""] ?? "";
  return [attributes.id, attributes.class, link.replace(/[?#].*/s, "")].some((one) => CHALLENGE.test(one ?? ""));
}

/** The target of a link, "advertisement" for one that is paid for; undefined if it is not a web address. */
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
