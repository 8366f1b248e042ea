import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { fc } from "../../../testing/property.fixture.js";
import { withTomlEntry } from "./toml-entry.js";

const ENTRY = { command: "/bin/node", args: ['a "b"', "--x"] };

/** Statements as users write them, some of which look like ours and are not. */
const statement = fc.constantFrom(
  '1 = "one" # said',
  "'2' = [\n  1, # one\n  [2],\n]",
  '3 = """\n[mcp_servers.haft]\ncommand = "no"\n"""',
  "4 = { command = 'x', args = [] }",
  "5 = 1979-05-27T07:32:00Z",
  "6 = '''\n[table]'''",
  "# [mcp_servers.haft]",
  "",
);
const ours = fc.constantFrom(
  'command = "old" # mine',
  'args = [\n  "old", # first\n]',
  'url = "http://x"',
  "startup_timeout_sec = 20 # slow",
  "# said",
  'env = { A = "1" }',
);
const header = fc.constantFrom(
  "[a]",
  "[a.b] # said",
  "[[list]]",
  "[mcp_servers.other]",
  "[mcp_servers.other.env]",
  '["x.y"]',
);

const byKey = { selector: (text: string) => /^[\w']+/.exec(text)?.[0] ?? text };
const section = fc.tuple(header, fc.uniqueArray(statement, byKey)).map(([head, lines]) => [head, ...lines]);
const own = fc
  .tuple(
    fc.constantFrom("[mcp_servers.haft]", '[mcp_servers."haft"] # mine', "  [ mcp_servers . haft ]"),
    fc.uniqueArray(ours, byKey),
  )
  .map(([head, lines]) => [head, ...lines]);

const file = fc
  .tuple(
    fc.uniqueArray(statement, byKey),
    fc.uniqueArray(section, { selector: ([head]) => head, maxLength: 4 }),
    fc.option(own, { nil: undefined }),
    fc.boolean(),
    fc.constantFrom("\n", "\r\n"),
  )
  .map(([root, sections, mine, isFirst, eol]) => {
    const all = mine === undefined ? sections : isFirst ? [mine, ...sections] : [...sections, mine];
    return [root, ...all].flat().join("\n").replaceAll("\n", eol);
  })
  // A table under another that a list of tables follows may be refused by the format itself.
  .filter((text) => {
    try {
      return parse(text) !== undefined;
    } catch {
      return false;
    }
  });

describe("a table in any TOML file", () => {
  it("says the same as before and the entry, and keeps every comment and every other line", async () => {
    await fc.assert(
      fc.asyncProperty(file, async (before) => {
        const after = await withTomlEntry(before, "mcp_servers", "haft", ENTRY);
        expect(parse(after)).toHaveProperty("mcp_servers.haft.command", "/bin/node");
        expect(parse(after)).toHaveProperty("mcp_servers.haft.args", ENTRY.args);
        expect(parse(after)).not.toHaveProperty("mcp_servers.haft.url");
        const lines = after.split(/\r?\n/);
        const changed = /^(command|args|url) =|^ {2}"old"|^\]$/;
        let at = 0;
        for (const line of before.split(/\r?\n/)) {
          if (changed.test(line)) continue;
          const found = lines.indexOf(line, at);
          expect([before, line, found >= at]).toEqual([before, line, true]);
          at = found + 1;
        }
        expect(await withTomlEntry(after, "mcp_servers", "haft", ENTRY)).toBe(after);
      }),
    );
  });
});
