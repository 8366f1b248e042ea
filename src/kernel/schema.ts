/** The schemas a tool may be written with, and what they infer: a JSON Schema literal, or any Standard Schema that gives one. */

/** A JSON Schema, draft 2020-12, as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The part of the Standard Schema interface that Haft uses (zod 4.6 and arktype 2.2 have it). */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): StandardOutcome<Output> | Promise<StandardOutcome<Output>>;
    readonly jsonSchema?: { input(options: { target: string }): unknown };
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** What a Standard Schema says of a value. */
type StandardOutcome<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** The forms of a tool's input schema. */
export type InputSchema = JsonSchema | StandardSchema;

/** The type that `run` receives: the output of a Standard Schema, or the type of a JSON Schema literal. */
export type InferInput<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer O }
    ? O
    : unknown
  : InferJson<S>;

type InferJson<S> = S extends { readonly enum: readonly (infer E)[] }
  ? E
  : S extends { readonly const: infer C }
    ? C
    : S extends { readonly type: "string" }
      ? string
      : S extends { readonly type: "integer" | "number" }
        ? number
        : S extends { readonly type: "boolean" }
          ? boolean
          : S extends { readonly type: "array"; readonly items: infer I }
            ? readonly InferJson<I>[]
            : S extends { readonly type: "object"; readonly properties: infer P }
              ? InferObject<P, S extends { readonly required: readonly (infer R)[] } ? R : never>
              : S extends { readonly type: "object" }
                ? Readonly<Record<string, unknown>>
                : unknown;

type InferObject<P, R> = Simplify<
  { readonly [K in keyof P as K extends R ? K : never]: InferJson<P[K]> } & {
    readonly [K in keyof P as K extends R ? never : K]?: InferJson<P[K]>;
  }
>;

type Simplify<T> = { [K in keyof T]: T[K] };

/** Whether a schema is a Standard Schema instead of a plain JSON Schema. */
export function isStandardSchema(schema: InputSchema): schema is StandardSchema {
  return "~standard" in schema;
}
