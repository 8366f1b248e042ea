/** Claims in the form that policy judges: valid, with absolute and normalized paths. */
import { hasLoneSurrogate, resolvePath } from "../text/index.js";
import { ACCESSES, type Claim } from "./claims.js";
import { isRecord } from "./coerce.js";
import type { SourcePlace } from "./context.js";
import { LIFETIMES } from "./shell.js";

/**
 * The claims of a tool with absolute, normalized file paths, or why they are invalid, as a clause. Without normalizing, a path
 * with `..` could start with a granted directory and lead out of it. They are frozen copies, for which each field was read
 * once: what policy judges, a user approves, the grant allows and the audit log shows is the same, whatever the tool does
 * with its objects later.
 *
 * @param source - The source target of the call: a claim that names it is of a path there.
 */
export function parseClaims(
  stated: readonly unknown[],
  place: Pick<SourcePlace, "cwd" | "home">,
  source?: SourcePlace,
): readonly Claim[] | { readonly why: string } {
  const claims: Claim[] = [];
  for (const [index, claim] of Array.from(stated).entries()) {
    const parsed = parseClaim(claim, place, source);
    if (typeof parsed === "string") return { why: `claim ${index + 1} is invalid: ${parsed}` };
    claims.push(parsed);
  }
  return claims;
}

/** A field of a claim: the value to keep, or undefined for an invalid one, and what a valid one is, as a clause. */
interface Field {
  readonly take: (value: unknown) => unknown;
  readonly form: string;
  readonly optional?: boolean;
}

const textsOf = (value: unknown): readonly string[] | undefined => {
  if (!Array.isArray(value)) return undefined;
  const copy: unknown[] = Array.from(value);
  return copy.every((one) => typeof one === "string") ? Object.freeze(copy) : undefined;
};
const text: Field = { take: (value) => (typeof value === "string" ? value : undefined), form: "must be a string" };
const texts: Field = { take: textsOf, form: "must be an array of strings" };
const optional = (field: Field): Field => ({ ...field, optional: true });

function oneOf(...choices: readonly string[]): Field {
  return {
    take: (value) => choices.find((choice) => choice === value),
    form: `must be one of ${choices.join(", ")}`,
  };
}

const path: Field = {
  take: (value) => (typeof value === "string" && value !== "" && !hasLoneSurrogate(value) ? value : undefined),
  form: "must be a non-empty string without lone surrogates",
};

const access: Field = {
  take: (value) => {
    const list = textsOf(value);
    return list !== undefined && list.length > 0 && list.every((one) => (ACCESSES as readonly string[]).includes(one))
      ? list
      : undefined;
  },
  form: `must list some of ${ACCESSES.join(", ")}`,
};

const url: Field = {
  take: (value) => (typeof value === "string" && URL.canParse(value) ? value : undefined),
  form: "must be an absolute URL",
};

const headers: Field = {
  take: (value) => {
    const list = Array.isArray(value) ? Array.from(value, textsOf) : [undefined];
    return list.every((pair) => pair?.length === 2) ? Object.freeze(list) : undefined;
  },
  form: "must be an array of pairs of strings",
};

const detachAfter: Field = {
  take: (value) => (value === "input" || (typeof value === "number" && value >= 0) ? value : undefined),
  form: 'must be "input" or milliseconds',
};

const env: Field = {
  take: (value) => {
    if (!isRecord(value)) return undefined;
    const entries = Object.entries(value);
    return entries.every(([, one]) => typeof one === "string") ? Object.freeze(Object.fromEntries(entries)) : undefined;
  },
  form: "must be an object of strings",
};

const FIELDS = new Map<unknown, Readonly<Record<string, Field>>>(
  Object.entries({
    file: {
      path,
      access,
      scope: oneOf("self", "tree"),
      optional: optional(oneOf("unless-denied", "if-allowed")),
      target: optional(text),
      movedTo: optional(text),
    },
    command: {
      command: text,
      cwd: text,
      env: optional(env),
      input: optional(text),
      background: optional(oneOf(...LIFETIMES)),
      detachAfter: optional(detachAfter),
    },
    input: { to: oneOf("job", "pane"), id: text, text },
    job: { action: oneOf("list", "read", "signal", "stop"), id: optional(text) },
    pane: { action: oneOf("list", "read", "open", "close"), id: optional(text) },
    network: {
      method: text,
      url,
      headers: optional(headers),
      body: optional(text),
      purpose: optional(oneOf("search")),
    },
    "network-open": { purpose: text },
    state: { collection: text, access: oneOf("read", "write"), key: optional(text) },
    server: { server: text, tool: text },
    external: { source: text, tool: text, approval: optional(oneOf("each-call")) },
    delegate: { agent: text, tools: texts },
    secret: { name: text, hosts: texts },
  } satisfies { readonly [K in Claim["kind"]]: { readonly [F in FieldOf<K>]-?: Field } }),
);

/** Without what only the kernel sets. */
type FieldOf<K extends Claim["kind"]> = Exclude<
  keyof Extract<Claim, { kind: K }>,
  "kind" | (K extends "network" ? "address" : never)
>;

/** A claim, or what makes it impossible to judge, as a clause. */
function parseClaim(
  stated: unknown,
  place: Pick<SourcePlace, "cwd" | "home">,
  source: SourcePlace | undefined,
): Claim | string {
  const kind = isRecord(stated) ? stated.kind : undefined;
  const fields = FIELDS.get(kind);
  if (fields === undefined) return `its \`kind\` is not one of ${[...FIELDS.keys()].join(", ")}`;
  const claim: Record<string, unknown> = { kind };
  for (const [name, field] of Object.entries(fields)) {
    const value = (stated as Readonly<Record<string, unknown>>)[name];
    if (value === undefined && field.optional === true) continue;
    const taken = field.take(value);
    if (taken === undefined) return `\`${name}\` ${field.form}`;
    claim[name] = taken;
  }
  if (kind === "file") {
    const isSource = claim.target !== undefined;
    if (isSource && claim.target !== source?.target) return "`target` must be the source target of the call";
    if (isSource && (claim.access as readonly string[]).some((one) => one !== "read"))
      return "`access` to the source target must be read";
    const { cwd, home } = isSource && source !== undefined ? source : place;
    claim.path = resolvePath(cwd, claim.path as string, home);
  }
  return Object.freeze(claim) as unknown as Claim;
}
