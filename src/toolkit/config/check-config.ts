/** Checks a parsed configuration against the schema and words what is wrong for the user who has to mend it. */
import { nearestNames } from "../../text/index.js";
import type { ConfigSchema } from "./schema-keywords.js";

/** A value where it stands in the text; a property is a node with its key and its value as children. */
export interface ConfigNode {
  readonly type: "object" | "array" | "property" | "string" | "number" | "boolean" | "null";
  /** UTF-16 units from the start of the text. */
  readonly offset: number;
  readonly value?: unknown;
  readonly children?: readonly ConfigNode[];
}

export interface ConfigProblem {
  readonly offset: number;
  /** What came, what is accepted; a sentence. */
  readonly message: string;
}

/** Longer values are cut in messages. */
const MAX_SHOWN = 60;

/** Everything that is wrong, in the order of the text. An accepted value gives nothing. */
export function checkConfig(node: ConfigNode, schema: ConfigSchema, path = ""): readonly ConfigProblem[] {
  if (schema.anyOf !== undefined) {
    const branch = branchFor(node, schema.anyOf);
    return branch === undefined ? [typeProblem(node, schema, path)] : checkConfig(node, branch, path);
  }
  if (!fits(node, schema)) return [typeProblem(node, schema, path)];
  if (node.type === "array") return checkItems(node, schema, path);
  if (node.type === "object") return checkObject(node, schema, path);
  return [];
}

/** The value without its places. */
export function configValue(node: ConfigNode): unknown {
  if (node.type === "array") return (node.children ?? []).map(configValue);
  if (node.type !== "object") return node.value;
  return Object.fromEntries(propertiesOf(node).map(({ key, value }) => [key, configValue(value)]));
}

/** The value of a key of an object. */
export function memberOf({ children = [] }: ConfigNode, key: string): ConfigNode | undefined {
  return children.find((property) => property.children?.[0]?.value === key)?.children?.[1];
}

function fits({ type, value }: ConfigNode, schema: ConfigSchema): boolean {
  if (schema.enum !== undefined) return schema.enum.includes(value as string | boolean);
  if (schema.type === "integer") {
    if (typeof value !== "number" || !Number.isInteger(value)) return false;
    return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  }
  if (schema.type !== type) return false;
  if (typeof value !== "string") return true;
  return value.length >= (schema.minLength ?? 0) && (schema.pattern === undefined || matches(schema.pattern, value));
}

/** The alternative that is meant: of the same kind, and with the keys that make it that one. */
function branchFor(node: ConfigNode, branches: readonly ConfigSchema[]): ConfigSchema | undefined {
  const keys = node.type === "object" ? propertiesOf(node).map(({ key }) => key) : [];
  return branches.find((branch) => fits(node, branch) && (branch.required ?? []).every((key) => keys.includes(key)));
}

function checkItems(node: ConfigNode, schema: ConfigSchema, path: string): readonly ConfigProblem[] {
  const items = node.children ?? [];
  const seen = new Set<unknown>();
  return items.flatMap((item, index) => {
    const problems = schema.items === undefined ? [] : checkConfig(item, schema.items, `${path}[${index}]`);
    const isAgain = schema.uniqueItems === true && item.type !== "object" && seen.has(item.value);
    seen.add(item.value);
    if (problems.length > 0 || !isAgain) return problems;
    return [{ offset: item.offset, message: `"${path}" holds ${shown(item)} twice; remove one.` }];
  });
}

function checkObject(node: ConfigNode, schema: ConfigSchema, path: string): readonly ConfigProblem[] {
  const seen = new Set<string>();
  const problems = propertiesOf(node).flatMap(({ key, keyOffset, value }): readonly ConfigProblem[] => {
    const at = path === "" ? key : `${path}.${key}`;
    if (seen.has(key)) return [{ offset: keyOffset, message: `"${at}" is set twice; remove one.` }];
    seen.add(key);
    const inner = schemaOf(schema, key);
    if (inner === undefined) return [{ offset: keyOffset, message: unknownKey(key, schema, path) }];
    return checkConfig(value, inner, at);
  });
  const missing = (schema.required ?? []).filter((key) => !seen.has(key));
  return [...problems, ...missing.map((key) => ({ offset: node.offset, message: `"${path}" lacks "${key}".` }))];
}

function schemaOf(schema: ConfigSchema, key: string): ConfigSchema | undefined {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, key)) return schema.properties[key];
  return Object.entries(schema.patternProperties ?? {}).find(([pattern]) => matches(pattern, key))?.[1];
}

function unknownKey(key: string, schema: ConfigSchema, path: string): string {
  const where = path === "" ? "" : ` in "${path}"`;
  const known = Object.keys(schema.properties ?? {});
  const reported = `there is no key "${shortened(key)}"${where}.`;
  const [nearest] = nearestNames(key, known, 1);
  if (nearest !== undefined) return `${reported} Did you mean "${nearest}"?`;
  if (known.length > 0) return `${reported} There are ${known.join(", ")}.`;
  return `${reported} A key there matches ${Object.keys(schema.patternProperties ?? {}).join(" or ")}.`;
}

function typeProblem(node: ConfigNode, schema: ConfigSchema, path: string): ConfigProblem {
  const [nearest] =
    typeof node.value === "string"
      ? nearestNames(
          node.value,
          (schema.enum ?? []).filter((one) => typeof one === "string"),
          1,
        )
      : [];
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  const name = path === "" ? "the whole" : `"${path}"`;
  return { offset: node.offset, message: `${name} is ${shown(node)}; expected ${accepted(schema)}.${hint}` };
}

/** What a schema accepts, as it reads after "expected". */
export function accepted(schema: ConfigSchema): string {
  if (schema.enum !== undefined) return schema.enum.map((one) => JSON.stringify(one)).join(", ");
  if (schema.title !== undefined && schema.$schema === undefined) return schema.title;
  if (schema.anyOf !== undefined) return schema.anyOf.map(accepted).join(" or ");
  if (schema.type === "integer") return `an integer from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === "array")
    return schema.items === undefined ? "a list" : `a list; each item is ${accepted(schema.items)}`;
  return { object: "an object", string: "a text", boolean: "true or false" }[schema.type ?? "object"];
}

function shown(node: ConfigNode): string {
  if (node.type === "object") return "an object";
  return node.type === "array" ? "a list" : shortened(JSON.stringify(node.value));
}

const shortened = (text: string): string => (text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`);

/** The patterns are the schema's own, none of which can take long. */
const matches = (pattern: string, text: string): boolean => new RegExp(pattern, "u").test(text);

interface Property {
  readonly key: string;
  readonly keyOffset: number;
  readonly value: ConfigNode;
}

function propertiesOf(node: ConfigNode): readonly Property[] {
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) return [];
    return [{ key: String(key.value), keyOffset: key.offset, value }];
  });
}
