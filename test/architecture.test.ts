import { describe, expect, it } from "vitest";
import { LONG_FILES, PACKAGES } from "./architecture/allowed.js";
import { ambientGlobals, consoleUse } from "./architecture/ambient-rules.js";
import { builtins, cycles, moduleEntries, moduleImports, packages, testImports } from "./architecture/import-rules.js";
import {
  explicitExports,
  fileNames,
  fileSizes,
  MAX_FILE_LINES,
  nameBranches,
  namesExportedTwice,
  pluralTwins,
} from "./architecture/shape-rules.js";
import { signalsSent } from "./architecture/signal-rule.js";
import {
  parseSource,
  readSources,
  readTestSources,
  type SourceFile,
  type Violation,
} from "./architecture/source-tree.js";
import { readVocabularyFiles, vocabulary } from "./architecture/vocabulary.js";

type Rule = (files: readonly SourceFile[]) => Violation[];

/** One rule, sources that break it (each must give a violation), and sources beside the line that do not. */
interface Case {
  readonly title: string;
  readonly rule: Rule;
  /** The rule with the project's own table, where the self-test brings one of its own. */
  readonly real?: Rule;
  /** What the rule reads, where it is not the sources that ship. */
  readonly files?: () => readonly SourceFile[];
  readonly bites: Readonly<Record<string, string>>[];
  readonly passes: Readonly<Record<string, string>>[];
}

