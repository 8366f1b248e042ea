/** Pages as text for a model: charset, kind of content, HTML and feeds as Markdown, pages of search results. Load it with `import()`. */
export { type DecodedPage, decodePage } from "./charset.js";
export { renderFeed } from "./feed.js";
export { type PageKind, pageKind } from "./page-kind.js";
export { linksOfHtml } from "./page-links.js";
export { articleOf, type RenderedHtml, type RenderHtmlOptions, renderHtml } from "./render-html.js";
export { type PageResult, parseResultPage, type ResultPage, textOfHtml } from "./result-page.js";
export { simplifyHtml } from "./simplify-html.js";
