/** Validates arguments against the advertised schema, and describes the problem for the model. */
import type { ErrorObject } from "ajv/dist/2020.js";
import { nearestNames } from "../text/index.js";
import { isRecord } from "./coerce.js";
import { countedSchema, MAX_STEPS, STEP } from "./counted-schema.js";
import { HaftError, messageOf } from "./errors.js";
import { type InputSchema, isStandardSchema, type JsonSchema } from "./schema.js";
import { shownName } from "./shown-name.js";

interface Problem {
  /** The parameter, as `items[1].status`; absent when the arguments as a whole are wrong. */
  readonly parameter?: string;
  readonly missing?: boolean;
  /** A clause: what is accepted and what was sent. */
  readonly problem: string;
}

export type Validated = { readonly value: unknown } | Problem;

/** A compiled schema. `errorOf` returns the first problem of a value and throws when the check takes too many steps. */
interface Compiled {
  errorOf(value: unknown): Partial<ErrorObject> | undefined;
}

/** The schema needs too many steps, or recurses without end. */
const TOO_MUCH_WORK: Problem = {
  problem: `checking the arguments against the tool's schema takes more than ${MAX_STEPS} steps. Send fewer or less nested values; if there are few already, the author of the tool must simplify the schema`,
};

/** Compiles at the first use, so that ajv is not loaded for a tool that is never called. */
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

/** Why the schema does not compile, as a clause; undefined where it does. For schemas of other servers. */
export async function schemaProblem(schema: JsonSchema): Promise<string | undefined> {
  try {
    await compile(schema, "");
    return undefined;
  } catch (error) {
    return HaftError.is(error) && typeof error.details.why === "string" ? error.details.why : messageOf(error);
  }
}

/** Loads ajv. Node.js caches a failed import for good, so a host loads it before it can run out of file descriptors. */
export const loadValidator = () => import("ajv/dist/2020.js");

/** @throws `REGISTRY_INVALID_TOOL`: only the author of the tool can fix its schema. */
async function compile(schema: JsonSchema, tool: string): Promise<Compiled> {
  const { Ajv2020 } = await loadValidator();
  // Not strict: schemas may hold keywords that ajv does not know.
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
      `Did not run \`${tool}\`: the tool's schema is invalid (${why}). Other arguments do not help; the author of the tool must correct it.`,
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
  const message = issue?.message ?? "it does not match the schema";
  const missing = parameter !== "" && readAt(value, issue?.path ?? []) === undefined;
  const problem =
    parameter === ""
      ? `the arguments do not match the schema: ${message}`
      : `\`${parameter}\` ${missing ? "is required" : "is invalid"}: ${message}`;
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
  if (instancePath === undefined || params === undefined) return { problem: "the arguments do not match the schema" };
  const parameter = parameterAt(instancePath);
  const inside = parameter === "" ? "" : `${parameter}.`;
  const holder = isRecord(error.parentSchema) ? error.parentSchema : {};
  if (error.keyword === "required") {
    const name = `${inside}${params.missingProperty as string}`;
    const schemaOfIt = isRecord(holder.properties) ? holder.properties[params.missingProperty as string] : undefined;
    const unknown = unknownNames(error.data, holder).map((one) => `\`${inside}${shownName(one)}\``);
    const others =
      unknown.length === 0 ? "" : `. Unknown parameter${unknown.length === 1 ? "" : "s"} ${unknown.join(", ")}`;
    return {
      parameter: name,
      missing: true,
      problem: `\`${name}\` is required (${acceptedBy(schemaOfIt).replace(/^an? /, "")})${others}`,
    };
  }
  if (error.keyword === "additionalProperties") {
    const extra = params.additionalProperty as string;
    const known = isRecord(holder.properties) ? Object.keys(holder.properties) : [];
    const near = nearestNames(extra, known, 1)[0];
    const hint = near === undefined ? "" : ` (did you mean \`${inside}${near}\`?)`;
    const name = `${inside}${shownName(extra)}`;
    const accepted = known.length === 0 ? "there are no parameters" : `the parameters are ${listed(known)}`;
    return { parameter: name, problem: `unknown parameter \`${name}\`${hint}; ${accepted}` };
  }
  if (parameter === "") {
    const names = isRecord(schema.properties) ? Object.keys(schema.properties) : [];
    const accepted = names.length === 0 ? "an empty object" : `an object with the parameters ${listed(names)}`;
    return { problem: `the arguments must be ${accepted}, not ${shown(value)}` };
  }
  return { parameter, problem: `\`${parameter}\` must be ${acceptedBy(holder)}, not ${shown(error.data)}` };
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
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "a boolean",
  array: "an array",
  object: "an object",
  null: "null",
};

/** What a schema accepts, as a noun phrase. */
function acceptedBy(schema: unknown): string {
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
    typeof schema.minItems === "number" && schema.minItems > 0
      ? `with at least ${schema.minItems} item${schema.minItems === 1 ? "" : "s"}`
      : "",
    isRecord(schema.not) && "const" in schema.not ? `other than ${JSON.stringify(schema.not.const)}` : "",
  ].filter(Boolean);
  const inner = isRecord(schema.items) && schema.type === "array" ? ` of ${manyOf(schema.items)}` : "";
  return [base + inner, ...bounds].join(" ");
}

/** The items of an array schema, as a plural noun. */
function manyOf(items: JsonSchema): string {
  return items.type === "object"
    ? "objects"
    : items.type === "string" && items.enum === undefined
      ? "strings"
      : acceptedBy(items);
}

function rangeOf({ minimum, maximum }: JsonSchema): string {
  const atLeast = typeof minimum === "number" ? `at least ${minimum}` : "";
  const atMost = typeof maximum === "number" ? `at most ${maximum}` : "";
  const both = [atLeast, atMost].filter((one) => one !== "").join(" and ");
  return both === "" ? "" : `of ${both}`;
}

function listed(names: readonly string[], quote = "`"): string {
  return names.length === 0 ? "none" : names.map((name) => `${quote}${name}${quote}`).join(", ");
}

/** A value as JSON of at most 60 characters, with its type where the JSON alone could be misread. */
function shown(value: unknown): string {
  if (value === undefined) return "absent";
  const text = JSON.stringify(value) ?? String(value);
  const truncated = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  if (typeof value === "string") return `the string ${truncated}`;
  if (Array.isArray(value)) return `the array ${truncated}`;
  return isRecord(value) ? `the object ${truncated}` : truncated;
}
