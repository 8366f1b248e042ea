/** Puts one server into a TOML file of a client, comments and all other bytes left as they are. */
import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../../kernel/index.js";
import { type ClientEntry, OTHER_TRANSPORT } from "./clients.js";
import { EntryProblem } from "./entry-problem.js";

type Parse = (text: string) => Record<string, unknown>;

/** Lines that one statement may take; only a long list or text takes more than one. */
const MAX_LINES = 2_000;

/**
 * The text with the server as the table `[key.name]`. Other keys of a table of that name stay, but for another transport's.
 * What comes out is parsed again and has to say the same but for this entry.
 * @throws EntryProblem when the text is no TOML, or the entry is not a table of its own.
 */
export async function withTomlEntry(text: string, key: string, name: string, entry: ClientEntry): Promise<string> {
  const { parse } = await import("smol-toml");
  const before = read(text);
  const servers = before[key];
  if (servers !== undefined && !isObject(servers)) throw new EntryProblem(`"${key}" in it is no table`);
  const old = servers?.[name];
  const wanted: Record<string, unknown> = isObject(old) ? { ...old, ...entry } : { ...entry };
  for (const other of OTHER_TRANSPORT) delete wanted[other];
  if (isDeepStrictEqual(plainly(old), plainly(wanted))) return text;
  const changed = isObject(old) ? inTable(text, key, name, entry, parse) : appended(text, key, name, entry);
  const expected = { ...before, [key]: { ...servers, [name]: wanted } };
  let after: unknown;
  try {
    after = changed === undefined ? undefined : plainly(parse(changed));
  } catch {
    // A table that is written inline takes no other by a header.
  }
  if (changed === undefined || !isDeepStrictEqual(after, plainly(expected)))
    throw new EntryProblem(`its "${key}" is not written as tables of their own`);
  return changed;

  function read(value: string): Record<string, unknown> {
    try {
      return parse(value);
    } catch (error) {
      throw new EntryProblem(`it is no TOML: ${messageOf(error).split("\n")[0]}`);
    }
  }
}

/** The table as it stands in a file. */
export function tomlTable(key: string, name: string, entry: ClientEntry): string {
  return [`[${key}.${tomlKey(name)}]`, ...statements(entry)].join("\n");
}

const statements = (entry: ClientEntry): readonly string[] =>
  Object.entries(entry).map(([key, value]) => `${key} = ${tomlValue(value)}`);

function tomlValue(value: string | boolean | readonly string[]): string {
  // Texts of JSON are texts of TOML, but for one character that JSON leaves bare.
  if (typeof value === "string") return JSON.stringify(value).replaceAll("\u007f", "\\u007f");
  return typeof value === "boolean" ? String(value) : `[${value.map(tomlValue).join(", ")}]`;
}

const tomlKey = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name));

function appended(text: string, key: string, name: string, entry: ClientEntry): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
  return `${text}${gap}${tomlTable(key, name, entry).replaceAll("\n", eol)}${eol}`;
}

/** The text with the statements of an existing table changed; undefined when there is no such table. */
function inTable(text: string, key: string, name: string, entry: ClientEntry, parse: Parse): string | undefined {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const out: string[] = [];
  const missing = new Map(Object.entries(entry));
  let isOurs = false;
  let headerAt: number | undefined;
  for (const { lines, value } of statementsOf(text, parse)) {
    const isHeader = /^\s*\[/.test(lines[0] ?? "");
    if (isHeader) isOurs = isDeepStrictEqual(plainly(value), { [key]: { [name]: {} } });
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

/** A statement is as few lines as can be parsed by themselves. */
function statementsOf(text: string, parse: Parse): readonly Statement[] {
  const all = text.split(/\r?\n/);
  const found: Statement[] = [];
  for (let start = 0; start < all.length; ) {
    let end = start + 1;
    let value = tried(all.slice(start, end), parse);
    while (value === undefined && end < all.length && end - start < MAX_LINES)
      value = tried(all.slice(start, ++end), parse);
    if (value === undefined) return [];
    found.push({ lines: all.slice(start, end), value });
    start = end;
  }
  return found;
}

function tried(lines: readonly string[], parse: Parse): Record<string, unknown> | undefined {
  try {
    return parse(lines.join("\n"));
  } catch {
    return undefined;
  }
}

/** Without prototypes of the parser, so that equal is equal. */
function plainly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainly);
  if (!isObject(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plainly(one)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
