/** Where the links of one page lead. */
const LINKED = /^(?:https?|ftp|mailto):/;
/** A longer base is ignored, and a link to which the base adds more has no URL. */
const MAX_BASE = 2_048;
/** Characters that the base may add to all links of a page, so that many short ones do not multiply it. */
const MAX_ADDED = 4_000_000;

export class PageLinks {
  base: string;
  readonly #page: string;
  /** Lists of titles link each item twice or more. */
  #last: { readonly value: string; readonly url: string | undefined } | undefined;

  #mayAdd = MAX_ADDED;

  constructor(url: string) {
    this.base = url;
    this.#page = withoutFragment(url);
  }

  setBase(href: string): void {
    this.#last = undefined;
    if (!URL.canParse(href, this.base)) return;
    const base = new URL(href, this.base).href;
    if (base.length <= MAX_BASE) this.base = base;
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
    return url;
  }

  #absolute(value: string): string | undefined {
    if (!URL.canParse(value, this.base)) return undefined;
    const { href: url, hash } = new URL(value, this.base);
    return LINKED.test(url) && !(hash !== "" && withoutFragment(url) === this.#page) ? url : undefined;
  }
}

function withoutFragment(url: string): string {
  const at = url.indexOf("#");
  return at === -1 ? url : url.slice(0, at);
}
