/** What a value of a JSON Schema may be, as a tree without references, and how two such trees combine. */
import { isRecord } from "../kernel/index.js";

export type ShapeType = "string" | "number" | "integer" | "boolean" | "object" | "array";

export interface Shape {
  /** Empty where only null is accepted, or where `branches` are. */
  readonly types: readonly ShapeType[];
  readonly nullable: boolean;
  /** No type is stated: every value is accepted. */
  readonly isAny: boolean;
  readonly description: string;
  /** Sentences for the description: what this tree cannot say. */
  readonly remarks: readonly string[];
  readonly enum?: readonly unknown[] | undefined;
  /** The valid constraints of single values: `minLength`, `format`, `maxItems`. */
  readonly keywords: Readonly<Record<string, unknown>>;
  readonly properties: ReadonlyMap<string, Shape>;
  readonly required: ReadonlySet<string>;
  /** `additionalProperties`; undefined where the schema does not state it. */
  readonly rest: Shape | boolean | undefined;
  readonly items: Shape | undefined;
  /** A union of at least two shapes, none of them a union. */
  readonly branches?: readonly Shape[] | undefined;
}

export const TYPES: readonly ShapeType[] = ["string", "number", "integer", "boolean", "object", "array"];
export const EMPTY: Shape = {
  types: [],
  nullable: false,
  isAny: false,
  description: "",
  remarks: [],
  keywords: {},
  properties: new Map(),
  required: new Set(),
  rest: undefined,
  items: undefined,
};
export const ANY: Shape = { ...EMPTY, isAny: true, nullable: true };

/** The JSON Schema type of a value other than null. */
export function typeOf(value: unknown): ShapeType {
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value as ShapeType;
}

/** A value belongs to both. Accepts at least what both accept. */
export function intersect(one: Shape, other: Shape, loosened: () => void): Shape {
  const description = one.description || other.description;
  const remarks = [...new Set([...one.remarks, ...other.remarks])];
  if (one.branches !== undefined || other.branches !== undefined) {
    const [union, base] = one.branches === undefined ? [other, one] : [one, other];
    const kept = union.branches?.filter(
      ({ types, isAny }) => base.isAny || isAny || types.some((type) => base.types.includes(type)),
    );
    if (!isDetailed(base) && kept !== undefined && kept.length > 0) {
      const nullable = union.nullable && (base.isAny || base.nullable);
      return { ...unite(kept), nullable, description, remarks };
    }
    loosened();
    return intersect(
      { ...mergeBranches(one.branches ?? [one]), description, remarks },
      mergeBranches(other.branches ?? [other]),
      loosened,
    );
  }
  if (one.isAny && !isDetailed(one)) return { ...other, description, remarks };
  const types = one.isAny ? other.types : other.isAny ? one.types : commonTypes(one.types, other.types);
  const properties = new Map(one.properties);
  for (const [name, shape] of other.properties) {
    const same = properties.get(name);
    properties.set(name, same === undefined ? shape : intersect(same, shape, loosened));
  }
  return {
    types: types.length === 0 ? one.types : types,
    nullable: one.nullable && other.nullable,
    isAny: one.isAny && other.isAny,
    description,
    remarks,
    enum: valuesOf(one.enum ?? other.enum, types.length === 0 ? one.types : types),
    keywords: { ...other.keywords, ...one.keywords },
    properties,
    required: new Set([...one.required, ...other.required]),
    rest: one.rest ?? other.rest,
    items:
      one.items !== undefined && other.items !== undefined
        ? intersect(one.items, other.items, loosened)
        : (one.items ?? other.items),
  };
}

/** The values of these types; undefined where there is none, which two schemas that contradict each other have. */
function valuesOf(values: readonly unknown[] | undefined, types: readonly ShapeType[]): readonly unknown[] | undefined {
  const kept = values?.filter((value) => isOf(value, types));
  return kept === undefined || (kept.length === 0 && types.length > 0) ? undefined : kept;
}

