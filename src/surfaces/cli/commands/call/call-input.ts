/** Parses the parameters of `haft call`: name=value words, or one JSON object. */
import type { JsonSchema } from "../../../../kernel/index.js";
import { byteSize, nearestNames, shellWord } from "../../../../text/index.js";
import { kindsOf, propertiesOf } from "../../parameter-text.js";
import { UsageError } from "../../usage.js";

/** The words after the tool's name, before the tool's schema is available. */
type GivenInput = { readonly json: unknown } | { readonly words: readonly string[] };

/**
 * A word that begins with `{` is a JSON object, "-" reads one from stdin; other words are parsed with the schema later.
 * @throws UsageError for invalid JSON
 */
export async function readInput(words: readonly string[], stdin: NodeJS.ReadStream): Promise<GivenInput> {
  const [first = "", ...others] = words;
  const isStdin = first === "-";
  if (hasNoInput(words)) return { json: {} };
  if (words.some(isOption) || !(isStdin || first.trimStart().startsWith("{"))) return { words };
  if (others.length > 0) {
    throw new UsageError(
      `Did not run: ${JSON.stringify(others[0])} follows INPUT, which must be the only argument. Give all parameters as name=value, or all of them as one JSON object.`,
    );
  }
  try {
    return { json: JSON.parse(isStdin ? await readAll(stdin) : first) };
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const source = isStdin ? "stdin" : "INPUT";
    throw new UsageError(
      `Did not run: ${source} is not valid JSON (${(error as Error).message.replace(/\s+/g, " ")}). Give name=value words such as path=README.md, or an object such as '{"path":"README.md"}' in single quotes.`,
    );
  }
}

/**
 * The tool's input. Values are converted by the schema; one that does not match stays a string, so that the tool's own validation
 * reports it.
 *
 * @param schema - Of the tool's parameters; undefined if there is no such tool.
 * @param options - The options of the command, to suggest one for a misspelled option.
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
        `Did not run: ${JSON.stringify(name)} is given twice. Give it once; write a list as JSON: ${name}='["a","b"]'.`,
      );
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    input.set(name, own === undefined ? word.slice(split + 1) : typedValue(word.slice(split + 1), own));
  }
  return Object.fromEntries(input);
}

/** An unset shell variable gives an empty word, which counts as no input. */
export function hasNoInput(words: readonly string[]): boolean {
  return words.every((word) => word.trim() === "");
}

/** A parameter that also takes a string gets another type only if the JSON type matches exactly. */
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
      ? `Write parameters of the tool without dashes: \`${parameter}=${shellWord(value)}\``
      : nearest === undefined
        ? "`haft call --help` lists the options"
        : `Did you mean ${nearest}?`;
  return new UsageError(`Did not run: unknown option '${option}'. ${hint.endsWith("?") ? hint : `${hint}.`}`);
}

/** Bytes of INPUT on stdin; it is held in memory. */
const MAX_STDIN_BYTES = 64 * 1024 * 1024;

async function readAll(stdin: NodeJS.ReadStream): Promise<string> {
  if (stdin.isTTY) process.stderr.write("Reading INPUT from stdin; press Ctrl+D to end it.\n");
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_STDIN_BYTES)
      throw new UsageError(
        `Did not run: stdin has more than ${byteSize(MAX_STDIN_BYTES)}, the most that INPUT may have.`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
