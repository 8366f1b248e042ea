/** The table of `docs/reference/config.md`, from the schema that validates the configuration. */
import { accepted, type ConfigSchema, configSchema, TRUSTED_KEYS } from "../src/toolkit/index.js";

interface Row {
  readonly key: string;
  readonly schema: ConfigSchema;
}

/** Keys that differ only in their name share one row. */
const ALIKE: Readonly<Record<string, string>> = { tools: "TOOL" };

/** Placeholders for names that the user chooses. */
const FREE_NAMES: Readonly<Record<string, string>> = { servers: "NAME", tools: "SERVER__TOOL", trust: "DIRECTORY" };

export function configReference(): string {
  const rows = Object.entries(configSchema().properties ?? {}).flatMap(([key, schema]) => rowsOf(key, schema));
  const lines = rows.map(({ key, schema }) => {
    const byDefault = schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``;
    return `| \`${key}\` | ${cell(takes(schema))} | ${byDefault} | ${decides(key)} | ${cell(schema.description ?? "")} |`;
  });
  return `# Configuration: every key

<!-- Written by \`npx vitest run test/config-reference.test.ts -u\` from src/toolkit/config/config-schema.ts; do not edit. -->

The keys of a \`haft.jsonc\` file. [The guide](../guide/configuration.md) says where the file is and how several files are merged;
\`config.schema.json\` in the package has the same content for editors. "User" keys are ignored in a project's file, with a message,
unless the user's own file trusts the project with them.

| key | type | default | set by | what it does |
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
  if (top === "trust") return "user only";
  if (top === "tools") return "user; a project can only disable tools and tighten gates";
  if (top === "policy") return "user; a project can only narrow what is allowed";
  if (top === "dialect") return "anybody; looser gates than the user's: user";
  if (top === "workspace") return "user; a project only within its directory";
  return (TRUSTED_KEYS as readonly string[]).includes(top) ? "user" : "anybody";
}

const cell = (text: string): string => text.replaceAll("|", "\\|");
