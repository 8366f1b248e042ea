import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { built, cleanEnv } from "../src/testing/built.fixture.js";
import { REPOSITORY } from "./architecture/source-tree.js";

const README = readFileSync(join(REPOSITORY, "README.md"), "utf8");
const blocksOf = (language: string): readonly string[] =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block]) => block ?? "");

/** The examples, by what each of them prints. Those of an SDK run here with a stand-in; `test/sdks` runs and compiles them with the SDK. */
const PRINTED = [/"name": "project"/, /"name": "project"/, /^false [\s\S]*"name": "project"/, /^Hello Ada\n$/];

/** Packages whose model calls `read` once and then prints the result. */
const STAND_INS: Readonly<Record<string, string>> = {
  "@ai-sdk/openai": "export const openai = (model) => model;",
  ai: `export const stepCountIs = (count) => count;
    export const generateText = async ({ tools: { read } }) => {
      const output = await read.execute({ path: "package.json" }, { toolCallId: "1", messages: [] });
      return { text: read.toModelOutput({ output }).value };
    };`,
  openai: `const runTools = ({ tools }) => ({
      finalContent: () => tools.find((one) => one.function.name === "read").function.function('{"path":"package.json"}', {}),
    });
    export default class { chat = { completions: { runTools } } }`,
};
const usesSdk = (block: string): boolean => Object.keys(STAND_INS).some((name) => block.includes(`from "${name}"`));

let project: string;
beforeAll(() => {
  built("index.js");
  project = realpathSync(mkdtempSync(join(tmpdir(), "haft-readme-")));
  mkdirSync(join(project, "node_modules"));
  symlinkSync(REPOSITORY, join(project, "node_modules", "haft"));
  writeFileSync(join(project, "package.json"), '{\n  "name": "project"\n}\n');
  for (const [name, code] of Object.entries(STAND_INS)) {
    const directory = join(project, "node_modules", name);
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, "package.json"), '{ "type": "module", "exports": "./index.js" }');
    writeFileSync(join(directory, "index.js"), code);
  }
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const node = (...args: readonly string[]) =>
  spawnSync(process.execPath, args, { cwd: project, env: cleanEnv(project), encoding: "utf8" });

describe("the README", () => {
  it.each(PRINTED.map((printed, index) => ({ index, printed })))("runs example $index", ({ index, printed }) => {
    writeFileSync(join(project, `example-${index}.mjs`), blocksOf("js")[index] ?? "");
    const done = node(`example-${index}.mjs`);
    expect(done.stderr).toBe("");
    expect(done.stdout).toMatch(printed);
  });

  it("has no example that is not run, and all of them are TypeScript as they stand", () => {
    const blocks = blocksOf("js");
    expect(blocks).toHaveLength(PRINTED.length);
    const names = blocks.flatMap((block, index) => {
      if (usesSdk(block)) return [];
      writeFileSync(join(project, `typed-${index}.mts`), block);
      return `typed-${index}.mts`;
    });
    expect(names).toHaveLength(2);
    const tsc = join(REPOSITORY, "node_modules", "typescript", "bin", "tsc");
    const types = ["--types", "node", "--typeRoots", join(REPOSITORY, "node_modules", "@types")];
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--skipLibCheck", ...types];
    expect(node(tsc, ...options, ...names).stdout).toBe("");
  }, 60_000);
});
