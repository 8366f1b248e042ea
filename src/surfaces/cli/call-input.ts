/** The parameters that `haft call` is given: name=value words, or one JSON object. */
import type { JsonSchema } from "../../kernel/index.js";
import { nearestNames } from "../../text/index.js";
import { kindsOf, propertiesOf, shellWord } from "./parameter-text.js";
import { UsageError } from "./usage.js";

/** What came after the tool's name, before the tool's schema is known. */
export type GivenInput = { readonly json: unknown } | { readonly words: readonly string[] };

/**
 * A word that begins with `{` is a JSON object, "-" is one on stdin; all others wait for the schema.
 * @throws UsageError when it is not valid JSON; the message says where.
 */
export async function readInput(words: readonly string[], stdin: NodeJS.ReadStream): Promise<GivenInput> {
  const [first = "", ...others] = words;
  const isStdin = first === "-";
  if (hasNoInput(words)) return { json: {} };
  if (words.some(isOption) || !(isStdin || first.trimStart().startsWith("{"))) return { words };
  if (others.length > 0) {
    throw new UsageError(
      `Did not run: ${JSON.stringify(others[0])} follows INPUT, which is the whole input. Give all parameters as name=value, or all of them as one JSON object.`,
    );
  }
  try {
    return { json: JSON.parse(isStdin ? await readAll(stdin) : first) };
  } catch (error) {
    const source = isStdin ? "stdin" : "INPUT";
    throw new UsageError(
      `Did not run: ${source} is not valid JSON (${(error as Error).message.replace(/\s+/g, " ")}). Give name=value words such as path=README.md, or an object such as '{"path":"README.md"}' in single quotes.`,
    );
  }
}

/**
 * The input as the tool gets it. Values become what the schema says; one that does not fit stays a text, so that the tool's own
 * validation explains it.
 *
 * @param schema - Of the tool's parameters; undefined where there is no such tool.
 * @param options - The options of the command, to suggest one for a misspelt option.
 * @throws UsageError for a word that is neither name=value nor an option
 */
export function inputOf(given: GivenInput, schema: JsonSchema | undefined, options: readonly string[]): unknown {
  if ("json" in given) return given.json;
  const properties = propertiesOf(schema);
  const wrong = given.words.findIndex(isOption);
  if (wrong >= 0) throw unknownOption(given.words.slice(wrong), Object.keys(properties), options);
  const input = new Map<string, unknown>();
  for (const word of given.words) {
    const split = word.indexOf("=");
    if (split < 1) {
      throw new UsageError(
        `Did not run: ${JSON.stringify(word)} is not name=value. Give each parameter as one word, such as ${Object.keys(properties)[0] ?? "path"}=${shellWord(split === 0 ? "VALUE" : word)}, or all of them as one JSON object.`,
      );
    }
    const name = word.slice(0, split);
    if (input.has(name))
      throw new UsageError(
        `Did not run: ${JSON.stringify(name)} is given twice. Give it once; a list is written as JSON: ${name}='["a","b"]'.`,
      );
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    input.set(name, own === undefined ? word.slice(split + 1) : typedValue(word.slice(split + 1), own));
  }
  return Object.fromEntries(input);
}

/** Whether nothing was given: a shell variable that is not set gives an empty word. */
export function hasNoInput(words: readonly string[]): boolean {
  return words.every((word) => word.trim() === "");
}

/** By the kinds that the parameter takes. A parameter that takes a string as well gets other JSON only where that fits exactly. */
function typedValue(text: string, schema: JsonSchema): unknown {
  const kinds = kindsOf(schema);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const kind = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  return kinds.includes(kind) || (kind === "number" && kinds.includes("integer")) ? value : text;
}

function isOption(word: string): boolean {
  return word.startsWith("-") && word !== "-";
}

function unknownOption(
  [option = "", next]: readonly string[],
  parameters: readonly string[],
  options: readonly string[],
): UsageError {
  const [, name = "", value = next ?? "VALUE"] = /^-+([^=]*)(?:=(.*))?$/s.exec(option) ?? [];
  const [nearest] = nearestNames(`--${name}`, options, 1);
  const parameter = parameters.includes(name) ? name : nearestNames(name, parameters, 1)[0];
  const isParameter = parameter === name || nearest === undefined;
  const hint =
    isParameter && parameter !== undefined
      ? `Give a parameter of the tool without dashes: \`${parameter}=${shellWord(value)}\``
      : nearest === undefined
        ? "`haft call --help` lists the options"
        : `Did you mean ${nearest}?`;
  return new UsageError(`Did not run: unknown option '${option}'. ${hint.endsWith("?") ? hint : `${hint}.`}`);
}

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  if (stdin.isTTY) process.stderr.write("Reading INPUT from stdin; end it with Ctrl+D.\n");
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
