/** Texts that shells read differently, or that the parser accepts and a shell does not. */
import type { Command, SyntaxNode, Word, WordPart } from "unbash";

/** A delimiter of a here-document that all shells read alike: without quotes, or quoted as a whole. */
const PLAIN_DELIMITER = /^(\\?[\w.+,:@%^=/-]+|'[^'\n]*'|"[^"`$\\\n]*")$/;
/** What stands before the body of a function. The keyword of bash is on one line with it: in dash it is a command. */
const PLAIN_FUNCTION =
  /^(?:[^\s"'`$\\<>|&;()]+\s*\(\s*\)\s*|function[ \t]+[^\s"'`$\\<>|&;()]+[ \t]*(?:\([ \t]*\)\s*)?)$/;
/** A parenthesis without a backslash before it. */
const PARENTHESIS = /(?<!\\)(?:\\\\)*[()]/;
const MAY_BE_ODD = /[()[]/;
const OLD_ARITHMETIC = /\$\[/;
const OPENS = /^[ \t]*\(/;

/**
 * Why shells may read a node differently, as a clause.
 *
 * @param source - What its positions are in.
 * @param isTest - It is inside of `[[ ]]`.
 */
export function readsDifferently(node: SyntaxNode, source: string, isTest: boolean): string | undefined {
  switch (node.type) {
    case "AnsiCQuoted":
      return node.text.includes("\\'") ? "dash ends `$'…\\'` at the quote that bash skips" : undefined;
    case "ExtendedGlob":
      return isTest ? undefined : "only bash with `extglob` accepts this pattern";
    case "HereDoc":
      return PLAIN_DELIMITER.test(node.delimiter?.text ?? "")
        ? undefined
        : "shells differ in where this here-document ends";
    case "Word":
      return isTest ? undefined : oddText(node);
    case "Transform":
      return node.operand.value.includes("P") ? "bash runs the substitutions in the value" : undefined;
    case "ParameterExpansion":
      return node.operation?.type === "Unknown" || !/^(\w+|[@*#?$!-])$/.test(node.parameter)
        ? "an expansion that shells do not accept"
        : undefined;
    case "Glob":
      return node.kind === "bracket" && node.parts.some(hidesWords)
        ? "a bracket that only some shells take as a glob"
        : undefined;
    case "Function":
      return beginsCommand(source.slice(0, node.pos)) && PLAIN_FUNCTION.test(source.slice(node.pos, node.body.pos))
        ? undefined
        : "shells differ in what this function is";
    case "Coproc":
      return /^\w*$/.test(node.name?.text ?? "") ? undefined : "a name that shells do not accept";
    case "Pipeline":
      return node.commands.length === 0 && node.prefixes.some(({ type }) => type === "Negation")
        ? "only some shells accept `!` without a command"
        : undefined;
    case "Command":
      return hasGap(node, source) ? "something between two words that shells do not accept" : undefined;
    default:
      return undefined;
  }
}

function oddText(word: Word): string | undefined {
  if (!MAY_BE_ODD.test(word.text)) return undefined;
  if (hasUnquoted(word, PARENTHESIS)) return "a parenthesis inside of a word";
  return hasUnquoted(word, OLD_ARITHMETIC) ? "an arithmetic expansion that does not end" : undefined;
}

/** What the parser takes as the inside of a bracket, and a shell as several words. */
const hidesWords = (part: WordPart): boolean => part.type === "Literal" && /[\s$`;|&<>()]/.test(part.text);

const hasUnquoted = ({ text, parts }: Word, pattern: RegExp): boolean =>
  parts === undefined ? pattern.test(text) : parts.some((part) => part.type === "Literal" && pattern.test(part.text));

/** Whether nothing that the parser leaves out stands before a function: `>file f() { … }`. */
function beginsCommand(before: string): boolean {
  const text = before.trimEnd();
  if (text === "" || (before.indexOf("\n", text.length) !== -1 && !text.endsWith("\\"))) return true;
  return /[;&|(]$|(?:^|[\s;&|(])(?:[{!]|then|do|else|if|elif|while|until|time|coproc)$/.test(text.slice(-8));
}

/** Between the words of a command there is only whitespace. */
function hasGap(node: Command, source: string): boolean {
  let end = node.pos;
  const isAfterGap = (child: Command["prefix"][number] | Command["suffix"][number]): boolean => {
    const isSpace = child.pos <= end || (child.pos === end + 1 && source[end] === " ");
    if (!isSpace && !/^(?:\s|\\\r?\n)*$/.test(source.slice(end, child.pos))) return true;
    end = Math.max(end, child.type === "HereDoc" ? (child.delimiter?.end ?? child.end) : child.end);
    return false;
  };
  if (node.prefix.some(isAfterGap) || (node.name !== undefined && isAfterGap(node.name))) return true;
  if (node.suffix.some(isAfterGap)) return true;
  return OPENS.test(source.slice(node.end, node.end + 80));
}
