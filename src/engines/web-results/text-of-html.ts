import { Parser } from "htmlparser2";

/** The text of an HTML fragment, such as a snippet with `<strong>` and entities. */
export function textOfHtml(html: string): string {
  if (!/[<&]/.test(html)) return html;
  let text = "";
  const parser = new Parser({
    ontext(part) {
      text += part;
    },
  });
  parser.end(html);
  return text;
}
