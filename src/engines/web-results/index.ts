export { type PageResult, parseResultPage, type ResultPage } from "./result-page.js";
export { textOfHtml } from "./text-of-html.js";
