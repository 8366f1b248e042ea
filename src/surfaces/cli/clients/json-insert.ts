/** Adds a property to an object, or an item to a list, in the text of a JSON file, formatted like its neighbours. */
import type { Node } from "jsonc-parser";

/**
 * The text with the property as the last one of the object. Only a comma after the previous property is added, if missing.
 */
export function withProperty(text: string, object: Node, key: string, value: unknown): string {
  return withLast(text, object, `${JSON.stringify(key)}: `, value);
}

/** The text with the value as the last item of the list; likewise. */
export function withItem(text: string, list: Node, value: unknown): string {
  return withLast(text, list, "", value);
}

function withLast(text: string, container: Node, label: string, value: unknown): string {
  const last = container.children?.at(-1);
  const close = container.offset + container.length - 1;
  const start = last === undefined ? container.offset + 1 : last.offset + last.length;
  // Whitespace, comments and perhaps a comma between the last property and the brace.
  const tail = text.slice(start, close);
  const content = tail.trimEnd();
  const needsComma = last !== undefined && !withoutComments(tail).includes(",");
  const { indent, unit, eol } = layoutOf(text, container);
  const property = `${label}${JSON.stringify(value, null, unit)}`.replaceAll("\n", `${eol}${indent}${unit}`);
  const whitespace = tail.slice(content.length);
  const end = whitespace.includes("\n") ? whitespace : `${eol}${indent}`;
  return [
    text.slice(0, start),
    needsComma ? "," : "",
    content,
    `${eol}${indent}${unit}${property}`,
    end,
    text.slice(close),
  ].join("");
}

const withoutComments = (text: string): string => text.replace(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g, "");

/** `indent`: the indentation of the line where the object begins. `unit`: the indentation of one level. */
function layoutOf(
  text: string,
  object: Node,
): { readonly indent: string; readonly unit: string; readonly eol: string } {
  const lineStart = text.lastIndexOf("\n", object.offset) + 1;
  const [indent = ""] = /^[ \t]*/.exec(text.slice(lineStart)) ?? [];
  return {
    indent,
    unit: /^([ \t]+)["}/]/m.exec(text)?.[1] ?? "  ",
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
