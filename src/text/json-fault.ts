/** Where a text stops being JSON. `JSON.parse` words this differently in each version of Node.js, and often without the place. */

export interface JsonFault {
  /** Offset of the first unexpected character; the length of the text if it ends too early. */
  readonly offset: number;
  /** What was expected, for "expected …". */
  readonly expected: string;
}

/** What may come next. `first` adds the end of a list or object that is still empty. */
type Next = "value" | "first value" | "name" | "first name" | "colon" | "rest";

const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const WHITESPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Undefined for a text that is JSON. */
export function jsonFault(text: string): JsonFault | undefined {
  /** What closes each list and object that is open. */
  const open: ("}" | "]")[] = [];
  let next = "value" as Next;
  let at = 0;
  for (;;) {
    at = matchEnd(WHITESPACE, text, at) ?? at;
    const char = text[at];
    const close = open.at(-1);
    if (char === undefined && next === "rest" && close === undefined) return undefined;
    if (char !== undefined && char === close && next !== "value" && next !== "name" && next !== "colon") {
      open.pop();
      next = "rest";
      at++;
    } else if (next === "rest" && char === "," && close !== undefined) {
      next = close === "}" ? "name" : "value";
      at++;
    } else if (next === "colon" && char === ":") {
      next = "value";
      at++;
    } else if (char === '"' && next !== "rest" && next !== "colon") {
      const end = stringEnd(text, at);
      if (typeof end !== "number") return end;
      next = next === "name" || next === "first name" ? "colon" : "rest";
      at = end;
    } else if ((char === "{" || char === "[") && (next === "value" || next === "first value")) {
      open.push(char === "{" ? "}" : "]");
      next = char === "{" ? "first name" : "first value";
      at++;
    } else {
      const end = next === "value" || next === "first value" ? matchEnd(NUMBER_OR_WORD, text, at) : undefined;
      if (end === undefined) return { offset: at, expected: expectedAs(next, close) };
      next = "rest";
      at = end;
    }
  }
}

function expectedAs(next: Next, close: string | undefined): string {
  switch (next) {
    case "value":
      return "a JSON value";
    case "first value":
      return "a JSON value or `]`";
    case "name":
      return "a name in double quotes";
    case "first name":
      return "a name in double quotes or `}`";
    case "colon":
      return "`:`";
    case "rest":
      return close === undefined ? "the end of the text" : `\`,\` or \`${close}\``;
  }
}

/** The offset after the string that begins at `from`. */
function stringEnd(text: string, from: number): number | JsonFault {
  let at = from + 1;
  for (;;) {
    const char = text[at];
    if (char === '"') return at + 1;
    if (char === undefined) return { offset: at, expected: 'the `"` that ends the string' };
    if (char < " ")
      return { offset: at, expected: "an escape such as `\\n`, since a string holds no raw control character" };
    const end = char === "\\" ? matchEnd(ESCAPE, text, at) : at + 1;
    if (end === undefined)
      return { offset: at, expected: 'a valid escape (`\\\\` for a backslash, `\\"` for a quote)' };
    at = end;
  }
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
