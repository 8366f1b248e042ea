/** `haft init`: a configuration to start from. */
import { existsSync, lstatSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../../kernel/index.js";
import { showControls } from "../../../text/index.js";
import { TRUSTED_KEYS } from "../../../toolkit/index.js";
import { workspaceOf } from "../common-options.js";
import { CONFIG_NAME, userConfigPath } from "../configuration.js";
import { configSchemaPath } from "../installed-package.js";
import { EXIT, UsageError } from "../usage.js";

export interface InitOptions {
  readonly workspace?: string;
  /** The person's own file in the place of the workspace's. */
  readonly user?: boolean;
  /** Prints and writes nothing. */
  readonly print?: boolean;
}

/** Writes the file, never over another, and returns the exit status. */
export function initCommand(options: InitOptions): number {
  const path = options.user ? userConfigPath() : join(workspaceOf(options.workspace), CONFIG_NAME);
  const text = startingConfig(dirname(path), options.user === true);
  if (options.print) {
    process.stdout.write(text);
    return EXIT.ok;
  }
  try {
    mkdirSync(dirname(path), { recursive: true });
    // "wx" leaves what is there alone, whoever made it a moment ago.
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    const why = isThere
      ? "it is there already, and stays as it is. `haft init --print` shows what would be written"
      : `${messageOf(error)}. \`haft init --print\` shows the text`;
    throw new UsageError(`Did not write "${path}": ${why}.`);
  }
  process.stdout.write(
    `Wrote ${showControls(path)}.\nEvery setting in it is commented out: remove the `, //` before the ones you want to change.\n`,
  );
  return EXIT.ok;
}

function startingConfig(directory: string, isOwn: boolean): string {
  const lines = isOwn ? [...SHARED, ...OWN] : [...SHARED, ...PROJECT];
  const head = isOwn
    ? "// Haft, for everything that you start. The file haft.jsonc of a workspace is laid over it."
    : `// Haft, in this folder. Your own file decides what a project may not: ${TRUSTED_KEYS.join(", ")}.`;
  return `${head}\n// JSON with comments; commas after the last item are allowed.\n{\n  "$schema": ${JSON.stringify(schemaReference(directory))},\n\n${lines
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n")}\n}\n`;
}

const SHARED = [
  "// Names, limits and texts of the tools: haft, indusagi, indusagi-python, zeroclaw, buddy.",
  '// "dialect": "haft",',
  "",
  "// A tool that is false is not shown to a model, and unknown when it is called.",
  "// A gate says when a file must have been read before it is changed: off, handle, write, on.",
  '// "tools": { "bash": false, "write": { "gate": "on" } },',
  "",
];

const PROJECT = [
  "// A folder within this one to work in.",
  '// "workspace": "packages/app",',
  "",
  "// The port of `haft serve`; without it a free one is taken.",
  '// "serve": { "port": 7070 },',
];

const OWN = [
  "// Environment variables that commands find beside the usual few. Names only.",
  '// "env": ["NODE_ENV", "CARGO_HOME"],',
  "",
  "// Where sessions, records and locks are kept.",
  '// "state": "~/.local/state/haft",',
  "",
  "// MiB that the kept outputs of one session may take.",
  '// "artifacts": { "quotaMiB": 256 },',
  "",
  "// MCP servers whose tools are offered too, as NAME__TOOL.",
  '// "servers": { "docs": { "command": "docs-mcp", "args": [] }, "web": { "url": "http://localhost:9000/mcp" } },',
  "",
  "// What the file of a project may decide. Whoever can change that file decides as you.",
  '// "trust": { "~/src/shop": ["env"] },',
];

/** Relative where the package is installed in the project, so that the file serves everybody who works on it. */
function schemaReference(directory: string): string {
  const installed = configSchemaPath();
  const inProject = join(directory, "node_modules", "haft", "config.schema.json");
  const isThere =
    existsSync(inProject) && existsSync(installed) && realpathSync.native(inProject) === realpathSync.native(installed);
  return isThere ? `./${relative(directory, inProject)}` : pathToFileURL(installed).href;
}
