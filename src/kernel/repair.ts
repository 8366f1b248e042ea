/**
 * Repairs what models get wrong in the form of arguments, guided by the schema. It reports each repair, and leaves the rest for
 * validation. A string where the schema accepts a string is never changed.
 */
import { nearestNames } from "../text/index.js";
import { isRecord } from "./coerce.js";
import type { JsonSchema } from "./schema.js";
import { createSchemaReader, type SchemaReader } from "./schema-reader.js";
import { shownName } from "./shown-name.js";

interface Repaired {
  readonly value: unknown;
  /** One sentence for each repair. */
  readonly notes: readonly string[];
  /** Why the call must not run, as a clause and the next step. */
  readonly problem?: string;
}

interface RepairOptions {
  readonly aliases?: Readonly<Record<string, string>>;
  /** What happens to an unknown parameter that is not a misspelling: left for validation to refuse, or dropped with a note. */
  readonly unknownParameter: "refuse" | "ignore";
  /**
   * The optional parameters whose empty value (`""`, `[]`, `{}`) has a meaning; every other empty one counts as absent.
   * Without this list the schema decides: what it does not accept as empty counts as absent.
   */
  readonly acceptsEmpty?: readonly string[];
  /**
   * Parameters that are conditions of the call: an empty one is refused, because ignoring it would drop the condition. Null means
   * absent here too: clients with strict schemas send it for every parameter that they leave out.
   */
  readonly preconditions?: readonly string[];
}

/** The state of the repair of one call. */
interface Repairing {
  readonly options: RepairOptions;
  readonly reader: SchemaReader;
  readonly notes: string[];
  /** Optional parameters that came empty. */
  readonly absent: string[];
  /** Preconditions among them. */
  readonly unmet: string[];
}

/** Maximum number of parameters in one note. */
const MAX_NAMED = 20;

export function repair(sent: unknown, schema: JsonSchema, options: RepairOptions): Repaired {
  const notes: string[] = [];
  const absent: string[] = [];
  const unmet: string[] = [];
  const repairing = { options, reader: createSchemaReader(schema), notes, absent, unmet };
  const value = bareArray(sent, schema, repairing);
  const part = repairing.reader.partFor(schema, value);
  if (!isRecord(value) || !isRecord(part.schema.properties)) return { value, notes };
  const named = renameParameters(value, part.schema, options, "", notes);
  const repaired = repairMembers(named, part, "", repairing);
  if (absent.length > 0) notes.push(absentNote(absent));
  const [first] = unmet;
  if (first === undefined) return { value: repaired, notes };
  return { value: repaired, notes, problem: `\`${first}\` is empty. Give it a value, or leave it out` };
}

/** One note for all of them: some models send every parameter. */
function absentNote(absent: readonly string[]): string {
  const named = absent.slice(0, MAX_NAMED).map((name) => `\`${name}\``);
  const more = absent.length > MAX_NAMED ? ` and ${absent.length - MAX_NAMED} more` : "";
  return `Ignored because empty: ${named.join(", ")}${more}.`;
}

/** An array in place of the arguments object, where the tool's only parameter is an array. */
function bareArray(sent: unknown, schema: JsonSchema, { options, reader, notes }: Repairing): unknown {
  if (!Array.isArray(sent) || !isRecord(schema.properties) || options.unknownParameter === "ignore") return sent;
  const [only, ...others] = Object.entries(schema.properties as Readonly<Record<string, JsonSchema>>);
  if (only === undefined || others.length > 0 || !reader.accepts(only[1], "array")) return sent;
  notes.push(`The arguments were an array and were taken as \`${only[0]}\`.`);
  return { [only[0]]: sent };
}

function renameParameters(
  value: Readonly<Record<string, unknown>>,
  schema: JsonSchema,
  options: RepairOptions,
  at: string,
  notes: string[],
): Readonly<Record<string, unknown>> {
  const known = Object.keys(schema.properties as object);
  const keys = Object.keys(value);
  if (keys.every((key) => known.includes(key))) return value;
  const out: Record<string, unknown> = {};
  let ignored = 0;
  for (const key of keys) if (known.includes(key)) setOwn(out, key, value[key]);
  for (const key of byAlias(keys, options.aliases)) {
    if (known.includes(key)) continue;
    const free = known.filter((name) => !Object.hasOwn(out, name));
    const alias =
      options.aliases !== undefined && Object.hasOwn(options.aliases, key) ? options.aliases[key] : undefined;
    const target = alias !== undefined && free.includes(alias) ? alias : misspelling(key, free);
    if (target !== undefined) {
      setOwn(out, target, value[key]);
      // One for all items of a list.
      const note = `\`${inside(at.replace(/\[\d+\]/g, "[]"), shownName(key))}\` was taken as \`${target}\`.`;
      if (!notes.includes(note)) notes.push(note);
    } else if (options.unknownParameter === "ignore" && schema.additionalProperties !== true) {
      if (++ignored <= MAX_NAMED) notes.push(`\`${shownName(key)}\` is not a parameter and was ignored.`);
    } else {
      setOwn(out, key, value[key]);
    }
  }
  if (ignored > MAX_NAMED) notes.push(`${ignored - MAX_NAMED} more unknown parameters were ignored.`);
  return out;
}

