/** The table of `docs/reference/config.md`, from the schema that the configuration is checked against. */
import { accepted, type ConfigSchema, configSchema, TRUSTED_KEYS } from "../src/toolkit/index.js";

interface Row {
  readonly key: string;
  readonly schema: ConfigSchema;
}

/** Keys that only differ in their name have one row together. */
const ALIKE: Readonly<Record<string, string>> = { tools: "TOOL" };

/** What stands in the place of a name that is free. */
const FREE_NAMES: Readonly<Record<string, string>> = { servers: "NAME", tools: "SERVER__TOOL", trust: "FOLDER" };

export function configReference(): string {
  const rows = Object.entries(configSchema().properties ?? {}).flatMap(([key, schema]) => rowsOf(key, schema));
  const lines = rows.map(({ key, schema }) => {
    const byDefault = schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``;
    return `| \`${key}\` | ${cell(takes(schema))} | ${byDefault} | ${decides(key)} | ${cell(schema.description ?? "")} |`;
  });
  return `# Configuration: every key

<!-- Written by \`npx vitest run test/config-reference.test.ts -u\` from src/toolkit/config/config-schema.ts; do not edit. -->

A \`haft.jsonc\` is JSON with comments. [The guide](../guide/configuration.md) says where it lies and how files are laid over
each other; \`config.schema.json\` in the package says the same as this table to an editor. "Person" keys of a project's file
are ignored, and told, unless the person's own file trusts the project with them.

| key | takes | default | who decides | what it does |
| --- | --- | --- | --- | --- |
${lines.join("\n")}
`;
}

function rowsOf(key: string, schema: ConfigSchema): readonly Row[] {
  const own = { key, schema };
  const branches = schema.anyOf ?? [schema];
  const inner = branches.flatMap((branch) => [
    ...Object.entries(branch.properties ?? {}).map(([name, one]) => [`${key}.${name}`, one] as const),
    ...(FREE_NAMES[key] === undefined
      ? []
      : Object.values(branch.patternProperties ?? {}).map((one) => [`${key}.${FREE_NAMES[key]}`, one] as const)),
  ]);
  const plain = inner.filter(([, one]) => one.type === "boolean" && one.default === true);
  const alike = ALIKE[key];
  if (alike === undefined) return [own, ...inner.flatMap(([name, one]) => rowsOf(name, one))];
  const others = inner.filter((one) => !plain.includes(one));
  return [own, ...[[`${key}.${alike}`, plain[0]![1]] as const, ...others].flatMap(([name, one]) => rowsOf(name, one))];
}

function takes(schema: ConfigSchema): string {
  return accepted(schema.$schema === undefined ? schema : { type: "object" });
}

function decides(key: string): string {
  const [top = ""] = key.split(".");
  if (top === "trust") return "person alone";
  if (top === "tools") return "person; a project only switches off and asks for more reads";
  if (top === "dialect") return "anybody; gates looser than the person's: person";
  if (top === "workspace") return "person; a project only within its folder";
  return (TRUSTED_KEYS as readonly string[]).includes(top) ? "person" : "anybody";
}

const cell = (text: string): string => text.replaceAll("|", "\\|");
