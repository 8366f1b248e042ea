/** One part of a segment: fixed text, `?` (one character), `*` (a run of characters) or a `[class]`. */
export type GlobToken =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "one" }
  | { readonly kind: "run" }
  | {
      readonly kind: "class";
      readonly isNegated: boolean;
      readonly ranges: readonly CodeRange[];
      readonly ignoreCase: boolean;
    };

type CodeRange = readonly [first: number, last: number];

/**
 * Parses one segment of a glob, the part between slashes. A backslash makes the next character literal; a
 * `[` that nothing closes is literal. With `ignoreCase`, names must be lower-cased before they are matched.
 */
export function parseGlobSegment(segment: string, ignoreCase: boolean): GlobToken[] {
  const tokens: GlobToken[] = [];
  let text = "";
  const flush = () => {
    if (text !== "") tokens.push({ kind: "text", text: ignoreCase ? text.toLowerCase() : text });
    text = "";
  };
  for (let index = 0; index < segment.length; index++) {
    const char = segment[index]!;
    const end = char === "[" ? classEnd(segment, index) : -1;
    if (char === "\\") text += segment[++index] ?? "";
    else if (char === "*") {
      flush();
      if (tokens.at(-1)?.kind !== "run") tokens.push({ kind: "run" });
    } else if (char === "?") {
      flush();
      tokens.push({ kind: "one" });
    } else if (end !== -1) {
      flush();
      tokens.push(parseClass(segment.slice(index + 1, end - 1), ignoreCase));
      index = end - 1;
    } else text += char;
  }
  flush();
  return tokens;
}

/**
 * Whether `tokens` cover the whole of `name`. Only the latest `*` is ever widened, so the time is at most the length of
 * the name times the number of tokens: no pattern makes it explode.
 */
export function matchGlobSegment(tokens: readonly GlobToken[], name: string): boolean {
  let at = 0;
  let index = 0;
  let runToken = -1;
  let runEnd = 0;
  while (true) {
    const token = tokens[at];
    if (token === undefined) {
      if (index === name.length) return true;
    } else if (token.kind === "run") {
      if (at === tokens.length - 1) return true;
      runToken = at++;
      runEnd = index;
      continue;
    } else {
      const next = step(token, name, index);
      if (next !== -1) {
        index = next;
        at++;
        continue;
      }
    }
    if (runToken === -1 || runEnd >= name.length) return false;
    index = ++runEnd;
    at = runToken + 1;
  }
}

/** The index after the `]` that closes the class opened at `open`, or -1. A `]` that comes first is a member. */
export function classEnd(pattern: string, open: number): number {
  let index = open + 1;
  if (pattern[index] === "!" || pattern[index] === "^") index++;
  for (let isFirst = true; index < pattern.length; index++, isFirst = false) {
    const char = pattern[index];
    if (char === "/") return -1;
    if (char === "\\") index++;
    else if (char === "]" && !isFirst) return index + 1;
  }
  return -1;
}

function parseClass(body: string, ignoreCase: boolean): GlobToken {
  const isNegated = body.startsWith("!") || body.startsWith("^");
  const members: { code: number; isEscaped: boolean }[] = [];
  const chars = [...(isNegated ? body.slice(1) : body)];
  for (let index = 0; index < chars.length; index++) {
    const isEscaped = chars[index] === "\\" && index + 1 < chars.length;
    if (isEscaped) index++;
    members.push({ code: chars[index]!.codePointAt(0)!, isEscaped });
  }
  const ranges: CodeRange[] = [];
  for (let index = 0; index < members.length; index++) {
    const dash = members[index + 1];
    const last = members[index + 2];
    if (dash?.code === 45 && !dash.isEscaped && last !== undefined) {
      ranges.push([members[index]!.code, last.code]);
      index += 2;
    } else ranges.push([members[index]!.code, members[index]!.code]);
  }
  return { kind: "class", isNegated, ranges, ignoreCase };
}

/** The index after the match of `token` at `index` of `name`, or -1 if it does not match. */
function step(token: Exclude<GlobToken, { kind: "run" }>, name: string, index: number): number {
  if (token.kind === "text") return name.startsWith(token.text, index) ? index + token.text.length : -1;
  if (index >= name.length) return -1;
  const next = index + unitsAt(name, index);
  if (token.kind === "one") return next;
  const code = name.codePointAt(index)!;
  let isMember = token.ranges.some(([first, last]) => first <= code && code <= last);
  if (!isMember && token.ignoreCase) {
    const upper = String.fromCodePoint(code).toUpperCase().codePointAt(0)!;
    isMember = token.ranges.some(([first, last]) => first <= upper && upper <= last);
  }
  return isMember !== token.isNegated ? next : -1;
}

function unitsAt(text: string, index: number): number {
  return text.codePointAt(index)! > 0xffff ? 2 : 1;
}
