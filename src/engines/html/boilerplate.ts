import type { Attributes } from "./page-reader.js";

/** What may be dropped: at once, with all that is inside, or at its end by what it turned out to contain. */
export type Boilerplate = "drop" | "header" | "words" | undefined;

const ROLES: ReadonlySet<string> = new Set([
  "navigation",
  "contentinfo",
  "search",
  "complementary",
  "dialog",
  "alertdialog",
  "menu",
  "menubar",
  "toolbar",
]);
const MAIN_ROLES: ReadonlySet<string> = new Set(["main", "article", "document"]);

const COOKIES =
  /\b(?:cookie|consent|gdpr|ccpa)\w*[\s_-]*(?:banner|notice|bar|popup|modal|message|overlay|dialog|consent|law|wall|prompt|container|layer|root)|\b(?:onetrust|cybotcookiebot|usercentrics|didomi|cookieconsent|cookiebanner|cookie-?law-?info|truste)\b/i;
const SHARE =
  /(?:^|[\s_-])(?:social-?(?:share|sharing|links|icons|media|buttons)|share-?(?:bar|buttons?|links|icons|tools|this)?|sharing|sharedaddy|addtoany)(?=$|[\s_-])/i;
const TRAIL = /(?:^|[\s_-])bread-?crumbs?(?=$|[\s_-])/i;
const SKIP =
  /(?:^|[\s_-])(?:skip-?(?:link|links|nav|navigation|to-?(?:main|content)\w*|content)|skiplinks?)(?=$|[\s_-])/i;

/** Longer texts of a class that sounds like boilerplate are kept. */
export const MAX_BY_WORDS = 1_500;

export function isMain(name: string, { role }: Attributes): boolean {
  return name === "main" || name === "article" || MAIN_ROLES.has(role ?? "");
}

/** What the element is by its name, role and class. */
export function boilerplateOf(name: string, attributes: Attributes, isInMain: boolean): Boilerplate {
  if (name === "body" || name === "html" || isMain(name, attributes)) return undefined;
  const role = attributes.role?.trim().toLowerCase() ?? "";
  if (name === "nav") return "drop";
  if (role === "banner" || (name === "header" && !isInMain)) return "header";
  if (!isInMain && (name === "footer" || name === "aside")) return "drop";
  if (ROLES.has(role) && !(isInMain && role === "complementary")) return "drop";
  const words = `${attributes.class ?? ""} ${attributes.id ?? ""}`;
  return COOKIES.test(words) || SHARE.test(words) || TRAIL.test(words) || SKIP.test(words) ? "words" : undefined;
}

export interface BlockContent {
  readonly text: number;
  readonly linkText: number;
  readonly links: number;
}

/** A header with a paragraph of text is more than a banner. */
export function isBanner({ text, linkText }: BlockContent): boolean {
  return text - linkText < MAX_BANNER;
}

const MAX_BANNER = 400;
const MENU = { links: 5, density: 0.8, averageText: 25 } as const;

/** A block that consists of links with short texts. A list of titles, which are longer, is content. */
export function isMenu({ text, linkText, links }: BlockContent): boolean {
  return links >= MENU.links && linkText >= MENU.density * text && linkText < MENU.averageText * links;
}

const HIDING =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|font-size\s*:\s*0(?:px|em|rem|%)?\s*(?:;|!|$))/i;
const DECORATIVE: ReadonlySet<string> = new Set(["a", "b", "em", "i", "img", "small", "span", "strong", "sup"]);

/** Whether a browser does not show the element, or it is decoration that is hidden from screen readers. */
export function isHidden(name: string, attributes: Attributes): boolean {
  if (attributes.hidden !== undefined && attributes.hidden.toLowerCase() !== "until-found") return true;
  if (attributes["aria-hidden"]?.trim().toLowerCase() === "true" && DECORATIVE.has(name)) return true;
  return attributes.style !== undefined && HIDING.test(attributes.style);
}
