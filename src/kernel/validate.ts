/** Checks arguments against the advertised schema and words what is wrong for the model that must send them again. */
import type { ErrorObject } from "ajv/dist/2020.js";
import { nearestNames } from "../text/index.js";
import { isRecord } from "./coerce.js";
import { countedSchema, MAX_STEPS, STEP } from "./counted-schema.js";
import { HaftError, messageOf } from "./errors.js";
import { type InputSchema, isStandardSchema, type JsonSchema } from "./schema.js";
import { shownName } from "./shown-name.js";

export interface Problem {
  /** The parameter, as `items[1].status`; absent when the whole bag is wrong. */
  readonly parameter?: string;
  readonly missing?: boolean;
  /** One sentence: what came and what is accepted. */
  readonly problem: string;
}

export type Validated = { readonly value: unknown } | Problem;

/** A schema that is ready. `errorOf`: what is wrong first with a value; throws where the check itself comes to no end. */
interface Compiled {
  errorOf(value: unknown): Partial<ErrorObject> | undefined;
}

/** The schema asks for too many steps, or refers to itself without an end. */
const TOO_MUCH_WORK: Problem = {
  problem: `checking the arguments against the tool's schema takes more than ${MAX_STEPS} steps. Send fewer and less nested values; if these are few, the author of the tool has to simplify its schema`,
};

/** Compiles at the first use: nothing is loaded for a tool that is never called. */
export type Validator = (value: unknown) => Promise<Validated> | Validated;

export function createValidator(schema: InputSchema, advertised: JsonSchema, tool: string): Validator {
  if (isStandardSchema(schema)) return (value) => validateStandard(schema, value);
  let compiled: Compiled | undefined;
  const check = (by: Compiled, value: unknown): Validated => {
    let error: Partial<ErrorObject> | undefined;
    try {
      error = by.errorOf(value);
    } catch {
      return TOO_MUCH_WORK;
    }
    return error === undefined ? { value } : wordProblem(error, value, advertised);
  };
  return (value) => {
    if (compiled !== undefined) return check(compiled, value);
    return compile(advertised, tool).then((now) => {
      compiled = now;
      return check(now, value);
    });
  };
}

/** Why no arguments could be checked against the schema, as a clause; undefined where they can. For schemas of strangers. */
export async function schemaProblem(schema: JsonSchema): Promise<string | undefined> {
  try {
    await compile(schema, "");
    return undefined;
  } catch (error) {
    return HaftError.is(error) && typeof error.details.why === "string" ? error.details.why : messageOf(error);
  }
}

/** Loads what `compile` needs. A failed import is remembered for good, so a host loads it while descriptors are free. */
export const loadValidator = () => import("ajv/dist/2020.js");

/** @throws `REGISTRY_INVALID_TOOL`: the tool's author is told, since the model that called it can do nothing about it. */
async function compile(schema: JsonSchema, tool: string): Promise<Compiled> {
  const { Ajv2020 } = await loadValidator();
  // The schema is passed through as its author wrote it: strict mode would refuse keywords that only others know.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    verbose: true,
    ownProperties: true, // a parameter may be named `constructor`, which every object inherits
    validateFormats: false,
    meta: false,
    validateSchema: false,
  });
  let steps = 0;
  const count = (): boolean => {
    if (++steps > MAX_STEPS) throw new Error("too many steps");
    return true;
  };
  ajv.addKeyword({ keyword: STEP, schema: false, validate: count, errors: false, before: "$ref" });
  try {
    const validate = ajv.compile(countedSchema(schema));
    return {
      errorOf(value) {
        steps = 0;
        return validate(value) ? undefined : (validate.errors?.[0] ?? {});
      },
    };
  } catch (error) {
    const why = messageOf(error);
    throw new HaftError(
      "REGISTRY_INVALID_TOOL",
      `Did not run \`${tool}\`: its definition is faulty, which no other arguments mend. The author of the tool has to correct its schema: ${why}.`,
      { cause: error, details: { name: tool, why } },
    );
  }
}

async function validateStandard(
  schema: Extract<InputSchema, { "~standard": unknown }>,
  value: unknown,
): Promise<Validated> {
  const outcome = await schema["~standard"].validate(value);
  if (outcome.issues === undefined) return { value: outcome.value };
  const issue = outcome.issues[0];
  const parameter = issue?.path?.map(segmentName).join(".") ?? "";
  const message = issue?.message ?? "it does not fit the schema";
  const missing = parameter !== "" && readAt(value, issue?.path ?? []) === undefined;
  const problem =
    parameter === ""
      ? `the arguments do not fit: ${message}`
      : `\`${parameter}\` ${missing ? "is missing" : "does not fit"}: ${message}`;
  return parameter === "" ? { problem } : { parameter, missing, problem };
}

const segmentName = (segment: unknown): string => String(isRecord(segment) && "key" in segment ? segment.key : segment);

