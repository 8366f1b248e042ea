/** Converts the parser's result into a plan for the memory shell, or an error message. */
import {
  type Assignment,
  type Command,
  type DoubleQuotedChild,
  type PipelineNode,
  parse,
  type Redirection,
  type Statement,
  type Word,
  type WordPart,
} from "unbash";

/** A part of a word: literal text, or a variable name. */
type Piece = { readonly isQuoted: boolean } & ({ readonly text: string } | { readonly variable: string });
export type WordPlan = readonly Piece[];

export type RedirectPlan =
  | { readonly kind: "read" | "write" | "append"; readonly descriptor: number; readonly target: WordPlan }
  | { readonly kind: "copy"; readonly descriptor: number; readonly from: number }
  | { readonly kind: "text"; readonly text: WordPlan };

export interface SimplePlan {
  readonly assignments: readonly { readonly name: string; readonly value: WordPlan }[];
  readonly words: readonly WordPlan[];
  readonly redirects: readonly RedirectPlan[];
}
export interface PipelinePlan {
  readonly isNegated: boolean;
  readonly commands: readonly SimplePlan[];
}
/** Pipelines joined by && and ||; `joins[i]` precedes `pipelines[i + 1]`. */
export interface JobPlan {
  readonly pipelines: readonly PipelinePlan[];
  readonly joins: readonly ("&&" | "||")[];
  readonly isBackground: boolean;
}

/** Why a command is not supported. */
export class Unsupported extends Error {}

/** @throws Unsupported, with the message for stderr. */
export function planCommand(command: string): readonly JobPlan[] {
  const script = parse(command);
  const [error] = script.errors ?? [];
  if (error !== undefined) throw new Unsupported(`syntax error: ${error.message}`);
  return script.commands.map(planStatement);
}

function planStatement(statement: Statement): JobPlan {
  const { command } = statement;
  const isBackground = statement.background === true;
  if (command.type !== "AndOr") return { pipelines: [planPipeline(command)], joins: [], isBackground };
  return { pipelines: command.commands.map(planPipeline), joins: command.operators, isBackground };
}

function planPipeline(node: PipelineNode): PipelinePlan {
  if (node.type !== "Pipeline") return { isNegated: false, commands: [planSimple(node)] };
  if (node.operators.includes("|&")) throw refused("`|&`");
  if (node.prefixes.some((prefix) => prefix.type !== "Negation")) throw refused("`time`");
  return { isNegated: node.prefixes.length % 2 === 1, commands: node.commands.map(planSimple) };
}

function planSimple(node: PipelineNode): SimplePlan {
  if (node.type !== "Command") throw refused(NODE_NAMES[node.type] ?? node.type);
  const { name } = node;
  const assignments = node.prefix.filter((one) => one.type === "Assignment").map(planAssignment);
  const words = name === undefined ? [] : [planWord(name), ...planArguments(node)];
  return { assignments, words, redirects: node.redirects.map(planRedirect) };
}

const NODE_NAMES: Readonly<Record<string, string>> = {
  Subshell: "a subshell in ( )",
  BraceGroup: "a group in { }",
  If: "`if`",
  For: "`for`",
  While: "`while`",
  Case: "`case`",
  Function: "a function",
  TestCommand: "`[[ ]]`",
  Coproc: "`coproc`",
  Select: "`select`",
  Redirected: "a redirected group",
  ArithmeticCommand: "`(( ))`",
  ArithmeticFor: "`for`",
};

function planArguments(node: Command): WordPlan[] {
  return node.args.map((one) => {
    if (one.type === "Word") return planWord(one);
    const { name, value } = planAssignment(one);
    return [{ text: `${name}=`, isQuoted: true }, ...value];
  });
}

function planAssignment(node: Assignment) {
  if (node.append === true || node.index !== undefined || node.value.type !== "Word") throw refused("an array or `+=`");
  return { name: node.name, value: planWord(node.value) };
}

const OPERATORS: Readonly<Record<string, "read" | "write" | "append">> = {
  "<": "read",
  ">": "write",
  ">|": "write",
  ">>": "append",
};

function planRedirect(node: Redirection): RedirectPlan {
  if (node.descriptor?.type === "FileDescriptorVariable") throw refused("a descriptor in braces");
  const given = node.descriptor?.value;
  if (node.type === "HereDoc") {
    if (node.operator === "<<-") throw refused("`<<-`");
    if ((given ?? 0) !== 0) throw refused(`descriptor ${given}`);
    const { parts, text } = node.body;
    const body = parts === undefined ? [{ text, isQuoted: true }] : parts.flatMap((part) => planPart(part, true));
    return { kind: "text", text: body };
  }
  if (node.type === "HereString") throw refused("`<<<`");
  if (node.target === undefined) throw refused(`\`${node.operator}\` without a target`);
  const kind = OPERATORS[node.operator];
  if (kind !== undefined) {
    const descriptor = given ?? (kind === "read" ? 0 : 1);
    if (kind === "read" ? descriptor !== 0 : descriptor !== 1 && descriptor !== 2)
      throw refused(`descriptor ${descriptor}`);
    return { kind, descriptor, target: planWord(node.target) };
  }
  const descriptor = given ?? 1;
  const from = Number(node.target.value);
  const isKnown = (one: number) => one === 1 || one === 2;
  if (node.operator !== ">&" || !isKnown(descriptor) || !isKnown(from))
    throw refused(`\`${node.operator}${node.target.text}\``);
  return { kind: "copy", descriptor, from };
}

function planWord(word: Word): WordPlan {
  const { parts, value, text } = word;
  if (parts !== undefined) return parts.flatMap((part) => planPart(part, false));
  if (text === "~" || text.startsWith("~/")) {
    return [
      { variable: "HOME", isQuoted: true },
      { text: value.slice(1), isQuoted: true },
    ];
  }
  return [{ text: value, isQuoted: true }];
}

function planPart(part: WordPart | DoubleQuotedChild, isQuoted: boolean): Piece[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
      return [{ text: part.value, isQuoted: true }];
    case "BraceExpansion":
      return [{ text: part.text, isQuoted: true }];
    case "DoubleQuoted":
      return [{ text: "", isQuoted: true }, ...part.parts.flatMap((inner) => planPart(inner, true))];
    case "SimpleExpansion":
      return [{ variable: knownVariable(part.text.slice(1), part.text), isQuoted }];
    case "ParameterExpansion":
      if (part.operation !== undefined || part.prefix !== undefined || part.index !== undefined)
        throw refused(`\`${part.text}\``);
      return [{ variable: knownVariable(part.parameter, part.text), isQuoted }];
    case "Glob":
    case "ExtendedGlob":
      throw refused(`the pattern \`${part.text}\``);
    default:
      throw refused(`\`${part.text.slice(0, 40)}\``);
  }
}

function knownVariable(name: string, text: string): string {
  if (/^([A-Za-z_]\w*|[?$!])$/.test(name)) return name;
  throw refused(`\`${text}\``);
}

function refused(what: string): Unsupported {
  return new Unsupported(`the memory shell does not support ${what}. Use simple commands`);
}
