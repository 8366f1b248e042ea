/** Makes a tool of what its author wrote: descriptor, validation and the pipeline come from here. */
import type { HostContext } from "./context.js";
import { DEFAULT_DEADLINE_MS } from "./deadline.js";
import type { AnyPresenter, Dialect } from "./dialect.js";
import { HaftError } from "./errors.js";
import { type Explanation, explainCall, runCall } from "./pipeline.js";
import { blockText } from "./result.js";
import { type InputSchema, isStandardSchema, type JsonSchema } from "./schema.js";
import { withTargetParameters } from "./target-parameter.js";
import type { DefinedTool, FacadeOutput, ToolBody, ToolCall, ToolSpec } from "./tool.js";
import { createValidator, type Validator } from "./validate.js";

/**
 * Defines a tool from a name, a description, a schema and `run`. `input` and `parameters` are two names of the schema: a
 * JSON Schema, passed through unchanged, or a Standard Schema that gives one.
 *
 * @throws `REGISTRY_INVALID_TOOL` for what the types cannot refuse: a name that providers reject, a schema that gives no JSON
 *   Schema or does not describe an object, an effect without `claims`. A schema that does not compile fails the first call
 *   with the same code.
 */
export function defineTool<
  const S extends InputSchema,
  Data = never,
  Limits = undefined,
  const Name extends string = string,
>(spec: ToolSpec<S, Data, Limits, Name>): DefinedTool<Name, Data> {
  const { name, description } = spec;
  requireName(name);
  const schema = (spec.input ?? spec.parameters) as InputSchema;
  const effect = spec.effect ?? "none";
  const deadline = spec.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const annotations = spec.annotations ?? {};
  const erased = spec as unknown as Pick<ToolBody, "claims" | "run" | "preview" | "basis">;
  const body: ToolBody = {
    name,
    effect,
    schema,
    limits: Object.freeze({ ...spec.limits }),
    annotations,
    ...(spec.sourceParameter === undefined ? {} : { sourceParameter: Object.freeze({ ...spec.sourceParameter }) }),
    deadlineMs: typeof deadline === "number" ? () => deadline : (deadline as ToolBody["deadlineMs"]),
    ...(effect === "none" ? {} : { claims: (input, context) => erased.claims!(input, context) }),
    run: (input, ctx) => erased.run(input, ctx),
    ...(spec.preview === undefined ? {} : { preview: (input, ctx) => erased.preview!(input, ctx) }),
    ...(spec.basis === undefined ? {} : { basis: (input, ctx) => erased.basis!(input, ctx) }),
  };
  if (effect !== "none" && spec.claims === undefined) throw invalidTool(name, `effect "${effect}" requires \`claims\``);
  const parameters = isStandardSchema(schema) ? jsonSchemaOf(schema, name) : (schema as JsonSchema);
  const type: unknown = parameters.type ?? "object";
  if (![type].flat().includes("object"))
    throw invalidTool(name, `the schema's type must be "object", not ${JSON.stringify(type)}`);
  return assemble(Object.freeze(body), { name, description, parameters }) as DefinedTool<Name, Data>;
}

/** The same tool under a dialect's name, schema, limits and texts. */
export function presentTool<Data>(
  tool: DefinedTool<string, Data>,
  presenter: AnyPresenter,
  dialect: Dialect,
): DefinedTool<string, Data> {
  requireName(presenter.name);
  return assemble(tool.body, {
    name: presenter.name,
    description: presenter.description ?? tool.description,
    parameters: presenter.parameters ?? tool.parameters,
    presenter,
    dialect,
  }) as DefinedTool<string, Data>;
}

/** What a call would touch and how policy decides, without running it. */
export function explain(tool: DefinedTool, call: ToolCall, context: HostContext): Promise<Explanation> {
  return explainCall(tool, validatorOf(tool), call, context);
}

/** The names that MCP and the large model providers all accept; a tool of another server is `server__tool`. */
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

function requireName(name: string): void {
  if (!NAME.test(name))
    throw invalidTool(name, "`name` must match [A-Za-z][A-Za-z0-9_-]* and have at most 64 characters");
}

function invalidTool(name: string, why: string): HaftError {
  return new HaftError("REGISTRY_INVALID_TOOL", `Did not define the tool "${name}": ${why}.`, {
    details: { name, why },
  });
}

interface Shown {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly presenter?: AnyPresenter;
  readonly dialect?: Dialect;
}

function assemble(body: ToolBody, shown: Shown): DefinedTool {
  let validate: Validator | undefined;
  const tool: DefinedTool = {
    ...shown,
    label: body.annotations.title ?? shown.name,
    effect: body.effect,
    annotations: body.annotations,
    body,
    descriptor(targets = []) {
      const { name, description, parameters } = shown;
      return withTargetParameters({ name, description, parameters }, targets, body.sourceParameter);
    },
    invoke(call, context) {
      validate ??= validatorOf(tool);
      return runCall(tool, validate, call, context);
    },
    async execute(input, context): Promise<FacadeOutput> {
      const outcome = await tool.invoke({ id: context.host.ids.next("call"), name: shown.name, input }, context);
      const details = outcome.structured ?? (outcome.code === undefined ? undefined : { code: outcome.code });
      return { content: outcome.content.map(blockText), details, isError: outcome.isError };
    },
  };
  return Object.freeze(tool);
}

function validatorOf(tool: DefinedTool): Validator {
  const own = tool.presenter === undefined ? tool.body.schema : tool.parameters;
  return createValidator(own, tool.parameters, tool.name);
}

function jsonSchemaOf(schema: Extract<InputSchema, { "~standard": unknown }>, name: string): JsonSchema {
  const given = schema["~standard"].jsonSchema?.input({ target: "draft-2020-12" });
  if (typeof given !== "object" || given === null) {
    throw invalidTool(
      name,
      `the ${schema["~standard"].vendor} schema does not provide a JSON Schema; use one that does (zod 4.6) or a plain JSON Schema`,
    );
  }
  const { $schema: _, ...rest } = given as Record<string, unknown>;
  return withoutSafeIntegerBounds(rest) as JsonSchema;
}

/** zod states the range of safe integers for every integer; a model has no use for it. */
function withoutSafeIntegerBounds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSafeIntegerBounds);
  if (typeof value !== "object" || value === null) return value;
  const isBound = ([key, member]: [string, unknown]) =>
    (key === "maximum" && member === Number.MAX_SAFE_INTEGER) ||
    (key === "minimum" && member === Number.MIN_SAFE_INTEGER);
  const entries = Object.entries(value).filter((entry) => !isBound(entry));
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutSafeIntegerBounds(member)]));
}
