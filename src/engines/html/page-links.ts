/** Where the links of one page lead. */
import { PageReader } from "./page-reader.js";

const LINKED = /^(?:https?|ftp|mailto):/;
/** A longer base is ignored, and a link to which the base adds more has no URL. */
const MAX_BASE = 2_048;
/** Characters that the base may add to all links of a page, so that many short ones do not multiply it. */
const MAX_ADDED = 4_000_000;
/** Links that are kept of one page. */
const MAX_FOUND = 20_000;

export class PageLinks {
  /** The absolute http and https URLs that were resolved, without fragments. */
  readonly found = new Set<string>();
  #base: string;
  #hasBase = false;
  readonly #page: string;
  /** Lists of titles link each item twice or more. */
  #last: { readonly value: string; readonly url: string | undefined } | undefined;
  #mayAdd = MAX_ADDED;

  constructor(url: string) {
    this.#base = url;
    this.#page = withoutFragment(url);
  }

  /** The first `base` of a page counts. */
  setBase(href: string | undefined): void {
    if (this.#hasBase || href === undefined) return;
    this.#hasBase = true;
    this.#last = undefined;
    if (!URL.canParse(href, this.#base)) return;
    const base = new URL(href, this.#base).href;
    if (base.length <= MAX_BASE) this.#base = base;
  }

  /** The absolute URL, or `undefined` where it leads to no other page (a script, data, a place on the same page) or is far longer than the value. */
  resolve(href: string | undefined): string | undefined {
    const value = href?.trim() ?? "";
    if (value === "" || value.startsWith("#")) return undefined;
    if (value !== this.#last?.value) this.#last = { value, url: this.#absolute(value) };
    const { url } = this.#last;
    if (url === undefined) return undefined;
    const added = Math.max(0, url.length - value.length);
    if (added > MAX_BASE || added > this.#mayAdd) return undefined;
    this.#mayAdd -= added;
    if (this.found.size < MAX_FOUND && /^https?:/.test(url)) this.found.add(withoutFragment(url));
    return url;
  }

  #absolute(value: string): string | undefined {
    if (!URL.canParse(value, this.#base)) return undefined;
    const { href: url, hash } = new URL(value, this.#base);
    return LINKED.test(url) && !(hash !== "" && withoutFragment(url) === this.#page) ? url : undefined;
  }
}

function withoutFragment(url: string): string {
  const at = url.indexOf("#");
  return at === -1 ? url : url.slice(0, at);
}

/**
 * The absolute http and https URLs that the links and images of the source of a page lead to, without fragments. A URL in its text
 * is none of them: a page may repeat what was sent to it.
 */
export function linksOfHtml(html: string, url: string): ReadonlySet<string> {
  const links = new PageLinks(url);
  const reader = new PageReader({
    open(name, { href, src, "data-src": lazySrc }) {
      if (name === "base") links.setBase(href);
      if (name === "a" || name === "area") links.resolve(href);
      if (name === "img") for (const one of [src, lazySrc]) links.resolve(one);
      return undefined;
    },
    text() {},
  });
  reader.read(html);
  return links.found;
}