/** Of two aliases of one parameter, the one that the dialect lists first counts. */
function byAlias(keys: readonly string[], aliases: Readonly<Record<string, string>> = {}): readonly string[] {
  const order = Object.keys(aliases);
  const rank = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);
  return [...keys].sort((a, b) => rank(a) - rank(b));
}

const inside = (at: string, name: string): string => (at === "" ? name : `${at}.${name}`);

/** The only unused name that `key` can be a misspelling of: other case, `_`, `-` or other punctuation, or one typo. */
function misspelling(key: string, free: readonly string[]): string | undefined {
  const plain = plainName(key);
  const same = free.filter((name) => plainName(name) === plain);
  if (same.length === 1) return same[0];
  const letters = lettersOf(key);
  const alike = letters === "" ? [] : free.filter((name) => lettersOf(name) === letters);
  if (alike.length === 1) return alike[0];
  if (plain.length < 5) return undefined;
  const near = nearestNames(key, free, 2).filter((name) => isOneTypo(plainName(name), plain));
  return near.length === 1 ? near[0] : undefined;
}

const plainName = (name: string): string => name.toLowerCase().replace(/[_-]/g, "");

/** A name without punctuation: providers accept no `filter[id]`, so that it is offered as `filter_id_`. */
const lettersOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/** One letter missing, added, changed, or two neighbours swapped. */
function isOneTypo(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start++;
  const restOf = (text: string, skipped: number) => text.slice(start + skipped);
  if (a.length === b.length) {
    const swapped = a[start] === b[start + 1] && a[start + 1] === b[start] && restOf(a, 2) === restOf(b, 2);
    return swapped || restOf(a, 1) === restOf(b, 1);
  }
  return a.length > b.length ? restOf(a, 1) === restOf(b, 0) : restOf(a, 0) === restOf(b, 1);
}

function repairMembers(
  value: Readonly<Record<string, unknown>>,
  { schema, elsewhere }: ReturnType<SchemaReader["partFor"]>,
  at: string,
  repairing: Repairing,
): Readonly<Record<string, unknown>> {
  const properties = schema.properties as Readonly<Record<string, JsonSchema>>;
  const required = Array.isArray(schema.required) ? schema.required : [];
  let out: Record<string, unknown> | undefined;
  for (const [key, member] of Object.entries(value)) {
    const memberSchema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const isOptional = memberSchema === undefined ? elsewhere.has(key) && member === null : !required.includes(key);
    if (isOptional && isUninformative(member, key, memberSchema, repairing)) {
      out ??= { ...value };
      delete out[key];
      if (member === null) continue; // what clients with strict schemas send for a parameter that they leave out
      const isUnmet = repairing.options.preconditions?.includes(key) === true;
      (isUnmet ? repairing.unmet : repairing.absent).push(inside(at, key));
      continue;
    }
    if (!isRecord(memberSchema)) continue;
    const repaired = repairValue(member, memberSchema, inside(at, key), repairing);
    if (repaired === member) continue;
    out ??= { ...value };
    setOwn(out, key, repaired);
  }
  return out ?? value;
}

/** Whether an optional value is null or empty and can only mean that it is absent. */
function isUninformative(
  value: unknown,
  key: string,
  declared: JsonSchema | undefined,
  { options, reader }: Repairing,
): boolean {
  const kind = emptyKind(value);
  if (kind === undefined) return false;
  if (!isRecord(declared)) return declared === undefined; // `true` accepts everything
  const schema = reader.resolved(declared);
  if (schema.default === value && value !== null) return false;
  const least = { string: schema.minLength, array: schema.minItems, object: schema.minProperties, null: 0 }[kind];
  if (Number(least) > 0 || reader.refuses(declared, kind, value)) return true;
  if (Array.isArray(schema.enum)) return false;
  return kind !== "null" && options.acceptsEmpty !== undefined && !options.acceptsEmpty.includes(key);
}

function emptyKind(value: unknown): "null" | "string" | "array" | "object" | undefined {
  if (value === null) return "null";
  if (value === "") return "string";
  if (Array.isArray(value)) return value.length === 0 ? "array" : undefined;
  return isRecord(value) && Object.keys(value).length === 0 ? "object" : undefined;
}

