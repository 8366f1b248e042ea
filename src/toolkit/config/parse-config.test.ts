import { Ajv } from "ajv";
import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { HaftError } from "../../kernel/index.js";
import { fc } from "../../testing/property.fixture.js";
import { configSchema } from "./config-schema.js";
import { parseConfig } from "./parse-config.js";

/** The lines after the first of the error that a text gives. */
async function problemsOf(text: string): Promise<readonly string[]> {
  const error = await parseConfig(text, "haft.jsonc").then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error === undefined) return [];
  expect(HaftError.is(error, "CONFIG_INVALID")).toBe(true);
  const [first, ...rest] = (error as Error).message.split("\n");
  expect(first).toBe("Did not start: the configuration is invalid.");
  return rest;
}

describe("parseConfig", () => {
  it("reads JSON with comments, commas after the last item and a byte order mark", async () => {
    const text =
      '\ufeff{\n  // mine\n  "dialect": "buddy", /* and */ "env": ["CI",],\n  "tools": { "bash": false },\n}\n';
    expect(await parseConfig(text, "haft.jsonc")).toEqual({ dialect: "buddy", env: ["CI"], tools: { bash: false } });
  });

  it("takes a text without a value for an empty configuration", async () => {
    for (const text of ["", "  \n", "// nothing yet\n", "{}"]) expect(await parseConfig(text, "x")).toEqual({});
  });

  it("takes every kind of server", async () => {
    const servers = {
      git: { command: "git-mcp", args: ["--ro"], env: { LANG: "C" }, cwd: "~/src" },
      web: { url: "https://example.org/mcp", headers: { Authorization: "Bearer x" } },
      gone: false,
    };
    expect(await parseConfig(JSON.stringify({ servers }), "x")).toEqual({ servers });
  });

  it("names line and column of what is not JSON", async () => {
    const cases: readonly (readonly [string, string])[] = [
      ['{\n  "dialect" "haft"\n}', "haft.jsonc:2:13: a colon is missing here."],
      ['{\r\n  "dialect": haft\r\n}', "haft.jsonc:2:14: this is not a value; strings need double quotes."],
      ['{ "dialect": "haft" "env": [] }', "haft.jsonc:1:21: a comma is missing before this."],
      ["{", "haft.jsonc:1:2: a closing brace is missing here."],
      ['{ "state": "x\n" }', "haft.jsonc:1:12: this string has no closing quote on its line."],
      ["{} {}", "haft.jsonc:1:4: the configuration ends before this; remove what follows."],
      ["{ /* ", "haft.jsonc:1:3: this comment is not closed."],
    ];
    for (const [text, reported] of cases) expect([text, await problemsOf(text)]).toEqual([text, [reported]]);
  });

  it("names the key, what it takes and the nearest name", async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['{\n  "dialekt": "haft" }', /^haft\.jsonc:2:3: there is no key "dialekt"\. Did you mean "dialect"\?$/],
      ['{ "qqq": 1 }', /no key "qqq"\. There are \$schema, dialect, workspace, .*trust\.$/],
      ['{ "dialect": "hatf" }', /1:14: "dialect" is "hatf"; expected "haft", .*"buddy"\. Did you mean "haft"\?$/],
      ['{ "autonomy": "some" }', /"autonomy" is "some"; expected "readonly", "supervised", "full"/],
      ['{ "tools": { "bsh": false } }', /no key "bsh" in "tools"\. Did you mean "bash"\?$/],
      ['{ "tools": { "bash": 0 } }', /"tools\.bash" is 0; expected true or false\.$/],
      [
        '{ "tools": { "write": { "gate": "of" } } }',
        /"tools\.write\.gate" is "of"; expected "off", .*Did you mean "off"\?$/,
      ],
      ['{ "env": ["A B"] }', /"env\[0\]" is "A B"; expected the name of an environment variable\.$/],
      ['{ "env": "CI" }', /"env" is "CI"; expected a list; each item is the name of an environment variable\.$/],
      ['{ "env": ["A", "A"] }', /"env" holds "A" twice/],
      ['{ "serve": { "port": 70000 } }', /"serve\.port" is 70000; expected an integer from 0 to 65535\.$/],
      ['{ "serve": { "host": "0.0.0.0" } }', /"serve\.host" is "0\.0\.0\.0"; expected "127\.0\.0\.1"/],
      ['{ "artifacts": { "quotaMiB": 1.5 } }', /"artifacts\.quotaMiB" is 1\.5/],
      ['{ "servers": { "x": { "args": [] } } }', /"servers\.x" is an object; expected an object with `command`/],
      ['{ "servers": { "x": { "url": "ftp://h" } } }', /begins with http:\/\/ or https:\/\//],
      ['{ "servers": { "x": { "command": "a", "comand": "b" } } }', /no key "comand" in "servers\.x"/],
      ['{ "servers": { "X": false } }', /no key "X" in "servers"\. A key there matches/],
      ['{ "trust": { "here": ["env"] } }', /no key "here" in "trust"/],
      ['{ "env": [], "env": [] }', /1:14: "env" is set twice/],
      ["[]", /1:1: the whole is a list; expected an object\.$/],
      ['{ "workspace": "" }', /"workspace" is ""; expected a path\.$/],
    ];
    for (const [text, reported] of cases) {
      const problems = await problemsOf(text);
      expect([text, problems.length]).toEqual([text, 1]);
      expect(problems[0]).toMatch(reported);
    }
  });

  it("reports the first five problems and counts the rest", async () => {
    const problems = await problemsOf('{ "a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": 1 }');
    expect(problems).toHaveLength(6);
    expect(problems[5]).toBe("…and 2 more.");
  });

  it("refuses what is nested too deeply instead of failing itself", async () => {
    expect(await problemsOf("[".repeat(200_000))).toHaveLength(1);
  });

  it("agrees with ajv on the published schema, whatever the configuration says", async () => {
    const validate = new Ajv({ strict: false }).compile(configSchema());
    const name = fc.constantFrom(
      ...["dialect", "workspace", "state", "autonomy", "env", "tools", "artifacts", "serve", "servers", "trust", "x"],
      ...[
        "quotaMiB",
        "port",
        "host",
        "command",
        "args",
        "url",
        "headers",
        "gate",
        "bash",
        "write",
        "a__b",
        "/p",
        "cwd",
      ],
    );
    const leaf = fc.oneof(
      fc.constantFrom("haft", "full", "env", "127.0.0.1", "https://h", "off", "", "A B", "HOME", true, false, null),
      fc.integer({ min: -2, max: 70_000 }),
      fc.constant(0.5),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: "small", withCrossShrink: true }, leaf, tie("list"), tie("object")),
      list: fc.array(tie("value"), { maxLength: 3 }),
      object: fc.dictionary(name, tie("value"), { maxKeys: 3 }),
    }));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 3 }), async (config) => {
        const text = JSON.stringify(config);
        expect([text, (await problemsOf(text)).length === 0]).toEqual([text, validate(parse(text))]);
      }),
    );
  });
});