/** Whether a value other than null has one of the types. */
export const isOf = (value: unknown, types: readonly ShapeType[]): boolean =>
  types.some((type) => typeOf(value) === type || (type === "number" && typeOf(value) === "integer"));

function commonTypes(one: readonly ShapeType[], other: readonly ShapeType[]): readonly ShapeType[] {
  const has = (types: readonly ShapeType[], type: ShapeType) =>
    types.includes(type) || (type === "integer" && types.includes("number"));
  return TYPES.filter((type) => has(one, type) && has(other, type) && (one.includes(type) || other.includes(type)));
}

/** Whether a shape says more than types. */
const isDetailed = ({ properties, items, rest, keywords, enum: values, required }: Shape): boolean =>
  properties.size > 0 ||
  items !== undefined ||
  rest !== undefined ||
  values !== undefined ||
  required.size > 0 ||
  Object.keys(keywords).length > 0;

/** A union: flat, without duplicates, one `enum` where all have one. */
export function unite(shapes: readonly Shape[]): Shape {
  const flat = shapes.flatMap((one) => one.branches ?? [one]);
  if (flat.some(({ isAny }) => isAny)) return ANY;
  const nullable = shapes.some((one) => one.nullable);
  const branches = new Map(
    flat
      .filter(({ types }) => types.length > 0)
      .map((one) => [fingerprint({ ...one, nullable: false }), { ...one, nullable: false }]),
  );
  const list = [...branches.values()];
  const [first] = list;
  if (first === undefined) return { ...EMPTY, nullable };
  if (list.length === 1) return { ...first, nullable };
  if (
    list.every(
      (one) =>
        one.enum !== undefined && one.description === "" && one.types.length === 1 && one.types[0] === first.types[0],
    )
  ) {
    return { ...first, nullable, enum: [...new Set(list.flatMap((one) => one.enum ?? []))] };
  }
  return { ...EMPTY, nullable, branches: list };
}

const fingerprint = (shape: Shape): string =>
  JSON.stringify(shape, (_, value) => (value instanceof Map || value instanceof Set ? [...value] : value));

/** One shape that accepts what any of them accepts: required is what all require. */
export function mergeBranches(shapes: readonly Shape[]): Shape {
  const [first, ...others] = shapes;
  if (first === undefined || others.length === 0) return first ?? ANY;
  const members = new Map<string, Shape[]>();
  for (const { properties } of shapes) {
    for (const [name, shape] of properties) {
      const known = members.get(name);
      if (known === undefined) members.set(name, [shape]);
      else known.push(shape);
    }
  }
  const lists = shapes.flatMap(({ items }) => (items === undefined ? [] : [items]));
  const keywords = Object.entries(first.keywords).filter(([name, value]) =>
    others.every((one) => one.keywords[name] === value),
  );
  return {
    types: TYPES.filter((type) => shapes.some(({ types }) => types.includes(type))),
    nullable: shapes.some(({ nullable }) => nullable),
    isAny: shapes.some(({ isAny }) => isAny),
    description: first.description,
    remarks: [],
    enum: shapes.every((one) => one.enum !== undefined) ? shapes.flatMap((one) => one.enum ?? []) : undefined,
    keywords: Object.fromEntries(keywords),
    properties: new Map([...members].map(([name, list]) => [name, unite(list)])),
    required: new Set([...first.required].filter((name) => others.every(({ required }) => required.has(name)))),
    rest: shapes.every(({ rest }) => rest === false)
      ? false
      : shapes.some(({ rest }) => rest === true || isRecord(rest))
        ? true
        : undefined,
    items: lists.length === 0 ? undefined : unite(lists),
  };
}

/** The type in words, for a description. */
export function typeText(shape: Shape): string {
  if (shape.isAny) return "any";
  const names = shape.branches === undefined ? shape.types : shape.branches.map(typeText);
  return [...new Set(names), ...(shape.nullable ? ["null"] : [])].join(" or ");
}