function readAt(value: unknown, path: readonly unknown[]): unknown {
  return path.reduce<unknown>(
    (at, segment) =>
      isRecord(at) || Array.isArray(at) ? (at as Record<string, unknown>)[segmentName(segment)] : undefined,
    value,
  );
}

function wordProblem(error: Partial<ErrorObject>, value: unknown, schema: JsonSchema): Problem {
  const { instancePath, params } = error;
  if (instancePath === undefined || params === undefined) return { problem: "the arguments do not fit the schema" };
  const parameter = parameterAt(instancePath);
  const inside = parameter === "" ? "" : `${parameter}.`;
  const holder = isRecord(error.parentSchema) ? error.parentSchema : {};
  if (error.keyword === "required") {
    const name = `${inside}${params.missingProperty as string}`;
    const wanted = isRecord(holder.properties) ? holder.properties[params.missingProperty as string] : undefined;
    const odd = unknownNames(error.data, holder).map((one) => `\`${inside}${shownName(one)}\``);
    const others = odd.length === 0 ? "" : `. There is no parameter ${odd.join(", ")}`;
    return {
      parameter: name,
      missing: true,
      problem: `\`${name}\` is missing; it takes ${acceptedBy(wanted)}${others}`,
    };
  }
  if (error.keyword === "additionalProperties") {
    const extra = params.additionalProperty as string;
    const known = isRecord(holder.properties) ? Object.keys(holder.properties) : [];
    const near = nearestNames(extra, known, 1)[0];
    const hint = near === undefined ? "" : ` (did you mean \`${inside}${near}\`?)`;
    const name = `${inside}${shownName(extra)}`;
    return { parameter: name, problem: `there is no parameter \`${name}\`${hint}; there are ${listed(known)}` };
  }
  if (parameter === "") {
    const names = isRecord(schema.properties) ? Object.keys(schema.properties) : [];
    const accepted = names.length === 0 ? "an empty object" : `an object with the parameters ${listed(names)}`;
    return { problem: `the arguments were ${shown(value)}; ${accepted} is accepted` };
  }
  return { parameter, problem: `\`${parameter}\` was ${shown(error.data)}; it takes ${acceptedBy(holder)}` };
}

/** Up to three names that the model may have meant for the missing one. */
function unknownNames(data: unknown, { properties, additionalProperties }: JsonSchema): string[] {
  if (additionalProperties !== false || !isRecord(data) || !isRecord(properties)) return [];
  return Object.keys(data)
    .filter((name) => !Object.hasOwn(properties, name))
    .slice(0, 3);
}

/** "/items/1/status" → "items[1].status". */
function parameterAt(pointer: string): string {
  const segments = pointer
    .split("/")
    .slice(1)
    .map((one) => one.replace(/~1/g, "/").replace(/~0/g, "~"));
  return segments.map((one, index) => (/^\d+$/.test(one) ? `[${one}]` : index === 0 ? one : `.${one}`)).join("");
}

const ARTICLES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

/** What a schema accepts, in words. */
export function acceptedBy(schema: unknown): string {
  if (!isRecord(schema)) return "a value";
  if (Array.isArray(schema.enum))
    return `one of ${listed(
      schema.enum.map((one) => JSON.stringify(one)),
      "",
    )}`;
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return choices.map(acceptedBy).join(" or ");
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  const base = types.map((type) => ARTICLES[String(type)] ?? "a value").join(" or ");
  const bounds = [
    rangeOf(schema),
    typeof schema.minLength === "number" && schema.minLength > 0 ? "that is not empty" : "",
    typeof schema.minItems === "number" && schema.minItems > 0 ? `with at least ${schema.minItems} items` : "",
    isRecord(schema.not) && "const" in schema.not ? `other than ${JSON.stringify(schema.not.const)}` : "",
  ].filter(Boolean);
  const inner = isRecord(schema.items) && schema.type === "array" ? ` of ${manyOf(schema.items)}` : "";
  return [base + inner, ...bounds].join(" ");
}

/** What the items of a list are, in words. */
function manyOf(items: JsonSchema): string {
  return items.type === "object"
    ? "objects"
    : items.type === "string" && items.enum === undefined
      ? "texts"
      : acceptedBy(items);
}

function rangeOf({ minimum, maximum }: JsonSchema): string {
  const least = typeof minimum === "number" ? `at least ${minimum}` : "";
  const most = typeof maximum === "number" ? `at most ${maximum}` : "";
  const both = [least, most].filter((one) => one !== "").join(" and ");
  return both === "" ? "" : `of ${both}`;
}

function listed(names: readonly string[], quote = "`"): string {
  return names.length === 0 ? "none" : names.map((name) => `${quote}${name}${quote}`).join(", ");
}

/** A value as a reader sees it, at most 60 characters of it, with its type where the look does not tell. */
function shown(value: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value) ?? String(value);
  const truncated = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  if (typeof value === "string") return `the text ${truncated}`;
  if (Array.isArray(value)) return `the list ${truncated}`;
  return isRecord(value) ? `the object ${truncated}` : truncated;
}
