import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { fc } from "../../../testing/property.fixture.js";
import { withJsonEntry } from "./json-entry.js";

/** Whitespace and comments, as users leave them between the parts of a file. */
const gap = fc
  .array(fc.constantFrom(" ", "\n", "\t", "  ", '// said, {so} "here"\n', "/* , } */", "\n    "), { maxLength: 3 })
  .map((parts) => parts.join(""));

const scalar = fc
  .oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.string({ maxLength: 6 }))
  .map((value) => JSON.stringify(value));

/** The text of an object with those keys, laid out at random. */
function objectText(keys: readonly string[], value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const property = fc.tuple(fc.constantFrom(...keys), gap, gap, value, gap);
  return fc
    .tuple(fc.uniqueArray(property, { selector: ([key]) => key, maxLength: 3 }), gap, fc.boolean())
    .map(([properties, inner, hasComma]) => {
      const parts = properties.map(([key, one, two, text, three]) => `${one}"${key}"${two}:${text}${three}`);
      return `{${parts.join(",")}${hasComma && parts.length > 0 ? "," : ""}${inner}}`;
    });
}

const servers = objectText(["one", "two", "x__y"], objectText(["command", "url"], scalar));
const file = fc
  .tuple(objectText(["theme", "mcpServers", "more"], fc.oneof(servers)), gap, gap)
  .map(([text, before, after]) => before + text + after);

describe("an entry in any JSON file", () => {
  it("says the same as before and the entry, and moves no character that was there", async () => {
    await fc.assert(
      fc.asyncProperty(file, async (before) => {
        const entry = { command: "/bin/node", args: ["a b", "--x"] };
        const after = await withJsonEntry(before, "mcpServers", "haft", entry);
        const [old, now] = [
          parse(before, [], { allowTrailingComma: true }),
          parse(after, [], { allowTrailingComma: true }),
        ];
        expect(now).toEqual({ ...old, mcpServers: { ...old.mcpServers, haft: entry } });
        // Whitespace before a closing brace may become a line break.
        const kept = before.replace(/[ \t]+(?=\})/g, "");
        let at = 0;
        for (const character of after) if (character === kept[at]) at++;
        expect([before, at]).toEqual([before, kept.length]);
        expect(await withJsonEntry(after, "mcpServers", "haft", entry)).toBe(after);
      }),
    );
  });
});
