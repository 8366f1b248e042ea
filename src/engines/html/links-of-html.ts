import { PageLinks } from "./page-links.js";
import { PageReader } from "./page-reader.js";

/** Links that are kept of one page. */
const MAX_LINKS = 20_000;

/**
 * The absolute http and https URLs that the links and images of a page lead to, without fragments. A URL in its text is none of them:
 * a page may repeat what was sent to it.
 */
export function linksOfHtml(html: string, url: string): ReadonlySet<string> {
  const links = new PageLinks(url);
  const found = new Set<string>();
  let hasBase = false;
  const add = (target: string | undefined) => {
    const resolved = links.resolve(target);
    if (found.size < MAX_LINKS && resolved !== undefined && /^https?:/.test(resolved))
      found.add(resolved.replace(/#.*/s, ""));
  };
  const reader = new PageReader({
    open(name, { href, src, "data-src": lazySrc }) {
      if (name === "base" && href !== undefined && !hasBase) {
        hasBase = true;
        links.setBase(href);
      }
      if (name === "a" || name === "area") add(href);
      if (name === "img") for (const one of [src, lazySrc]) add(one);
      return undefined;
    },
    text() {},
  });
  reader.read(html);
  return found;
}
