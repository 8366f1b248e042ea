/** What an awk program does beside printing, by its words: it is not parsed. */

export interface AwkEffects {
  /** Files that it writes, as literal strings. */
  readonly writes: readonly string[];
  /** Files that it reads with `getline`, as literal strings. */
  readonly reads: readonly string[];
  /** Pipes, `system`, or files whose names are computed: a clause. */
  readonly unknown: string | undefined;
}

export function readAwkScript(script: string): AwkEffects {
  const { code, strings } = withoutLiterals(script);
  const writes: string[] = [];
  const reads: string[] = [];
  let unknown: string | undefined;
  const take = (list: string[], name: string | undefined, reason: string) => {
    if (name === undefined) unknown ??= reason;
    else list.push(name);
  };
  if (/\bsystem\s*\(/.test(code)) unknown = "runs commands with `system`";
  if (/(^|[^|])\|(?!\|)/.test(code)) unknown = "runs commands in a pipe";
  if (/@\s*\w/.test(code)) unknown = "loads code or calls a function by a computed name";
  if (/\bARG[VC]\b/.test(code)) unknown = "changes the files that it reads";
  for (const [, quoted] of code.matchAll(/\bgetline\b[^;\n}<]*<\s*(?:"(\d+)")?/g)) {
    take(reads, quoted === undefined ? undefined : strings[Number(quoted)], "reads a file whose name is computed");
  }
  for (const [statement] of code.matchAll(/\bprintf?\b[^;\n}]*/g)) {
    const redirect = />>?\s*(?:"(\d+)"\s*$)?/.exec(outsideParentheses(statement));
    if (redirect === null) continue;
    take(
      writes,
      redirect[1] === undefined ? undefined : strings[Number(redirect[1])],
      "writes a file whose name is computed",
    );
  }
  return { writes, reads, unknown };
}

/** Strings become `"number"`, regular expressions and comments vanish. */
function withoutLiterals(script: string): { code: string; strings: string[] } {
  const strings: string[] = [];
  let code = "";
  for (let index = 0; index < script.length; index++) {
    const char = script[index] as string;
    if (char === '"') {
      const end = literalEnd(script, index, '"');
      code += `"${strings.length}"`;
      strings.push(script.slice(index + 1, end).replace(/\\(.)/g, "$1"));
      index = end;
    } else if (char === "/" && /(^|[(,{};!~&|\n])\s*$/.test(code.slice(-20))) index = literalEnd(script, index, "/");
    else if (char === "#") {
      const end = script.indexOf("\n", index);
      index = (end === -1 ? script.length : end) - 1;
    } else code += char;
  }
  return { code, strings };
}

function literalEnd(script: string, start: number, delimiter: string): number {
  let isClass = false;
  for (let index = start + 1; index < script.length; index++) {
    const char = script[index];
    if (char === "\\") index++;
    else if (delimiter === "/" && char === "[") isClass = true;
    else if (char === "]") isClass = false;
    else if (char === delimiter && !isClass) return index;
    else if (char === "\n") return index;
  }
  return script.length;
}

/** A `>` inside of parentheses compares. */
function outsideParentheses(statement: string): string {
  let depth = 0;
  let outside = "";
  for (const char of statement) {
    if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (depth <= 0) outside += char;
  }
  return outside;
}
