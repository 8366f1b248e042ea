/** `haft init`: writes a configuration to start from. */
import { existsSync, lstatSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { showControls } from "../../../text/index.js";
import { configSchemaPath } from "../../installed-package.js";
import { withExamples } from "../command-parts.js";
import { EXIT, UsageError } from "../usage.js";

interface InitOptions {
  readonly workspace?: string;
  /** Write the user's own file instead of the workspace's. */
  readonly user?: boolean;
  /** Print it and write nothing. */
  readonly print?: boolean;
}

export function addInitCommand(program: Command): void {
  withExamples(
    program
      .command("init")
      .description("write a commented haft.jsonc to start from; never overwrites a file")
      .option("--workspace <dir>", "where to write it (default: the current directory)")
      .option("--user", "write your own file instead, which applies to everything you start")
      .option("--print", "print it without writing"),
    "haft init",
    "haft init --user --print",
  ).action(async (options: InitOptions) => {
    process.exitCode = await writeConfig(options);
  });
}

async function writeConfig(options: InitOptions): Promise<number> {
  const { workspaceOf } = await import("../common-options.js");
  const { CONFIG_NAME, userConfigPath } = await import("../configuration.js");
  const path = options.user ? userConfigPath() : join(workspaceOf(options.workspace), CONFIG_NAME);
  const text = await startingConfig(dirname(path), options.user === true);
  if (options.print) {
    process.stdout.write(text);
    return EXIT.ok;
  }
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    const why = exists ? "the file already exists" : (error as Error).message;
    throw new UsageError(`Did not write "${path}": ${why}. \`haft init --print\` prints the text.`);
  }
  process.stdout.write(
    `Wrote ${showControls(path)}.\nEvery setting in it is commented out: remove the \`// \` before the ones that you want to change.\n`,
  );
  return EXIT.ok;
}

async function startingConfig(directory: string, isOwn: boolean): Promise<string> {
  const { TRUSTED_KEYS } = await import("../../../toolkit/index.js");
  const lines = isOwn ? [...SHARED, ...OWN] : [...SHARED, ...PROJECT];
  const head = isOwn
    ? "// Haft's configuration for everything you start. A workspace's haft.jsonc overrides it."
    : `// Haft's configuration in this directory. Unless your own file (haft init --user) trusts it, these are limited or ignored: ${TRUSTED_KEYS.join(", ")}.`;
  const schema = JSON.stringify(schemaReference(directory, configSchemaPath()));
  return `${head}\n// JSON with comments; trailing commas are allowed.\n{\n  "$schema": ${schema},\n\n${lines
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n")}\n}\n`;
}

const SHARED = [
  "// Names, limits and texts of the tools: haft, indusagi, indusagi-python, zeroclaw, buddy.",
  '// "dialect": "haft",',
  "",
  "// false disables a tool: models do not see it, and calls to it fail as unknown.",
  "// gate: when a file must have been read before it is changed: off, handle, write, on.",
  '// "tools": { "bash": false, "write": { "gate": "on" } },',
  "",
  "// What runs without a question: readonly, supervised, full.",
  '// "autonomy": "supervised",',
  "",
  "// Exceptions. What a project's file allows counts after `haft policy trust`. `haft policy explain` shows the decision on a command.",
  '// "policy": { "rules": ["allow npm test", "ask npm publish *", "deny path:infra/**"] },',
  "",
];

const PROJECT = [
  "// The working directory, inside this directory.",
  '// "workspace": "packages/app",',
  "",
  "// The port of `haft serve`. Default: any free port.",
  '// "serve": { "port": 7070 },',
];

const OWN = [
  "// Where tools run; the first is the default. With several, each call chooses with its parameter `on`.",
  '// "on": ["local", "memory"],',
  "",
  "// Names of environment variables to pass to commands, besides the default ones.",
  '// "env": ["NODE_ENV", "CARGO_HOME"],',
  "",
  "// Where sessions, the audit log and locks are stored.",
  '// "state": "~/.local/state/haft",',
  "",
  "// The most MiB that the stored outputs of one session use.",
  '// "artifacts": { "quotaMiB": 256 },',
  "",
  "// MCP servers whose tools Haft also offers, as NAME__TOOL.",
  '// "servers": { "docs": { "command": "docs-mcp", "args": [] }, "web": { "url": "http://localhost:9000/mcp" } },',
  "",
  "// Settings that a project's file may change. Anyone who can edit that file then changes them as you.",
  '// "trust": { "~/src/shop": ["env"] },',
];

/** Relative where Haft is installed in the project, so that the reference works for everyone who clones it. */
function schemaReference(directory: string, installed: string): string {
  const inProject = join(directory, "node_modules", "haft", "config.schema.json");
  const isThere =
    existsSync(inProject) && existsSync(installed) && realpathSync.native(inProject) === realpathSync.native(installed);
  return isThere ? `./${relative(directory, inProject)}` : pathToFileURL(installed).href;
}
