import { PageReader } from "./page-reader.js";
import { PageRenderer } from "./page-renderer.js";

export interface RenderHtmlOptions {
  readonly format: "markdown" | "text";
  /** Of the page, to make links absolute. */
  readonly url: string;
  /** Rendering stops soon after so many characters. */
  readonly maxCharacters?: number;
}

export interface RenderedHtml {
  readonly text: string;
  readonly title?: string;
  /** Sentences for the reader about what was omitted. */
  readonly notes: string[];
  /** The absolute http and https URLs of the links and images that were rendered, without fragments. */
  readonly links: ReadonlySet<string>;
}

/** With less text than this, menus may be all that the page has. */
const ENOUGH_TEXT = 200;

/**
 * Renders a page as Markdown or plain text for a model: without markup, hidden text, scripts, menus and banners. Control characters
 * stay; whoever shows the text strips them. Time and memory are linear in the size of the page, whatever its nesting; it never throws.
 */
export function renderHtml(html: string, options: RenderHtmlOptions): RenderedHtml {
  const first = renderOnce(html, options, {});
  const kept = first.text.length;
  const isPoor = kept < ENOUGH_TEXT && first.droppedCharacters > kept;
  return pageOf(html, isPoor ? renderOnce(html, options, { dropsBoilerplate: false }) : first);
}

/** A part with so much of the text of the largest one is the article, and the larger one is around it. */
const SHARE_OF_LARGEST = 0.6;

/**
 * Renders the main text of a page alone, as Markdown: the smallest `article` or `main` that has most of the text. A page that
 * marks no such part is rendered whole, with a note.
 */
export function articleOf(html: string, url: string): RenderedHtml {
  const options: RenderHtmlOptions = { format: "markdown", url };
  const whole = renderOnce(html, options, {});
  const largest = whole.parts.reduce((most, { text }) => Math.max(most, text), 0);
  const large = whole.parts.filter(({ text }) => text >= SHARE_OF_LARGEST * largest);
  const [part] = large.toSorted((one, other) => one.text - other.text || other.index - one.index);
  if (part !== undefined && part.text >= ENOUGH_TEXT) {
    const article = renderOnce(html, options, { part: part.index });
    return pageOf(html, { ...article, title: whole.title });
  }
  const page = renderHtml(html, options);
  return { ...page, notes: [...page.notes, "The page marks no part as its article; this is all of its text."] };
}

type Rendered = ReturnType<typeof renderOnce>;

function pageOf(html: string, { text, title, links, droppedLinks }: Rendered): RenderedHtml {
  const notes: string[] = [];
  if (droppedLinks > 0) {
    const count = droppedLinks === 1 ? "1 link" : `${droppedLinks.toLocaleString("en-US")} links`;
    notes.push(`Omitted ${count} of navigation (menus, header, footer, sidebars).`);
  }
  if (text === "" && html.trim() !== "") {
    notes.push("The page contains no text; it may build its content with JavaScript, which does not run here.");
  }
  return { text, ...(title === "" ? {} : { title }), notes, links };
}

function renderOnce(
  html: string,
  options: RenderHtmlOptions,
  { dropsBoilerplate = true, part }: { readonly dropsBoilerplate?: boolean; readonly part?: number },
) {
  const most = options.maxCharacters ?? Number.POSITIVE_INFINITY;
  const renderer = new PageRenderer({
    isMarkdown: options.format === "markdown",
    url: options.url,
    dropsBoilerplate,
    ...(part === undefined ? {} : { part }),
    onSize: (size) => {
      if (size >= most) reader.stop();
    },
  });
  const reader = new PageReader(renderer);
  reader.read(html);
  return renderer.finish();
}
