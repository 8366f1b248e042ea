/**
 * What an awk program does beside printing. It is not parsed: where its literals cannot be separated from its code with certainty, in
 * every awk, it is unknown.
 */

export interface AwkEffects {
  /** Files that it writes, as literal strings. */
  readonly writes: readonly string[];
  /** Files that it reads with `getline`, as literal strings. */
  readonly reads: readonly string[];
  /** Pipes, `system`, or files whose names are computed: a clause. */
  readonly unknown: string | undefined;
}

/** Without any of these a program only prints. */
const DANGEROUS = /system|getline|ARG[VC]|SYMTAB|[|@>]|\\\s*\n/;
/** Longest program that is taken apart. */
const MAX_SCRIPT = 10_000;
/** A file to read whose name is a string and nothing else. */
const READS = /^getline\s*(?:\$?\w+\s*)?<[ \t]*"(\d+)"[ \t]*(?=[);\n}]|$)/;
/** A file to write, likewise. */
const WRITES = />>?[ \t]*(?:"(\d+)"[ \t]*(?=\n|$))?/g;

export function readAwkScript(script: string): AwkEffects {
  const writes: string[] = [];
  const reads: string[] = [];
  if (!DANGEROUS.test(script)) return { writes, reads, unknown: undefined };
  if (script.length > MAX_SCRIPT) return { writes, reads, unknown: "is too long to be analyzed" };
  const { code, strings, isClear } = withoutLiterals(script);
  let unknown = isClear ? undefined : "is not understood";
  const take = (list: string[], quoted: string | undefined, reason: string) => {
    const name = quoted === undefined ? undefined : strings[Number(quoted)];
    if (name === undefined || name.includes("\\")) unknown ??= reason;
    else list.push(name);
  };
  if (/\bsystem\b/.test(code) || /\bsystem\s*\(/.test(script)) unknown = "runs commands with `system`";
  if (code.replaceAll("||", "").includes("|")) unknown = "runs commands in a pipe";
  if (code.includes("@")) unknown = "loads code or calls a function by a computed name";
  if (/\b(ARG[VC]|SYMTAB)\b/.test(code)) unknown = "changes the files that it reads";
  if (/\\\s*\n/.test(script)) unknown ??= "continues a line";
  for (const [statement] of code.matchAll(/\bgetline\b[^;{}]*/g)) {
    const read = READS.exec(statement);
    if (read !== null || statement.includes("<")) take(reads, read?.[1], "reads a file whose name is computed");
  }
  for (const [statement] of code.matchAll(/\bprintf?\b[^;{}]*/g)) {
    for (const [, quoted] of outsideParentheses(statement).matchAll(WRITES)) {
      take(writes, quoted, "writes a file whose name is computed");
    }
  }
  return { writes, reads, unknown };
}

/** Strings become `"number"`, regular expressions `"/"`, and comments vanish. */
function withoutLiterals(script: string): { code: string; strings: string[]; isClear: boolean } {
  const strings: string[] = [];
  let code = "";
  let isClear = true;
  for (let index = 0; index < script.length; index++) {
    const char = script[index] as string;
    const role = char === "/" ? slashRole(code) : undefined;
    if (char === '"' || role === "regex") {
      const end = literalEnd(script, index, char);
      const text = script.slice(index + 1, end);
      if (script[end] !== char || (role === "regex" && hasOpenClass(text))) isClear = false;
      code += role === "regex" ? '"/"' : `"${strings.push(text) - 1}"`;
      index = end;
    } else if (char === "#") {
      const end = script.indexOf("\n", index);
      index = (end === -1 ? script.length : end) - 1;
    } else {
      if (role === "unclear" || char === "\\") isClear = false;
      code += char;
    }
  }
  return { code, strings, isClear };
}

/** The delimiter that ends the literal, or the line feed or end of the script that no literal reaches over. */
function literalEnd(script: string, start: number, delimiter: string): number {
  for (let index = start + 1; index < script.length; index++) {
    const char = script[index];
    if (char === "\\") index++;
    else if (char === delimiter || char === "\n") return index;
  }
  return script.length;
}

/** Only some awks continue to the next slash where one is in a class. */
const hasOpenClass = (regex: string): boolean =>
  regex
    .replace(/\\./gs, "")
    .replace(/\[\^?\]?(?:\[[:.=][^\]]*\]|[^\]])*\]/g, "")
    .includes("[");

/** What a slash after `code` is; unclear where awks differ. */
function slashRole(code: string): "regex" | "division" | "unclear" {
  const before = code.replace(/[ \t\r]+$/, "");
  if (/(^|[(,{};!~&|\n=?:]|\b(print|printf|return))$/.test(before)) return "regex";
  const word = /\b[A-Za-z_]\w*$/.exec(before)?.[0];
  if (word !== undefined) return KEYWORD.test(word) ? "unclear" : "division";
  if (before.endsWith(")")) return endsCondition(before) ? "unclear" : "division";
  return /[\w\]"]$/.test(before) ? "division" : "unclear";
}

const KEYWORD =
  /^(BEGIN|END|BEGINFILE|ENDFILE|break|case|continue|default|delete|do|else|exit|for|func|function|getline|if|in|length|next|nextfile|switch|while)$/;

/** The parenthesis at the end belongs to `if (…)`, after which a statement may begin. */
function endsCondition(code: string): boolean {
  let depth = 0;
  for (let index = code.length - 1; index >= 0; index--) {
    if (code[index] === ")") depth++;
    else if (code[index] === "(" && --depth === 0) return /\b(if|while|for|switch)\s*$/.test(code.slice(0, index));
  }
  return true;
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
