/** Reads the text of a configuration file. */
import type { Node, ParseError } from "jsonc-parser";
import { HaftError } from "../../kernel/index.js";
import { type ConfigNode, type ConfigProblem, checkConfig, configValue } from "./check-config.js";
import type { Config } from "./config.js";
import { configSchema } from "./config-schema.js";
import { policyProblems } from "./policy-config.js";
import { webProblems } from "./web-problems.js";

/** Maximum number of problems listed in one error. */
const MAX_PROBLEMS_LISTED = 5;

/**
 * The configuration that the text of a `haft.jsonc` holds: JSON with comments and with commas after the last item. A text
 * without any value is an empty configuration.
 *
 * @param name - The name of the file in messages, before the line number.
 * @throws `CONFIG_INVALID` with file, line, column, what is there and what is accepted, for each of the first 5 problems.
 */
export async function parseConfig(text: string, name: string): Promise<Config> {
  const { parseTree, printParseErrorCode } = await import("jsonc-parser");
  // A byte order mark is no part of the text.
  const json = text.replace(/^\ufeff/, "");
  const errors: ParseError[] = [];
  let tree: Node | undefined;
  try {
    tree = parseTree(json, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch {
    throw invalid(name, json, [{ offset: 0, message: "it is nested too deeply to be read." }]);
  }
  const [first] = errors;
  if (first !== undefined) {
    // What follows the first such error is only its consequence.
    throw invalid(name, json, [{ offset: first.offset, message: syntaxProblem(printParseErrorCode(first.error)) }]);
  }
  if (tree === undefined) return {};
  const problems = checkConfig(tree as ConfigNode, configSchema());
  if (problems.length > 0) throw invalid(name, json, problems);
  const more = [...(await policyProblems(tree as ConfigNode)), ...webProblems(tree as ConfigNode)];
  if (more.length > 0) throw invalid(name, json, more);
  return configValue(tree as ConfigNode) as Config;
}

function invalid(name: string, text: string, problems: readonly ConfigProblem[]): HaftError {
  const lines = problems
    .slice(0, MAX_PROBLEMS_LISTED)
    .map(({ offset, message }) => `${name}:${place(text, offset)}: ${message}`);
  const more = problems.length > MAX_PROBLEMS_LISTED ? [`…and ${problems.length - MAX_PROBLEMS_LISTED} more.`] : [];
  return new HaftError(
    "CONFIG_INVALID",
    ["Did not start: the configuration is invalid.", ...lines, ...more].join("\n"),
    {
      details: { file: name },
    },
  );
}

/** Line and column from 1, as editors count. */
function place(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return `${before.length}:${(before.at(-1) ?? "").length + 1}`;
}

const SYNTAX: Readonly<Record<string, string>> = {
  ValueExpected: "a value is missing here.",
  ColonExpected: "a colon is missing here.",
  CommaExpected: "a comma is missing before this.",
  CloseBraceExpected: "a closing brace is missing here.",
  CloseBracketExpected: "a closing bracket is missing here.",
  PropertyNameExpected: "a key in double quotes is missing here.",
  EndOfFileExpected: "the configuration ends before this; remove what follows.",
  InvalidSymbol: "this is not a value; strings need double quotes.",
  InvalidNumberFormat: "this is not a number.",
  InvalidCommentToken: "comments are // or /* */.",
  UnexpectedEndOfComment: "this comment is not closed.",
  UnexpectedEndOfString: "this string has no closing quote on its line.",
  UnexpectedEndOfNumber: "this number is incomplete.",
  InvalidUnicode: "\\u takes four hexadecimal digits.",
  InvalidEscapeCharacter: "a backslash in a string is written \\\\.",
  InvalidCharacter: "this string contains a character that must be escaped.",
};

const syntaxProblem = (code: string): string => SYNTAX[code] ?? "this is not JSON.";