function repairValue(value: unknown, declared: JsonSchema, at: string, repairing: Repairing): unknown {
  const { options, reader, notes } = repairing;
  const repaired = reshape(value, reader.resolved(declared), at, repairing);
  const part = reader.partFor(declared, repaired);
  const { schema } = part;
  if (Array.isArray(repaired) && isRecord(schema.items)) {
    const items = schema.items;
    const list = repaired.map((item, index) => repairValue(item, items, `${at}[${index}]`, repairing));
    return list.some((item, index) => item !== repaired[index]) ? list : repaired;
  }
  if (!isRecord(repaired) || !isRecord(schema.properties)) return repaired;
  const named =
    options.unknownParameter === "ignore" ? repaired : renameParameters(repaired, schema, options, at, notes);
  return repairMembers(named, part, at, repairing);
}

/** Converts a value to the schema's type where only one conversion is possible. */
function reshape(value: unknown, schema: JsonSchema, at: string, repairing: Repairing): unknown {
  const { options, reader, notes } = repairing;
  if (typeof value === "number") return atMost(value, schema, at, notes);
  if (typeof value === "string" && !reader.accepts(schema, "string")) return fromString(value, schema, at, repairing);
  if (options.unknownParameter === "refuse") {
    if (typeof value === "string" && Array.isArray(schema.enum)) return fromEnum(value, schema.enum, at, notes);
    if (Array.isArray(value) && !reader.accepts(schema, "array")) return unwrapArray(value, schema, at, repairing);
  }
  if (reader.accepts(schema, "array") && !Array.isArray(value) && value !== null && value !== undefined) {
    return wrapInArray(value, schema, at, repairing);
  }
  return value;
}

function fromString(value: string, schema: JsonSchema, at: string, repairing: Repairing): unknown {
  const { reader, notes } = repairing;
  const accepts = (type: string) => reader.accepts(schema, type);
  const trimmed = value.trim();
  if ((accepts("integer") || accepts("number")) && /^-?\d+(\.\d+)?$/.test(trimmed)) {
    notes.push(`\`${at}\` was a string and was converted to the number ${trimmed}.`);
    return atMost(Number(trimmed), schema, at, notes);
  }
  if (accepts("boolean") && /^(true|false)$/i.test(trimmed)) {
    notes.push(`\`${at}\` was a string and was converted to ${trimmed.toLowerCase()}.`);
    return trimmed.toLowerCase() === "true";
  }
  const acceptsArray = accepts("array");
  const acceptsObject =
    accepts("object") || (acceptsArray && isRecord(schema.items) && reader.accepts(schema.items, "object"));
  if ((acceptsArray && trimmed.startsWith("[")) || (acceptsObject && trimmed.startsWith("{"))) {
    const parsed = parsedOrUndefined(trimmed);
    if (parsed !== undefined) {
      notes.push(`\`${at}\` was a JSON string and was parsed.`);
      return isRecord(parsed) && !accepts("object") ? wrapInArray(parsed, schema, at, repairing) : parsed;
    }
  }
  return acceptsArray ? wrapInArray(value, schema, at, repairing) : value;
}

/** The only enum value that differs just in case, `_` and `-`. */
function fromEnum(value: string, choices: readonly unknown[], at: string, notes: string[]): unknown {
  if (choices.includes(value)) return value;
  const same = choices.filter((one) => typeof one === "string" && plainName(one) === plainName(value));
  if (same.length !== 1) return value;
  notes.push(`\`${at}\` ${shownName(value)} was taken as ${String(same[0])}.`);
  return same[0];
}

/** Unwraps an array of one string where a string is expected. Anything else is ambiguous. */
function unwrapArray(list: readonly unknown[], schema: JsonSchema, at: string, { reader, notes }: Repairing): unknown {
  const [item] = list;
  if (list.length !== 1 || typeof item !== "string" || !reader.accepts(schema, "string")) return list;
  notes.push(`\`${at}\` was an array of one item and was replaced by that item.`);
  return item;
}

function wrapInArray(value: unknown, schema: JsonSchema, at: string, { reader, notes }: Repairing): unknown {
  const items = isRecord(schema.items) ? schema.items : {};
  const kind = typeof value === "object" ? "object" : typeof value;
  if (!reader.accepts(items, kind) && !(kind === "number" && reader.accepts(items, "integer"))) return value;
  notes.push(`\`${at}\` was a single item and was wrapped in an array.`);
  return [value];
}

/** Reduces a number above the maximum to it. Numbers that are too small or fractional are left for validation. */
function atMost(value: number, schema: JsonSchema, at: string, notes: string[]): number {
  const maximum = schema.maximum;
  if (typeof maximum !== "number" || !(value > maximum)) return value;
  notes.push(`\`${at}\` ${value} exceeds the maximum and was reduced to ${maximum}.`);
  return maximum;
}

/** Sets a member of any name: assigning to `__proto__` would set the prototype, and its members would pass for arguments. */
function setOwn(holder: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") holder[key] = value;
  else Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Undefined where the text is not JSON. */
function parsedOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
