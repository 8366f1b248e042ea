/** The commands that use the tools: one call, the list, and a server of them. */
import { type Command, Option } from "commander";
import { examples, withConfigOptions, withDialectOption } from "./command-parts.js";
import type { CallOptions } from "./commands/call.js";
import type { ServeOptions } from "./commands/serve.js";
import type { ToolsOptions } from "./commands/tools.js";

export function addToolCommands(program: Command): void {
  addCallCommand(program);
  addToolsCommand(program);
  addServeCommand(program);
}

function addCallCommand(program: Command): void {
  withCommonOptions(
    program
      .command("call <tool> [parameters...]")
      .description("run one tool and print its answer")
      // An unknown option may be a parameter with dashes; only the tool's schema can tell.
      .allowUnknownOption()
      .showHelpAfterError("`haft tools` lists the tools. Add --help for what is possible.")
      .option("--session <name>", 'the conversation to go on with; "new" starts one (default: one for each workspace)')
      .option("--json", "print the whole outcome as JSON")
      .option("--explain", "print what the call would touch and how policy decides, and do not run it")
      .addHelpText(
        "after",
        `
PARAMETERS are words name=value, as \`haft tools TOOL\` lists them: text as it stands, numbers and true or false where the tool
takes them, lists as JSON. Or one JSON object of all of them, or "-" to read that object from stdin.
Exit status: 0 done, 1 the answer is an error, 2 the command was not understood or could not begin, 130 it was interrupted.
${examples(
  "haft call read path=README.md limit=5",
  "haft call grep pattern=TODO ignoreCase=true",
  "haft call bash command='git status' --json",
  'haft call find \'{"query":"*.md"}\'',
  "haft call write - < call.json",
  "haft call bash command=ls --on posix:dash",
)}`,
      ),
  ).action(async (tool: string, words: readonly string[], options: CallOptions, command: Command) => {
    const { callCommand } = await import("./commands/call.js");
    const known = command.options.flatMap(({ long }) => long ?? []);
    process.exitCode = await callCommand(tool, words, options, known);
  });
}

function addToolsCommand(program: Command): void {
  withDialectOption(
    withConfigOptions(program.command("tools [name]").description("list the tools, or show one with its parameters")),
  )
    .option("--collection <name>", "only the tools of this collection: read-only, coding, all", "all")
    .option("--json", "print what a model is shown as JSON: one descriptor, or an array of all")
    .addHelpText(
      "after",
      examples("haft tools", "haft tools edit", "haft tools --json", "haft tools --collection read-only"),
    )
    .action(async (name: string | undefined, options: ToolsOptions) => {
      const { toolsCommand } = await import("./commands/tools.js");
      await toolsCommand(name, options);
    });
}

function addServeCommand(program: Command): void {
  withCommonOptions(
    program
      .command("serve")
      .description("serve the tools to an MCP client: over HTTP on this machine, or over standard input and output")
      .option("--stdio", "one client, over standard input and output")
      .option(
        "--port <number>",
        "the port for HTTP, or the next free one (default: the configuration's, else any that is free)",
      )
      .option("--once", "exit after printing how to connect")
      .option("--collection <name>", "only the tools of this collection: read-only, coding, all", "all")
      .addHelpText(
        "after",
        examples("haft serve", "haft serve --port 7070", "haft serve --stdio --workspace ~/project"),
      ),
  ).action(async (options: ServeOptions) => {
    const { serveCommand } = await import("./commands/serve.js");
    process.exitCode = await serveCommand(options);
  });
}

function withCommonOptions(command: Command): Command {
  return withDialectOption(withConfigOptions(command))
    .option("--on <target>", "where to work: local, memory, posix:sh, posix:dash, posix:bash, posix:busybox", "local")
    .option(
      "--state <dir>",
      "where sessions, records and locks are kept (default: $XDG_STATE_HOME/haft, else ~/.local/state/haft)",
    )
    .addOption(
      new Option("--env <name>", "pass this environment variable on to commands; may be given again")
        .argParser(collect)
        .default([], "none"),
    )
    .option("--autonomy <level>", "how much happens without asking; only full for now")
    .addOption(
      new Option(
        "--gate <when>",
        "which changes need the file read before: write; on: also edit; off: none; handle: as the host keeps account (default: as the dialect says)",
      ).choices(["off", "handle", "write", "on"]),
    );
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
