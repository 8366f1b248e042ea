/**
 * Where bash evaluates a text as arithmetic: `$((n))`, `[[ n -eq 1 ]]`, `${x:n}`, `${a[n]}`. It also evaluates the value of each
 * variable there, and runs the substitution in one like `a[$(command)]`, so that all of them have to be numbers.
 */
import type { ArithmeticExpression, ParsedScript, SyntaxNode, Word, WordPart } from "unbash";

/** Where problems are noted. */
interface Problems {
  problem(kind: "dynamic-command", detail: string): void;
}

export interface Numbers {
  /** Whether the variable is certainly a number, or empty, at this place. */
  isNumber(name: string): boolean;
  /** Whether the script defines a function of this name anywhere. */
  definesFunction(name: string): boolean;
}

const NUMBER = /^[-+]?(?:0[xX][\dA-Fa-f]+|\d+)?$/;
/** `$#`, `$?`, `$$`, `$!` */
const NUMERIC_PARAMETER = /^[#?$!]$/;
const COMPARISON = /^-(eq|ne|lt|le|gt|ge)$/;

export function judgeExpression(facts: Problems, text: string, numbers: Numbers): void {
  if (!isNumericText(text, numbers)) facts.problem("dynamic-command", mayEvaluate(text));
}

/** The subscripts in a text such as `a[n]`. */
export function judgeSubscript(facts: Problems, text: string, numbers: Numbers): void {
  const subscript = /\[(.*)\]?$/s.exec(text)?.[1]?.replace(/\]$/, "");
  if (subscript !== undefined && !/^[@*]$/.test(subscript)) judgeExpression(facts, subscript, numbers);
}

/** The clause of a problem. */
export const mayEvaluate = (text: string): string =>
  `bash may run a substitution in the value of \`${text.slice(0, 80)}\``;

/** Whether evaluating this node, without those below it, may run something. */
export function evaluatesUnknown(node: SyntaxNode, numbers: Numbers): boolean {
  return !isSafe(node, numbers);
}

/** `ArithmeticFor` is left to the walk, since what its first part assigns counts in the others. */
function isSafe(node: SyntaxNode, numbers: Numbers): boolean {
  switch (node.type) {
    case "ArithmeticExpansion":
      return node.expression === undefined ? /^\$\(\(\s*\)\)$/.test(node.text) : isNumeric(node.expression, numbers);
    case "ArithmeticCommand":
      return node.expression === undefined ? node.body.trim() === "" : isNumeric(node.expression, numbers);
    case "ParameterExpansion": {
      const isWhole = node.index !== undefined && /^[@*]$/.test(node.index.text);
      if (node.prefix === "!" && !isWhole && !/^\$\{!\w+[@*]\}$/.test(node.text)) return false;
      if (node.index !== undefined && !isWhole && !isNumericWord(node.index, numbers)) return false;
      if (node.operation?.type !== "Slice") return true;
      const { offset, length } = node.operation;
      return isNumericWord(offset, numbers) && (length === undefined || isNumericWord(length, numbers));
    }
    case "Assignment":
      if (node.index !== undefined && !isNumericWord(node.index, numbers)) return false;
      return node.value.type === "Word" || node.value.elements.every(({ text }) => !/^\[(?!\d+\])[^=]*=/.test(text));
    case "TestBinary":
      return (
        !COMPARISON.test(node.operator) || (isNumericWord(node.left, numbers) && isNumericWord(node.right, numbers))
      );
    default:
      return true;
  }
}

/** Whether all that the expression evaluates are numbers. */
export function isNumeric(node: ArithmeticExpression, numbers: Numbers): boolean {
  switch (node.type) {
    case "ArithmeticBinary":
      return (assigned(node) !== undefined || isNumeric(node.left, numbers)) && isNumeric(node.right, numbers);
    case "ArithmeticUnary":
      return isNumeric(node.operand, numbers);
    case "ArithmeticTernary":
      return [node.test, node.consequent, node.alternate].every((one) => isNumeric(one, numbers));
    case "ArithmeticGroup":
      return isNumeric(node.expression, numbers);
    case "ArithmeticWord":
      return isNumericWord({ text: node.value, parts: node.parts }, numbers);
    case "ArithmeticCommandExpansion":
      return printsNumber(node.script, numbers);
  }
}

/** The variable of `name = …`, whose value before is not used. */
function assigned(node: ArithmeticExpression): string | undefined {
  if (node.type !== "ArithmeticBinary" || node.operator !== "=" || node.left.type !== "ArithmeticWord")
    return undefined;
  return /^[A-Za-z_]\w*$/.exec(node.left.value)?.[0];
}

