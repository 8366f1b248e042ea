/** Another parser of shell commands, by which ours is checked. */
import { createRequire } from "node:module";

interface OracleNode {
  readonly Args?: readonly unknown[];
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
const bash = syntax.NewParser(syntax.Variant(syntax.LangBash));
const posix = syntax.NewParser(syntax.Variant(syntax.LangPOSIX));

const COMMANDS = new Set(["CallExpr", "DeclClause", "LetClause"]);

/** The number of simple commands that `mvdan-sh` finds; undefined if it does not accept the text. */
export function countCommands(text: string, shell: "bash" | "posix"): number | undefined {
  let count = 0;
  try {
    syntax.Walk((shell === "bash" ? bash : posix).Parse(text, ""), (node) => {
      if (node !== null && COMMANDS.has(syntax.NodeType(node))) count++;
      return true;
    });
  } catch {
    return undefined;
  }
  return count;
}
