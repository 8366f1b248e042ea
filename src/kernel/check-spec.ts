/** What can be seen of a tool's definition without compiling anything: its author hears of it at once, not a model later. */
import { HaftError } from "./errors.js";

/** What MCP and the interfaces of the large model providers all take; `server__tool` is one of another server. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const NAME_RULE = "must match [A-Za-z][A-Za-z0-9_-]* and have at most 64 characters";

const EFFECTS: readonly unknown[] = ["none", "read", "write"];
const TYPES: readonly unknown[] = ["object", "array", "string", "number", "integer", "boolean", "null"];

type Fields = Readonly<Record<string, unknown>>;

/** @throws `REGISTRY_INVALID_TOOL` that names the field. A schema is looked at from outside; it is compiled at the first call. */
export function checkSpec(spec: unknown): void {
  if (!isObject(spec))
    throw invalidTool(undefined, "a definition is an object with `name`, `description`, `input` and `run`");
  const { name } = spec;
  if (!isName(name)) throw invalidTool(name, `its \`name\` ${NAME_RULE}`);
  const problem = descriptionProblem(spec) ?? schemaProblem(spec) ?? effectProblem(spec);
  if (problem !== undefined) throw invalidTool(name, problem);
}

/** @throws `REGISTRY_INVALID_TOOL` for a name that no dialect may advertise. */
export function checkPresentedName(name: string): void {
  if (!isName(name)) throw invalidTool(name, `its name ${NAME_RULE}`);
}

export function invalidTool(name: unknown, why: string): HaftError {
  const named = typeof name === "string" ? ` "${name}"` : "";
  return new HaftError("REGISTRY_INVALID_TOOL", `Did not define the tool${named}: ${why}.`, {
    details: { ...(typeof name === "string" ? { name } : {}), why },
  });
}

function descriptionProblem({ description }: Fields): string | undefined {
  return typeof description === "string"
    ? undefined
    : `its \`description\` is ${shown(description)}; it takes the text that a model is shown`;
}

function schemaProblem(spec: Fields): string | undefined {
  const field = spec.input === undefined ? "parameters" : "input";
  const schema = spec[field];
  if (schema === undefined) return "it has neither `input` nor `parameters`";
  if (typeof schema === "function" && "~standard" in schema) return undefined;
  if (!isObject(schema)) return `its \`${field}\` is ${shown(schema)}; it takes a JSON Schema or a Standard Schema`;
  if ("~standard" in schema || schema.type === undefined) return undefined;
  const types: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  const unknown = types.find((type) => !TYPES.includes(type));
  if (unknown !== undefined)
    return `the type of its \`${field}\` is ${shown(unknown)}, which JSON Schema does not know`;
  return types.includes("object")
    ? undefined
    : `the type of its \`${field}\` is ${shown(schema.type)}; arguments come as an object, so it must be "object"`;
}

function effectProblem({ effect = "none", claims, run }: Fields): string | undefined {
  if (!EFFECTS.includes(effect)) return `its \`effect\` is ${shown(effect)}; it takes "none", "look" or "act"`;
  if (effect !== "none" && typeof claims !== "function")
    return `its effect is "${String(effect)}" and it has no \`claims\``;
  return typeof run === "function" ? undefined : `its \`run\` is ${shown(run)}; it takes a function`;
}

function isName(name: unknown): name is string {
  return typeof name === "string" && NAME.test(name);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as its author knows it again. */
function shown(value: unknown): string {
  if (value === undefined) return "missing";
  return typeof value === "string"
    ? JSON.stringify(value.slice(0, 60))
    : value === null
      ? "null"
      : `of type ${typeof value}`;
}
