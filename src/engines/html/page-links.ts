/** Links of one page: absolute, each once. */
const MAX_LINKS = 2_000;
const LINKED = /^(?:https?|ftp|mailto):/;

export class PageLinks {
  base: string;
  readonly #page: string;
  readonly #seen = new Set<string>();

  constructor(url: string) {
    this.base = url;
    this.#page = withoutFragment(url);
  }

  setBase(href: string): void {
    if (URL.canParse(href, this.base)) this.base = new URL(href, this.base).href;
  }

  /** The absolute URL, or `undefined` where it leads to no other page: a script, data, a place on the same page. */
  resolve(href: string | undefined): string | undefined {
    const value = href?.trim() ?? "";
    if (value === "" || value.startsWith("#") || !URL.canParse(value, this.base)) return undefined;
    const { href: url, hash } = new URL(value, this.base);
    if (!LINKED.test(url) || (hash !== "" && withoutFragment(url) === this.#page)) return undefined;
    return url;
  }

  add(url: string): void {
    if (this.#seen.size < MAX_LINKS && /^https?:/.test(url)) this.#seen.add(url);
  }

  get count(): number {
    return this.#seen.size;
  }

  /** Forgets the links after the first `count`. */
  returnTo(count: number): void {
    if (this.#seen.size <= count) return;
    for (const url of [...this.#seen].slice(count)) this.#seen.delete(url);
  }

  all(): string[] {
    return [...this.#seen];
  }
}

function withoutFragment(url: string): string {
  const at = url.indexOf("#");
  return at === -1 ? url : url.slice(0, at);
}
