import { stripControls } from "../../text/index.js";
import { PageReader } from "./page-reader.js";
import { PageRenderer } from "./page-renderer.js";

export interface RenderHtmlOptions {
  readonly format: "markdown" | "text";
  /** Of the page, to make links absolute. */
  readonly url: string;
  /** Rendering stops soon after so many characters. */
  readonly maxCharacters?: number;
}

export interface RenderedPage {
  readonly text: string;
  readonly title?: string;
  /** Absolute http and https URLs of the links and images in the text, each once, at most 2,000. */
  readonly links: string[];
  /** Sentences for the reader about what was omitted. */
  readonly notes: string[];
  /** False: rendering stopped at `maxCharacters`. */
  readonly isComplete: boolean;
}

/** With less text than this, menus may be all that the page has. */
const ENOUGH_TEXT = 200;

/**
 * Renders a page as Markdown or plain text for a model: without markup, hidden text, scripts, menus and banners. Time and
 * memory are linear in the size of the page, whatever its nesting; it never throws.
 */
export function renderHtml(html: string, options: RenderHtmlOptions): RenderedPage {
  const first = renderOnce(html, options, true);
  const kept = first.text.length;
  const isPoor = kept < ENOUGH_TEXT && first.droppedCharacters > kept;
  const page = isPoor ? renderOnce(html, options, false) : first;
  const text = page.text;
  const notes: string[] = [];
  if (page.droppedLinks > 0) {
    const count = page.droppedLinks === 1 ? "1 link" : `${page.droppedLinks.toLocaleString("en-US")} links`;
    notes.push(`Omitted ${count} of navigation (menus, header, footer, sidebars).`);
  }
  if (text === "" && html.trim() !== "") {
    notes.push("The page contains no text; it may build its content with JavaScript, which does not run here.");
  }
  return {
    text,
    ...(page.title === "" ? {} : { title: page.title }),
    links: page.links,
    notes,
    isComplete: page.isComplete,
  };
}

function renderOnce(html: string, options: RenderHtmlOptions, dropsBoilerplate: boolean) {
  const most = options.maxCharacters ?? Number.POSITIVE_INFINITY;
  let isComplete = true;
  const renderer = new PageRenderer({
    isMarkdown: options.format === "markdown",
    url: options.url,
    dropsBoilerplate,
    onSize: (size) => {
      if (size < most) return;
      isComplete = false;
      reader.stop();
    },
  });
  const reader = new PageReader(renderer);
  reader.read(html);
  const { text, title, links, droppedLinks, droppedCharacters } = renderer.finish();
  const clean = stripControls(text).text;
  return { text: clean, title: stripControls(title).text, links, droppedLinks, droppedCharacters, isComplete };
}
