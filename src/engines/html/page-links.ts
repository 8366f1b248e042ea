/** Where the links of one page lead. */
const LINKED = /^(?:https?|ftp|mailto):/;

export class PageLinks {
  base: string;
  readonly #page: string;
  /** Lists of titles link each item twice or more. */
  #last: { readonly value: string; readonly url: string | undefined } | undefined;

  constructor(url: string) {
    this.base = url;
    this.#page = withoutFragment(url);
  }

  setBase(href: string): void {
    this.#last = undefined;
    if (URL.canParse(href, this.base)) this.base = new URL(href, this.base).href;
  }

  /** The absolute URL, or `undefined` where it leads to no other page: a script, data, a place on the same page. */
  resolve(href: string | undefined): string | undefined {
    const value = href?.trim() ?? "";
    if (value === "" || value.startsWith("#")) return undefined;
    if (value === this.#last?.value) return this.#last.url;
    const url = this.#absolute(value);
    this.#last = { value, url };
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