const CASES: readonly Case[] = [
  {
    title: "modules import only what the table allows",
    rule: moduleImports,
    bites: [
      { "src/text/a.ts": `import { x } from "../kernel/index.js";` },
      { "src/kernel/a.ts": `export { x } from "../tools/index.js";` },
      { "src/tools/a.ts": `const x = await import("../backends/local/index.js");` },
      { "src/tools/files/a.ts": `import type { X } from "../../policy/index.js";` },
      { "src/policy/a.ts": `type X = import("../toolkit/index.js").X;` },
      { "src/dialects/haft/a.ts": `const x = require("../../tools/index.js");` },
      { "src/dialects/buddy/a.ts": `import { x } from "../haft/index.js";` },
      { "src/backends/local/a.ts": `import { x } from "../memory/index.js";` },
      { "src/stores/files/a.ts": `import { x } from "../memory/index.js";` },
      { "src/surfaces/mcp/a.ts": `import { x } from "../cli/index.js";` },
      { "src/surfaces/cli/a.ts": `import { x } from "../../backends/local/index.js";` },
      { "src/host/a.ts": `import { x } from "../backends/local/index.js";` },
      { "src/tools/a.ts": `import { x } from "../host/index.js";` },
      { "src/engines/edit/a.ts": `import { x } from "../../tools/index.js";` },
      { "src/kernel/a.ts": `import { x } from "../engines/edit/index.js";` },
      { "src/kernel/a.ts": `import { x } from "../../scripts/prepare.js";` },
      { "src/index.ts": `export { x } from "./surfaces/cli/index.js";` },
    ],
    passes: [
      { "src/kernel/a.ts": `import { x } from "../text/index.js"; import { y } from "./b.js";` },
      { "src/backends/ssh/a.ts": `import { x } from "../posix/index.js";` },
      { "src/mcp-client/a.ts": `import { x } from "../host/index.js";` },
      { "src/engines/core-backend/a.ts": `import { x } from "../search/index.js";` },
      { "src/host/a.ts": `import { x } from "../kernel/index.js";` },
      { "src/tools/edit/a.ts": `import { x } from "../../engines/edit/index.js";` },
      { "src/stores/files/a.ts": `import { x } from "../../host/index.js";` },
      { "src/surfaces/cli/a.ts": `import { x } from "../mcp/index.js";` },
      { "src/dialects/index.ts": `export { x } from "./haft/haft-dialect.js";` },
      { "src/dialects/haft/a.ts": `import { x } from "../rendering.js";` },
      { "src/toolkit/a.ts": `import { x } from "../backends/local/index.js"; import { y } from "../tools/index.js";` },
    ],
  },
  {
    title: "another module is entered by its index",
    rule: moduleEntries,
    bites: [
      { "src/tools/a.ts": `import { x } from "../kernel/pipeline.js";` },
      { "src/toolkit/a.ts": `import { x } from "../backends/local/local-fs.js";` },
      { "src/toolkit/a.ts": `import { x } from "../tools/files/read.js";` },
      { "src/tools/edit/a.ts": `import { x } from "../../engines/edit/units.js";` },
      { "src/dialects/haft/a.ts": `import { x } from "../../tools/read/read.js";` },
      { "src/toolkit/a.ts": `import { x } from "../tools/read/contract.js";` },
    ],
    passes: [
      { "src/tools/files/a.ts": `import { x } from "../../kernel/index.js"; import { y } from "../shell/b.js";` },
      { "src/toolkit/a.ts": `import { x } from "../backends/local/local-backend.js";` },
      { "src/dialects/haft/a.ts": `import { x } from "../rendering.js";` },
      { "src/dialects/haft/a.ts": `import { x } from "../../tools/read/contract.js";` },
    ],
  },
  {
    title: "only host, backends, mcp-client, stores and surfaces import Node's own modules",
    rule: builtins,
    bites: [
      { "src/kernel/a.ts": `import { readFileSync } from "node:fs";` },
      { "src/tools/a.ts": `import { join } from "path";` },
      { "src/toolkit/a.ts": `const fs = await import("fs/promises");` },
      { "src/testing/a.ts": `import type { Readable } from "node:stream";` },
    ],
    passes: [
      { "src/backends/local/a.ts": `import { spawn } from "node:child_process";` },
      { "src/surfaces/cli/a.ts": `import net from "node:net";` },
      { "src/kernel/a.ts": `import x from "./fs.js";` },
    ],
  },
  {
    title: "packages are imported only where the table says, and lazily where it says so",
    rule: (files) => packages(files, { kernel: { ajv: "lazy" }, text: { "@scope/one": "eager" } }),
    real: (files) => packages(files, PACKAGES),
    bites: [
      { "src/tools/a.ts": `import x from "ajv";` },
      { "src/kernel/a.ts": `import Ajv from "ajv/dist/2020.js";` },
      { "src/text/a.ts": `import x from "@scope/two/deep.js";` },
    ],
    passes: [
      { "src/kernel/a.ts": `const { Ajv2020 } = await import("ajv/dist/2020.js"); import type { X } from "ajv";` },
      { "src/text/a.ts": `import x from "@scope/one/deep.js";` },
    ],
  },
  {
    title: "there are no import cycles",
    rule: cycles,
    bites: [
      {
        "src/kernel/a.ts": `import "./b.js";`,
        "src/kernel/b.ts": `export { x } from "./c.js";`,
        "src/kernel/c.ts": `import("./a.js");`,
      },
      { "src/kernel/a.ts": `import type { B } from "./b.js";`, "src/kernel/b.ts": `import type { A } from "./a.js";` },
    ],
    passes: [
      {
        "src/kernel/a.ts": `import "./b.js"; import "./c.js";`,
        "src/kernel/b.ts": `import "./c.js";`,
        "src/kernel/c.ts": "",
      },
    ],
  },
  {
    title: "pure modules take time, randomness, network and process from ports",
    rule: ambientGlobals,
    bites: [
      { "src/tools/a.ts": `await fetch("http://x");` },
      { "src/kernel/a.ts": `export const home = process.env.HOME;` },
      { "src/kernel/a.ts": `globalThis.setTimeout(() => {}, 1);` },
      { "src/policy/a.ts": `const later = { setInterval };` },
      { "src/policy/a.ts": `const now = Date.now();` },
      { "src/policy/a.ts": `const now = Date["now"]();` },
      { "src/policy/a.ts": `const now = new Date();` },
      { "src/dialects/haft/a.ts": `const now = Date();` },
      { "src/testing/a.ts": `const id = globalThis.crypto.randomUUID();` },
      { "src/text/a.ts": `const x = Math.random();` },
      { "src/toolkit/a.ts": `const signal = AbortSignal.timeout(5);` },
      { "src/tools/a.ts": `function f(process: string) { return process; }\nconst x = process.pid;` },
    ],
    passes: [
      { "src/backends/local/a.ts": `setTimeout(() => process.exit(Math.random() > Date.now() ? 0 : 1), 1);` },
      { "src/kernel/a.ts": `interface Http { fetch(url: string): void }\nconst x = (http: Http) => http.fetch("x");` },
      { "src/tools/a.ts": `const f = ({ process }: { process: string }) => process.length;` },
      { "src/tools/a.ts": `const then = new Date(5); const names = { process: 1, fetch: 2 };` },
      { "src/kernel/a.ts": `import type { process } from "./b.js";` },
    ],
  },
  {
    title: "signals are sent by one function, which rejects processes that are not ours",
    rule: signalsSent,
    bites: [
      { "src/backends/local/a.ts": `process.kill(5, "SIGTERM");` },
      { "src/stores/files/a.ts": `process["kill"](5, 0);` },
      { "src/surfaces/mcp/a.ts": `const { kill: end } = process;` },
      { "src/host/process/a.ts": `import { kill } from "node:process";` },
      { "src/backends/posix/a.ts": `const stop = (started: Started) => started.child?.kill("SIGKILL");` },
      { "src/surfaces/cli/a.ts": `const end = child.kill.bind(child);` },
      { "src/backends/local/a.ts": `import { spawn } from "node:child_process"; spawn("a", [], { timeout: 5 });` },
      { "src/backends/local/a.ts": `import * as c from "child_process"; c.execFile("a", { signal }, done);` },
    ],
    passes: [
      { "src/host/process/signal.ts": `process.kill(5, "SIGTERM");` },
      { "src/backends/memory/a.ts": `const handle = { kill: (signal: string) => this.kill(signal) };` },
      { "src/backends/memory/a.ts": `import { kill } from "./process-commands.js"; const all = { kill };` },
      { "src/kernel/a.ts": `const tree = await job.kill("TERM");` },
      { "src/backends/local/a.ts": `import { spawn } from "node:child_process"; spawn("a", [], { cwd: "/" });` },
      { "src/backends/local/a.ts": `import { spawnSync } from "node:child_process"; spawnSync("a", { timeout: 5 });` },
    ],
  },
  {
    title: "only the command line writes to the console",
    rule: consoleUse,
    bites: [
      { "src/backends/local/a.ts": `console.error("x");` },
      { "src/surfaces/mcp/a.ts": `const { log } = console;` },
    ],
    passes: [{ "src/surfaces/cli/a.ts": `console.log("x");` }],
  },
  {
    title: "files and directories are named for their subject, in kebab-case",
    rule: fileNames,
    bites: [
      { "src/kernel/toolBox.ts": "" },
      { "src/kernel/Tool.ts": "" },
      { "src/tools/Files/read.ts": "" },
      { "src/kernel/utils.ts": "" },
      { "src/kernel/types.ts": "" },
      { "src/kernel/tool_box.ts": "" },
    ],
    passes: [
      { "src/kernel/tool-box.ts": "" },
      { "src/text/utf8.ts": "" },
      { "src/backends/posix/remote/boot.sh.ts": "" },
    ],
  },
  {
    title: "no two files of a module differ in a plural alone",
    rule: pluralTwins,
    bites: [
      { "src/stores/files/session.ts": "", "src/stores/files/sessions.ts": "" },
      { "src/tools/read/found-file.ts": "", "src/tools/grep/found-files.ts": "" },
    ],
    passes: [{ "src/stores/files/session.ts": "", "src/stores/memory/sessions.ts": "" }],
  },
  {
    title: "a name is exported by one file",
    rule: namesExportedTwice,
    bites: [
      { "src/kernel/a.ts": "export const x = 1;", "src/tools/b.ts": "export function x() {}" },
      { "src/kernel/a.ts": "export interface X {}", "src/tools/b.ts": "export type X = 1;" },
    ],
    passes: [
      { "src/kernel/a.ts": "export const x = 1;", "src/kernel/index.ts": `export { x } from "./a.js";` },
      {
        "src/kernel/a.ts": "export function x(a: 1): 1;\nexport function x(a: 2): 2;",
        "src/tools/b.ts": "const x = 1;",
      },
    ],
  },
  {
    title: "files are short, or listed with a reason",
    rule: (files) => fileSizes(files, { "src/kernel/long.ts": "a table" }),
    real: (files) => fileSizes(files, LONG_FILES),
    bites: [
      { "src/kernel/a.ts": "\n".repeat(MAX_FILE_LINES + 1), "src/kernel/long.ts": "\n".repeat(MAX_FILE_LINES + 1) },
      { "src/kernel/long.ts": "\n".repeat(MAX_FILE_LINES) },
    ],
    passes: [{ "src/kernel/a.ts": "\n".repeat(MAX_FILE_LINES), "src/kernel/long.ts": "\n".repeat(MAX_FILE_LINES + 1) }],
  },
  {
    title: "exports are named one by one",
    rule: explicitExports,
    bites: [
      { "src/kernel/index.ts": `export * from "./a.js";` },
      { "src/kernel/index.ts": `export * as a from "./a.js";` },
    ],
    passes: [{ "src/kernel/index.ts": `export { a } from "./a.js";` }],
  },
  {
    title: "nothing outside the toolkit branches on the name of a tool or a dialect",
    rule: nameBranches,
    bites: [
      { "src/kernel/a.ts": `if (tool.name === "read") x();` },
      { "src/policy/a.ts": `if ("bash" !== call.tool) x();` },
      { "src/surfaces/cli/a.ts": `switch (dialect) { case "haft": x(); }` },
      { "src/kernel/a.ts": `switch (call.name) { case "write": x(); }` },
      { "src/kernel/a.ts": `const x = ["edit", "write"].includes(toolName);` },
      { "src/dialects/haft/a.ts": `const x = word === "todo_set";` },
    ],
    passes: [
      { "src/kernel/a.ts": `const x = access === "read" || shell === "bash";` },
      { "src/toolkit/a.ts": `if (tool.name === "read") x();` },
      { "src/kernel/a.ts": `switch (access) { case "write": x(); }` },
    ],
  },
  {
    title: "one vocabulary: no old word in names, comments, messages, titles and docs",
    rule: vocabulary,
    files: readVocabularyFiles,
    bites: [
      { "src/kernel/folder-names.ts": "" },
      { "src/kernel/a.ts": "const parentFolder = 1;" },
      { "src/kernel/a.ts": "class A { #bury() {} }" },
      { "src/kernel/a.ts": "interface FarSide {}" },
      { "src/kernel/a.ts": "/** What the caller\n * is told. */" },
      { "src/kernel/a.ts": "const x = 1; // goes on" },
      { "src/kernel/a.ts": `const x = "It is a folder.";` },
      { "src/kernel/a.test.ts": `it("gives up after a minute", () => {});` },
      { "docs/a.md": "Differences in blanks\nare bridged." },
    ],
    passes: [
      { "src/kernel/a.ts": `import { x } from "./folder.js"; interface Surface { interfaces: string }` },
      { "src/kernel/a.ts": `const spoken = "a blind spot"; // a line ends with a newline` },
      { "src/kernel/a.ts": `const url = "http://a/b"; const ROOMY = /folder/;` },
      { "src/kernel/a.test.ts": `it("reads", () => read("/folder/file"));` },
    ],
  },
];

