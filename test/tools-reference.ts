/** `docs/reference/tools.md`: what a model is shown, in each dialect, from the registry that serves it. */
import type { JsonSchema, ToolRegistry } from "../src/kernel/index.js";
import { EFFECT_WORDS } from "../src/surfaces/cli/explanation-text.js";
import { isRequired, kindText, propertiesOf } from "../src/surfaces/cli/parameter-text.js";
import { builtinRegistry, DIALECT_NAMES, dialectNamed } from "../src/toolkit/index.js";

export async function toolsReference(): Promise<string> {
  const sections: string[] = [];
  for (const name of DIALECT_NAMES) sections.push(sectionOf(name, builtinRegistry(await dialectNamed(name))));
  return `# Tools: what a model is shown

<!-- Written by \`npx vitest run test/tools-reference.test.ts -u\` from the registry; do not edit. -->

One implementation stands behind every name; a dialect gives it the names, limits and texts of another system. A parameter in
**bold** is required. \`npx haft tools --json --dialect NAME\` prints the same as JSON, \`npx haft cost\` what it costs.

${sections.join("\n")}`;
}

/** For the README: each tool of Haft's own dialect, and what it does in its first sentence. */
export function toolTable(): string {
  const registry = builtinRegistry();
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

/** A line without what would end a cell. */
function cell(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|");
}
