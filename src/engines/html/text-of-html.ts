import { PageReader } from "./page-reader.js";

/** The text of an HTML fragment, such as a snippet with `<strong>` and entities. */
export function textOfHtml(html: string): string {
  if (!/[<&]/.test(html)) return html;
  let text = "";
  const append = (part: string) => {
    text += part;
  };
  new PageReader({ open: () => undefined, text: append }).read(html);
  return text;
}