const sources = readSources();

describe("architecture", () => {
  for (const { title, rule, real = rule, files } of CASES) {
    it(title, () => {
      expect(real(files?.() ?? sources)).toEqual([]);
    });
  }

  it("tests in src/ import nothing from test/", () => {
    expect(testImports(readTestSources())).toEqual([]);
    expect(testImports(parse({ "src/a.test.ts": `new URL("../test/a.mjs", import.meta.url)` }))).toHaveLength(1);
    expect(testImports(parse({ "src/a.test.ts": `import "./test/a.js"; import "../testing/a.js";` }))).toEqual([]);
  });

  it("reads the sources of the project", () => {
    expect(sources.map(({ path }) => path)).toContain("src/kernel/index.ts");
    expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(50);
  });
});

describe("each architecture rule", () => {
  for (const { title, rule, bites, passes } of CASES) {
    it(`reports a violation: ${title}`, () => {
      for (const files of bites) expect(rule(parse(files)), JSON.stringify(files).slice(0, 200)).not.toEqual([]);
    });
    it(`reports nothing else: ${title}`, () => {
      for (const files of passes) expect(rule(parse(files)), JSON.stringify(files).slice(0, 200)).toEqual([]);
    });
  }
});

function parse(files: Readonly<Record<string, string>>): SourceFile[] {
  return Object.entries(files).map(([path, text]) => parseSource(path, text));
}
