/** Adds one server to a client's TOML file; comments and all other bytes are preserved. */
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../../kernel/index.js";
import { type ClientEntry, EntryProblem, OTHER_TRANSPORT } from "./clients.js";

type Parse = (text: string) => Record<string, unknown>;

const MAX_STATEMENT_LINES = 2_000;

/**
 * The text with the server as the table `[key.name]`. Other keys of an existing table are preserved, except those of another
 * transport. The result is parsed again and compared.
 * @throws EntryProblem if the text is not TOML, or the entry is not a separate table
 */
export async function withTomlEntry(text: string, key: string, name: string, entry: ClientEntry): Promise<string> {
  const { parse } = await import("smol-toml");
  const before = read(text);
  const servers = before[key];
  if (servers !== undefined && !isObject(servers)) throw new EntryProblem(`"${key}" in it is not a table`);
  const old = servers?.[name];
  const expectedEntry: Record<string, unknown> = isObject(old) ? { ...old, ...entry } : { ...entry };
  for (const other of OTHER_TRANSPORT) delete expectedEntry[other];
  if (isDeepStrictEqual(plainCopy(old), plainCopy(expectedEntry))) return text;
  const changed = isObject(old) ? inTable(text, key, name, entry, parse) : appended(text, key, name, entry);
  const expected = { ...before, [key]: { ...servers, [name]: expectedEntry } };
  let after: unknown;
  try {
    after = changed === undefined ? undefined : plainCopy(parse(changed));
  } catch {
    // An inline table cannot be extended by a header.
  }
  if (changed === undefined || !isDeepStrictEqual(after, plainCopy(expected)))
    throw new EntryProblem(`its "${key}" is not written as separate tables`);
  return changed;

  function read(value: string): Record<string, unknown> {
    try {
      return parse(value);
    } catch (error) {
      throw new EntryProblem(`it is not valid TOML: ${messageOf(error).split("\n")[0]}`);
    }
  }
}

export function tomlTable(key: string, name: string, entry: ClientEntry): string {
  return [`[${key}.${tomlKey(name)}]`, ...statements(entry)].join("\n");
}

const statements = (entry: ClientEntry): readonly string[] =>
  Object.entries(entry).map(([key, value]) => `${key} = ${tomlValue(value)}`);

function tomlValue(value: string | boolean | readonly string[]): string {
  // JSON strings are TOML strings, except that TOML requires DEL to be escaped.
  if (typeof value === "string") return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
  return typeof value === "boolean" ? String(value) : `[${value.map(tomlValue).join(", ")}]`;
}

const tomlKey = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));

function appended(text: string, key: string, name: string, entry: ClientEntry): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
  return `${text}${gap}${tomlTable(key, name, entry).replaceAll("\n", eol)}${eol}`;
}

/** The text with the statements of an existing table changed; undefined if there is no such table. */
function inTable(text: string, key: string, name: string, entry: ClientEntry, parse: Parse): string | undefined {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const out: string[] = [];
  const missing = new Map(Object.entries(entry));
  let isOurs = false;
  let headerAt: number | undefined;
  for (const { lines, value } of statementsOf(text, parse)) {
    const isHeader = /^\s*\[/.test(lines[0] ?? "");
    if (isHeader) isOurs = isDeepStrictEqual(plainCopy(value), { [key]: { [name]: {} } });
    const [statement] = isHeader || !isOurs ? [] : Object.keys(value);
    if (statement !== undefined && OTHER_TRANSPORT.includes(statement)) continue;
    const ours = statement === undefined ? undefined : missing.get(statement);
    if (statement !== undefined && ours !== undefined) {
      missing.delete(statement);
      out.push(...(isDeepStrictEqual(value[statement], ours) ? lines : [`${statement} = ${tomlValue(ours)}`]));
    } else out.push(...lines);
    if (isHeader && isOurs) headerAt = out.length;
  }
  if (headerAt === undefined) return undefined;
  out.splice(headerAt, 0, ...statements(Object.fromEntries(missing)));
  return out.join(eol);
}

interface Statement {
  readonly lines: readonly string[];
  readonly value: Record<string, unknown>;
}

/** A statement is the fewest lines that can be parsed on their own. */
function statementsOf(text: string, parse: Parse): readonly Statement[] {
  const all = text.split(/\r?\n/);
  const found: Statement[] = [];
  for (let start = 0; start < all.length; ) {
    let end = start + 1;
    let value = tryParse(all.slice(start, end), parse);
    while (value === undefined && end < all.length && end - start < MAX_STATEMENT_LINES)
      value = tryParse(all.slice(start, ++end), parse);
    if (value === undefined) return [];
    found.push({ lines: all.slice(start, end), value });
    start = end;
  }
  return found;
}

function tryParse(lines: readonly string[], parse: Parse): Record<string, unknown> | undefined {
  try {
    return parse(lines.join("\n"));
  } catch {
    return undefined;
  }
}

/** Without the parser's prototypes, so that values can be compared. */
function plainCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainCopy);
  if (!isObject(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plainCopy(one)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