/** The variables that an expression certainly assigns. */
export function assignedBy(node: ArithmeticExpression | undefined): string[] {
  if (node?.type === "ArithmeticBinary" && node.operator === ",")
    return [...assignedBy(node.left), ...assignedBy(node.right)];
  const name = node === undefined ? undefined : assigned(node);
  return name === undefined ? [] : [name];
}

function isNumericWord({ text, parts }: Pick<Word, "text" | "parts">, numbers: Numbers): boolean {
  if (parts === undefined) return isNumericText(text, numbers);
  // `a$x` is a name that depends on `x`.
  const isJoined = (part: WordPart, index: number) =>
    part.type === "Literal" && index < parts.length - 1 && /[A-Za-z_]\w*$/.test(part.text);
  return parts.every((part, index) => !isJoined(part, index) && isNumericPart(part, numbers, isNumericText));
}

type LiteralCheck = (text: string, numbers: Numbers) => boolean;

function isNumericPart(part: WordPart, numbers: Numbers, isLiteral: LiteralCheck): boolean {
  switch (part.type) {
    case "Literal":
    case "Glob":
      return isLiteral(part.text, numbers);
    case "DoubleQuoted":
      return isNumericWord({ text: part.text, parts: part.parts }, numbers);
    case "SimpleExpansion": {
      const name = part.text.slice(1);
      return NUMERIC_PARAMETER.test(name) || numbers.isNumber(name);
    }
    case "ParameterExpansion": {
      const { operation, parameter, prefix } = part;
      if (prefix === "#") return true;
      if (prefix !== undefined || !(NUMERIC_PARAMETER.test(parameter) || numbers.isNumber(parameter))) return false;
      if (operation === undefined || operation.type === "Slice") return true;
      return operation.type === "Default" && isNumberWord(operation.operand, numbers);
    }
    case "CommandExpansion":
      return printsNumber(part.script, numbers);
    case "ArithmeticExpansion":
      return true;
    default:
      return false;
  }
}

/** All names in the text are numbers. */
function isNumericText(text: string, numbers: Numbers): boolean {
  if (/[$`\\'"]/.test(text)) return false;
  const names = text.replace(/(?<![\w])\d[\w#@]*/g, " ").match(/[A-Za-z_]\w*/g) ?? [];
  return names.every((name) => numbers.isNumber(name));
}

/** The word is a number, or several. Variables do not count, since their values may change before it is used. */
export function isNumberWord({ text, parts }: Word, numbers: Pick<Numbers, "definesFunction">): boolean {
  if (parts === undefined) return NUMBER.test(text);
  const all = { isNumber: () => false, definesFunction: (name: string) => numbers.definesFunction(name) };
  return parts.every((part) => {
    if (part.type === "BraceExpansion") return /^\{-?\d+\.\.-?\d+(?:\.\.-?\d+)?\}$/.test(part.text);
    if (part.type === "SingleQuoted") return /^\d*$/.test(part.value);
    return isNumericPart(part, all, (literal) => /^[-+\d]*$/.test(literal));
  });
}

/** Whether a substitution prints numbers and nothing else. */
function printsNumber(script: ParsedScript | undefined, numbers: Pick<Numbers, "definesFunction">): boolean {
  const [only, ...others] = script?.commands ?? [];
  if (only === undefined || others.length > 0 || only.background === true) return false;
  const { command } = only;
  const commands = command.type === "Pipeline" ? command.commands : [command];
  const isPiped = commands.length > 1;
  const last = commands.at(-1);
  if (last?.type !== "Command" || last.name === undefined || last.prefix.length > 0) return false;
  const isQuiet = last.redirects.every(
    (one) => one.type !== "Redirect" || one.operator === "<" || one.target?.text === "/dev/null",
  );
  const words = last.args.map((one) => (one.type === "Word" && one.parts === undefined ? one.value : undefined));
  if (!isQuiet || words.includes(undefined) || numbers.definesFunction(last.name.value)) return false;
  const line = [last.name.value, ...words].join(" ");
  return (isPiped && PRINTS_NUMBER_OF_INPUT.test(line)) || PRINTS_NUMBER.test(line);
}

const PRINTS_NUMBER =
  /^(wc( -[lwcmL]+)*|nproc|seq( -?\d+){1,3}|id -[ug]|date( -u)? \+%(s|Y|m|d|H|M|S|j)|git rev-list --count [\w./~^]+|stat -c %[sYXZ] [\w./]+)$/;
const PRINTS_NUMBER_OF_INPUT = /^grep -[EFGPaivwx]*c[EFGPaivwx]* [^- ][^ ]*$/;
