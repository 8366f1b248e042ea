/** The tools of every dialect and collection under the rules of every provider. */
import { describe, expect, it } from "vitest";
import { providerSchema } from "../src/adapters/provider-schema.js";
import { schemaProblems } from "../src/testing/index.js";
import { builtinRegistry, DIALECT_NAMES, dialectNamed } from "../src/toolkit/index.js";

const PROVIDERS = ["openai-strict", "openai", "anthropic", "google", "google-json-schema"] as const;

/** Arguments that only some providers accept as an object; the others are given them as JSON text. */
const FREE_OBJECTS: Readonly<Record<string, string>> = { http_request: "headers" };

describe.each(DIALECT_NAMES)("the tools of %s", (name) => {
  it.each(PROVIDERS)("are valid for %s, with one target and with several", async (provider) => {
    const registry = builtinRegistry(await dialectNamed(name));
    const tools = new Set(registry.collectionNames().flatMap((group) => registry.membersOf(group)));
    expect(tools.size).toBeGreaterThan(0);
    for (const tool of tools) {
      for (const targets of [[], ["local", "ssh:build@host"]]) {
        const { parameters } = tool.descriptor(targets);
        const { schema, notes } = providerSchema(parameters, provider);
        expect([tool.name, schemaProblems(schema, provider)]).toEqual([tool.name, []]);
        const asText = `\`${FREE_OBJECTS[tool.name]}\` is given as JSON text,`;
        if (name === "haft")
          expect([tool.name, notes.filter((note) => !note.startsWith(asText))]).toEqual([tool.name, []]);
        if (provider === "anthropic" && name === "haft") expect(schema).toEqual(parameters);
      }
    }
  });
});
