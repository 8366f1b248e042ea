/** Another parser of shell commands, by which ours is checked. */
import { createRequire } from "node:module";

interface OracleNode {
  /** What GopherJS wraps: the node as the Go program has it. */
  readonly __internal_object__: GoValue;
}

type GoValue = null | string | number | boolean | GoObject;

interface GoObject {
  /** A slice is a part of an array. */
  readonly $array?: readonly GoValue[];
  readonly $offset?: number;
  readonly $length?: number;
  readonly constructor: { readonly string?: string };
}

interface OracleSyntax {
  NewParser(variant: unknown): { Parse(text: string, name: string): OracleNode };
  Variant(language: unknown): unknown;
  readonly LangBash: unknown;
  readonly LangPOSIX: unknown;
  Walk(node: OracleNode, visit: (node: OracleNode | null) => boolean): void;
  NodeType(node: OracleNode): string;
}

const { syntax } = createRequire(import.meta.url)("mvdan-sh") as { syntax: OracleSyntax };
const PARSERS = {
  bash: syntax.NewParser(syntax.Variant(syntax.LangBash)),
  posix: syntax.NewParser(syntax.Variant(syntax.LangPOSIX)),
};

const COMMANDS = ["CallExpr", "DeclClause", "LetClause"];
const GO_COMMANDS: ReadonlySet<string | undefined> = new Set(COMMANDS.map((name) => `*syntax.${name}`));

/** The number of simple commands that `mvdan-sh` finds; undefined if it does not accept the text. */
export function countCommands(text: string, shell: keyof typeof PARSERS): number | undefined {
  const file = parsed(text, shell);
  return file === undefined ? undefined : countIn(file.__internal_object__);
}

/** The same by the walk of `mvdan-sh`, which wraps every node and takes fifty times as long. */
export function countByWalk(text: string, shell: keyof typeof PARSERS): number | undefined {
  const file = parsed(text, shell);
  if (file === undefined) return undefined;
  let count = 0;
  syntax.Walk(file, (node) => {
    if (node !== null && COMMANDS.includes(syntax.NodeType(node))) count++;
    return true;
  });
  return count;
}

function parsed(text: string, shell: keyof typeof PARSERS): OracleNode | undefined {
  try {
    return PARSERS[shell].Parse(text, "");
  } catch {
    return undefined;
  }
}

function countIn(value: GoValue): number {
  if (value === null || typeof value !== "object") return 0;
  const { $array, $offset = 0, $length = 0 } = value;
  if ($array !== undefined) return sum($array.slice($offset, $offset + $length).map(countIn));
  const fields = Object.entries(value).filter(([name]) => name !== "$val"); // a pointer to the value itself
  return sum(fields.map(([, field]) => countIn(field))) + (GO_COMMANDS.has(value.constructor.string) ? 1 : 0);
}

const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);
