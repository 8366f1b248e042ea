/** Puts one server into a JSON file of a client, comments and all other bytes left as they are. */
import { isDeepStrictEqual } from "node:util";
import type { Node, ParseError } from "jsonc-parser";
import { type ClientEntry, OTHER_TRANSPORT } from "./clients.js";
import { EntryProblem } from "./entry-problem.js";
import { withProperty } from "./json-insert.js";

type Jsonc = typeof import("jsonc-parser");

const OPTIONS = { allowTrailingComma: true, allowEmptyContent: true } as const;

/**
 * The text with the server under `key`. What else its entry of that name held stays, but for another transport's. What
 * comes out is parsed again and has to say the same but for this entry.
 * @throws EntryProblem when the text is no JSON, or holds something else where the servers should be.
 */
export async function withJsonEntry(text: string, key: string, name: string, entry: ClientEntry): Promise<string> {
  const jsonc = await import("jsonc-parser");
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const json = text.slice(mark.length);
  const before = objectIn(json, jsonc);
  const servers = before?.[key];
  if (servers !== undefined && !isObject(servers)) throw new EntryProblem(`"${key}" in it is no object`);
  const old = servers?.[name];
  const wanted: Record<string, unknown> = isObject(old) ? { ...old, ...entry } : { ...entry };
  for (const other of OTHER_TRANSPORT) delete wanted[other];
  if (isDeepStrictEqual(old, wanted)) return text;
  const changed = isObject(old)
    ? withChanges(json, [key, name], old, entry, jsonc)
    : withNewEntry(json, key, name, wanted, jsonc);
  const expected = { ...before, [key]: { ...servers, [name]: wanted } };
  if (!isDeepStrictEqual(objectIn(changed, jsonc), expected))
    throw new EntryProblem("it could not be changed without harm");
  return mark + changed;
}

function objectIn(text: string, jsonc: Jsonc): Record<string, unknown> | undefined {
  const errors: ParseError[] = [];
  const parsed = parse();
  const [first] = errors;
  if (first !== undefined) throw new EntryProblem(`it is no JSON at line ${lineAt(text, first.offset)}`);
  if (parsed !== undefined && !isObject(parsed)) throw new EntryProblem("it holds no JSON object");
  return parsed;

  function parse(): unknown {
    try {
      return jsonc.parse(text, errors, OPTIONS);
    } catch {
      // The parser goes as deep as the text does, and the stack of calls has an end.
      throw new EntryProblem("it is nested too deeply to be read");
    }
  }
}

function withNewEntry(text: string, key: string, name: string, entry: unknown, jsonc: Jsonc): string {
  const root = jsonc.parseTree(text, [], OPTIONS);
  if (root === undefined) {
    const gap = text === "" || text.endsWith("\n") ? "" : "\n";
    return `${text}${gap}${JSON.stringify({ [key]: { [name]: entry } }, null, 2)}`;
  }
  const servers = jsonc.findNodeAtLocation(root, [key]);
  if (servers === undefined) return withProperty(text, root, key, { [name]: entry });
  // Whatever stood there under this name was no object.
  const value = jsonc.findNodeAtLocation(servers, [name]);
  return value === undefined ? withProperty(text, servers, name, entry) : replaced(text, value, entry);
}

/** Key by key, so that comments within the entry stay. */
function withChanges(
  text: string,
  path: readonly string[],
  old: Record<string, unknown>,
  entry: ClientEntry,
  jsonc: Jsonc,
): string {
  let json = text;
  for (const other of OTHER_TRANSPORT)
    if (Object.hasOwn(old, other)) json = jsonc.applyEdits(json, jsonc.modify(json, [...path, other], undefined, {}));
  for (const [key, value] of Object.entries(entry)) {
    if (isDeepStrictEqual(old[key], value)) continue;
    const root = jsonc.parseTree(json, [], OPTIONS)!;
    const node = jsonc.findNodeAtLocation(root, [...path, key]);
    json =
      node === undefined
        ? withProperty(json, jsonc.findNodeAtLocation(root, [...path])!, key, value)
        : replaced(json, node, value);
  }
  return json;
}

const replaced = (text: string, { offset, length }: Node, value: unknown): string =>
  text.slice(0, offset) + JSON.stringify(value) + text.slice(offset + length);

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split(/\r\n|\r|\n/).length;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
