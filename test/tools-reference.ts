/** `docs/reference/tools.md`: the tools of each dialect as the registry lists them. */
import type { JsonSchema, ToolRegistry } from "../src/kernel/index.js";
import { EFFECT_WORDS } from "../src/surfaces/cli/commands/call/explanation-text.js";
import { isRequired, kindText, propertiesOf } from "../src/surfaces/cli/parameter-text.js";
import { builtinRegistry, DIALECT_NAMES, dialectNamed } from "../src/toolkit/index.js";

/** What there are tools for that not every host offers. */
const ALL_TOOLS = { terminal: true, severalTargets: true, memories: true, schedules: true } as const;

export async function toolsReference(): Promise<string> {
  const sections: string[] = [];
  for (const name of DIALECT_NAMES)
    sections.push(sectionOf(name, builtinRegistry(await dialectNamed(name), ALL_TOOLS)));
  return `# Tools

<!-- Written by \`npx vitest run test/tools-reference.test.ts -u\` from the registry; do not edit. -->

The tools of each dialect. All dialects use the same implementation under the names, limits and texts of another system. Parameters in
**bold** are required. The tools for panes are offered where a target has a terminal, those for memory and schedules where the state is in
SQLite or PostgreSQL, \`copy\` where there are several [targets](../guide/targets.md); each tool then has \`on\`, and \`copy\` also \`fromOn\`. \`npx haft tools --json --dialect NAME\` prints this as JSON, and \`npx haft cost\` the tokens that it uses.

${sections.join("\n")}`;
}

/** For the README: each tool of Haft's own dialect with the first sentence of its description. */
export function toolTable(): string {
  const registry = builtinRegistry(undefined, ALL_TOOLS);
  const rows = registry.names().map((name) => {
    const { effect, descriptor } = registry.get(name);
    const [first = ""] = /^.*?[.:;](?= |$)/.exec(descriptor().description) ?? [];
    return `| \`${name}\` | ${EFFECT_WORDS[effect]} | ${cell(first.replace(/[:;.]$/, ""))} |`;
  });
  return ["| tool | reads or writes | what it does |", "| --- | --- | --- |", ...rows].join("\n");
}

function sectionOf(dialect: string, registry: ToolRegistry): string {
  const groups = registry.collectionNames().map(
    (group) =>
      `\`${group}\`: ${registry
        .membersOf(group)
        .map(({ name }) => name)
        .join(", ")}`,
  );
  const rows = registry.names().map((name) => {
    const { description, parameters } = registry.get(name).descriptor();
    return `| \`${name}\` | ${cell(description)} | ${cell(parametersOf(parameters))} |`;
  });
  return `## ${dialect}

Collections: ${groups.join("; ")}.

| tool | what it does | parameters |
| --- | --- | --- |
${rows.join("\n")}
`;
}

function parametersOf(schema: JsonSchema): string {
  const named = Object.entries(propertiesOf(schema)).map(([name, one]) => {
    const shown = isRequired(schema, name) ? `**${name}**` : name;
    return `${shown} (${kindText(one)})`;
  });
  return named.join(", ");
}

/** A line that fits into a table cell. */
function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}
