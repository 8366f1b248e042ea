/** Adds one server to a client's JSON file; comments and all other bytes are preserved. */
import { isDeepStrictEqual } from "node:util";
import type { Node, ParseError } from "jsonc-parser";
import { type ClientEntry, EntryProblem, OTHER_TRANSPORT } from "./clients.js";
import { withProperty } from "./json-insert.js";

type Jsonc = typeof import("jsonc-parser");

const OPTIONS = { allowTrailingComma: true, allowEmptyContent: true } as const;

/**
 * The text with the server under `key`. Other keys of an existing entry are preserved, except those of another transport. The result
 * is parsed again and compared.
 * @throws EntryProblem if the text is not JSON, or `key` is not an object
 */
export async function withJsonEntry(text: string, key: string, name: string, entry: ClientEntry): Promise<string> {
  const jsonc = await import("jsonc-parser");
  const bom = text.startsWith("\ufeff") ? "\ufeff" : "";
  const json = text.slice(bom.length);
  const before = objectIn(json, jsonc);
  const servers = before?.[key];
  if (servers !== undefined && !isObject(servers)) throw new EntryProblem(`"${key}" in it is not an object`);
  const old = servers?.[name];
  const expectedEntry: Record<string, unknown> = isObject(old) ? { ...old, ...entry } : { ...entry };
  for (const other of OTHER_TRANSPORT) delete expectedEntry[other];
  if (isDeepStrictEqual(old, expectedEntry)) return text;
  const changed = isObject(old)
    ? withChanges(json, [key, name], old, entry, jsonc)
    : withNewEntry(json, key, name, expectedEntry, jsonc);
  const expected = { ...before, [key]: { ...servers, [name]: expectedEntry } };
  if (!isDeepStrictEqual(objectIn(changed, jsonc), expected))
    throw new EntryProblem("it could not be changed without changing other content");
  return bom + changed;
}

function objectIn(text: string, jsonc: Jsonc): Record<string, unknown> | undefined {
  const errors: ParseError[] = [];
  const parsed = parse();
  const [first] = errors;
  if (first !== undefined) throw new EntryProblem(`it is not valid JSON at line ${lineAt(text, first.offset)}`);
  if (parsed !== undefined && !isObject(parsed)) throw new EntryProblem("it is not a JSON object");
  return parsed;

  function parse(): unknown {
    try {
      return jsonc.parse(text, errors, OPTIONS);
    } catch {
      // The recursive parser exceeded the stack.
      throw new EntryProblem("it is nested too deeply");
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
  // An existing value of this name is not an object here.
  const value = jsonc.findNodeAtLocation(servers, [name]);
  return value === undefined ? withProperty(text, servers, name, entry) : replaced(text, value, entry);
}

/** Key by key, so that comments within the entry are preserved. */
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
